"""Several actors as one machine: compiled code that fires them until nothing more can fire.

    groups.py      which actors make a machine together
    part.py        the actors of a machine, numbered anew, with their channels and rates in tables
    values.py      parameters and fields, packed into one array for each type
    text.py        the code; it depends on which filters there are, not on how many instances
    state.py       arrays and counters, and the call of the code
    compiling.py   groups whose code compiles
    fused.py       a machine as a station: with its state kept, or beginning anew at each block

Buffers are small enough to stay in the cache, so items go from filter to filter within it.
"""
