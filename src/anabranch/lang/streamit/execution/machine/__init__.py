"""Several actors as one machine: compiled code that fires them while they can.

Buffers are small enough to stay in the cache, so items go from filter to filter within it.

    firing.py  What the code of machines calls: which actor can fire how often, moved items
    group.py   Which actors make a machine together; numbered anew, with channels and values
    state.py   A machine at work: its arrays, the call of its code, and a station of the line
    text.py    The code of a machine and its filters, compiled and kept in the cache folder
"""
