"""A stage at work on a slice: rows in Python, kernels over columns, by tuple.

    ahead.py         Loops: the heavy operators of a round are computed ahead, in worker processes
    double_check.py  The second line of defence: an operator's first items run in a second order
    kernel.py        A straight line of operators as a kernel, with the interface of `rows.Line`
    merge.py         A union by an attribute over columns, with the interface of `rows.Line`
    rounds.py        Operators that run together: each source tuple goes round until it is done
    rows.py          A straight line of operators in Python: each takes all rows, then the next
    runners.py       Runners: how the rows of a stage with buckets, or without state, are worked off
"""
