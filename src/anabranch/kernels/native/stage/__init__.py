"""A stage's operators as the text of one module: functions, windows, columns.

    columns.py    The columns of a stage: those that it is given, and those that it puts out
    folds.py      Aggregates as native code, built in or the user's own: `add` and `result`
    lists.py      The aggregate `collect` as native code: growing lists lie in a table of their own
    module.py     A stage as the text of one module: a function for each operator calls the next
    operators.py  Each kind of operator as a native function that hands outputs to the next one's
    windows.py    Window aggregation as native code: each key has a ring of open windows
"""
