"""The sequential engine: the definition of what a program means."""
