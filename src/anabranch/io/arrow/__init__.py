"""Arrow: our types as Arrow types, rows as record batches, and tables as sources and sinks."""
