"""The native tier: a stage's Python source rewritten into one loop over columns.

    values, body                       what an expression is before it runs; a function's names
    walk, expressions, arithmetic, spans, comparisons, texts, calls, records, helpers
                                       an expression as the text of native code
    whole, late                        what Python computes: once for a text, once for a slice
    statements, loops, matching        statements as the text of native code
    operators, windows, folds, user_folds, lists, windowed, dicts, sequences, holding, keys, kept,
    sources, outputs, layout, stage    a stage's operators as the text of a module
    cache, names                       the module on disk, compiled by Numba once
    numeric, whole_numbers, libm, times, tables, strings
                                       what the module's code calls while it runs
    kernel, slices, gathering, memory, forgetting, saved, pages, carry
                                       slices in and out, state, the way to the rows tier and back
    forks, shared_run, team, atomic    a state that several threads share

A row that native code cannot do exactly as Python does is undone and given to the rows tier.
"""
