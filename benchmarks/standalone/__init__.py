"""Benchmarks that are scripts of their own: they print what they measure, and keep nothing.

    compiled_scaling    how regions of compiled operators scale with workers
    phases              where the time of W1 and W2 goes: reading, computing, writing
    sawzall             the query log analyzer in Sawzall, against a loop and PySpark
    scaling             how regions of plain Python scale with workers
    short               short runs beside the plain loop a user would write
    streamit            FM radio in StreamIt, against the same computation in NumPy
    windows             what a tuple costs a CQL query, by the size of its window

`phases` runs as `python -m benchmarks.standalone.phases`. The others need only the package, also as
`python benchmarks/standalone/scaling.py`. Workloads use the programs of some.
"""
