"""The workloads for other systems, which run in environments of their own.

There is a folder for each, with its pinned requirements: Bytewax, DuckDB, Pathway, Polars, PyFlink,
PySpark, and plain Python in `loop`. They are run by `harness.py`; nothing imports them here.

    harness.py  Runs one program in this interpreter and prints how long it took, as a line of JSON
"""
