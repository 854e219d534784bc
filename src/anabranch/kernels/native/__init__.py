"""The native tier: a stage's Python source rewritten into one loop over columns.

`stage` writes a module with the help of `translate` and `state`; `cache` has Numba compile it
once; while it runs, its code calls `library`, and `kernel` gives it slices.

A row that native code cannot do exactly as Python does is undone and given to the rows tier.

    cache.py    Generated modules on disk, so that Numba compiles each only once
    deal.py     Rows dealt to the buckets of a kernel, and its outputs put back, in native loops
    kernel.py   The native kernel: slices through generated code; what it cannot do goes to rows
    slices.py   Arrow columns as the arrays of generated code, and its output arrays as a batch
    library/    What generated code calls while it runs: Python's results to the last bit
    stage/      A stage's operators as the text of one module: functions, windows, columns
    state/      The state of a stage: its arrays, its collections, and its way to bytes and to rows
    team/       A state shared by workers: they fork it, go through a slice together, and join it
    translate/  The user's functions as the text of native code: statements and expressions
"""
