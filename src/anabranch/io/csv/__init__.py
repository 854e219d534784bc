"""CSV: large files by compiled loops, plain ones by Arrow, all others row by row."""
