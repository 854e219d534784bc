"""Scripts of their own, which print what they measure and keep nothing.

`phases` runs as `python -m benchmarks.standalone.phases`. The others need only the package, also as
`python benchmarks/standalone/scaling.py`. Workloads use the programs of some.

    compiled_scaling.py  How regions of compiled operators scale with workers
    phases.py            Where the time of W1 and W2 goes: reading, computing and writing
    sawzall.py           The query log analyzer in Sawzall against a plain loop and PySpark
    scaling.py           How regions of plain Python scale with workers
    short.py             Short runs beside the plain loop a user would write
    streamit.py          FM radio of ten bands in StreamIt, against the same in NumPy
    windows.py           What a tuple costs a CQL query, by the size of its window
"""
