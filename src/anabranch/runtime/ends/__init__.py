"""The two ends of a run: sources as they are read, in the program's order, and sinks as they are written."""
