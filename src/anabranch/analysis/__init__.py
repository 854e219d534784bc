"""Facts about operators, one fact per file, each with its reason. Depends on ir alone."""
