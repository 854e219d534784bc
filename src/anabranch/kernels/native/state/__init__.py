"""The state of a stage: its arrays, its collections, and its way to bytes and to rows.

    carrier.py     State between the tiers: native arrays as objects of the rows tier, and back
    checkpoint.py  A stage's native state as bytes, as pages of some keys, and as state of rows
    containers.py  The collections that a state declares: which have a native form, and how
    dicts.py       Dicts and sets of a state as native code: entries lie in a table of their own
    eviction.py    What no state holds is forgotten: texts, and elements of lists given out
    layout.py      Where the state of a stage lies: its arrays and keys, the counters of its code
    memory.py      The arrays of a stage's state: how they grow, and how a row is undone
    sequences.py   Lists and deques of a state as native code: items in a table, by position
"""
