"""JSON Lines: large files of records by compiled loops, all others line by line."""
