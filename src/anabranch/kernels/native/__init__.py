"""The native tier: a stage's Python source rewritten into one loop over columns.

    values, body        what an expression is, known before it runs; names and their kinds
    expressions, calls, texts, statements      a function's tree as the text of native code
    operators, windows, stage                  a stage's operators as the text of a module
    cache               the module on disk, compiled by Numba once
    numeric, times, tables, strings            what the module's code calls while it runs
    kernel, memory                             slices in and out, state, the way back to rows

A row that native code cannot do exactly as Python does is undone and given to the rows tier.
"""
