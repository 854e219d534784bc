"""On Spark: batches, streams, their latency and state, against the same written by hand."""
