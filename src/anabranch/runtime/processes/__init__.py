"""Worker processes: how they are forked, what they are told, and the memory that they share."""
