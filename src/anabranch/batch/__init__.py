"""Slices and batches: items that travel together, in columns or as objects, and how they are merged and routed."""
