"""The workloads for other systems: a folder for each, with its pinned requirements.

    harness    runs one program of any system, ours too, and prints how long it took

    bytewax    duckdb    loop (plain Python)    pathway    polars    pyflink    pyspark

These files run in the environments of those systems, by `harness.py`; nothing imports them here.
"""
