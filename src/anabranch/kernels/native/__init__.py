"""The native tier: a stage's Python source rewritten into one loop over columns.

`stage` writes a module with the help of `translate` and `state`; `cache` has Numba compile it
once; while it runs, its code calls `library`, and `kernel` gives it slices.

A row that native code cannot do exactly as Python does is undone and given to the rows tier.
"""
