"""Programs in their own languages: applications of the papers, Sawzall, StreamIt, CQL."""
