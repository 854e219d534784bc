"""Parquet: columns are found by name and cast exactly; only what is wanted is read."""
