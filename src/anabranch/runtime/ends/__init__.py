"""The two ends of a run: sources read in the program's order, sinks written.

    binding.py     The two ends of a run: sources and sinks bound to files, sinks opened together
    collisions.py  What a run reads and what it writes lie apart; found before anything is opened
    columns.py     All source tuples in the program's order, in columns where sources give them
    emitting.py    The sinks' writers as engines see them: `emit(sink, item)`, or in columns
    enough.py      How many items are enough, where only the first ones are asked for
    live.py        Live sources: each is read by a thread, and items go on in order of arrival
    merging.py     The tuples of all sources in the program's order
    reading.py     A source while it is read: its items counted, one by one, or in columns
"""
