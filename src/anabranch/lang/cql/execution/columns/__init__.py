"""CQL over whole columns: many instants at once, for inputs that are files.

    inputs --slices--> steps of the algebra --delta by delta--> sinks

A slice has all rows of some instants; every step takes the changes of its relations in a slice, as
columns, and gives those of its result. What columns cannot hold exactly, or a row that is wrong,
ends the run with `Unfinished`: the engine then begins anew with the operators of the graph, which
give the same output, and leaves out what has been written.

    aggregates.py  Aggregates over columns: exact sums, running totals of keys, least and greatest
    joins.py       Joins over columns: runs in which only one side changes, and rows kept
    pipeline.py    Runs the steps of a program over its slices, by one thread or by several
    program.py     A program in columns, as the engines ask for it, and what is explained of it
    relations.py   Operators on relations over columns: from a slice's changes to the result's
    rows.py        Operators that go through the rows of a slice in plain Python, instant by instant
    slices.py      The files of the inputs, cut into slices: all rows of some instants, as changes
    steps.py       From the algebra to steps over columns: NumPy where it can be, else Python
    terms.py       Terms over columns: the usual operators by NumPy, any other term row by row
    values.py      Columns of values: numbers and times as such, texts by number; nulls, ranks
    windows.py     Windows over columns: when the rows of a slice enter, and when others leave
"""
