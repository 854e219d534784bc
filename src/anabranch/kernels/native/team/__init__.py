"""A state shared by workers: they fork it, go through a slice together, and join it."""
