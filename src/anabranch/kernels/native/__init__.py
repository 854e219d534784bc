"""The native tier: a stage's Python source rewritten into one loop over columns.

    values, body                       what an expression is before it runs; a function's names
    walk, expressions, arithmetic, comparisons, texts, calls, records, helpers, statements
                                       a function's tree as the text of native code
    operators, windows, folds, windowed, keys, outputs, layout, stage
                                       a stage's operators as the text of a module
    cache                              the module on disk, compiled by Numba once
    numeric, times, tables, strings    what the module's code calls while it runs
    kernel, slices, memory, saved, pages, forgetting, carry
                                       slices in and out, state, the way to the rows tier and back

A row that native code cannot do exactly as Python does is undone and given to the rows tier.
"""
