"""The Python API: records, streams, operators, windows, aggregates.

Depends on core, ir, analysis, io and the plans of workers.

    aggregates.py       The aggregates as users write them: `total=ab.sum("amount")`, `n=ab.count()`
    arguments.py        Arguments as users write them become what the graph holds, or an error
    composition.py      Operators over several streams, and those composed of the core ones
    frames.py           Where a program meets Spark: DataFrames in, and DataFrames out
    node.py             What a program is made of while it is written, and how it becomes a graph
    operator.py         User-defined operators: a function that yields, with or without typed state
    parameters.py       Parameters of a program, set on the command line: `--set threshold=200`
    reference.py        The page docs/api.md, made of what the library says of itself
    sinks.py            Where streams end, and how a program is run and explained from Python
    sources.py          Where streams begin: files, standard input, iterables, a generator
    stream.py           Streams: each method adds one operator, at the caller's line
    synchronization.py  Synchronized operators: forked state, for programs that keys cannot split
    windows.py          Windows as users write them, aggregation over them, sorting made of it
"""
