"""The operators of SPL's toolkits, each lowered to operators of ours.

    barriers.py    Barrier and Pair: tuples of several ports that belong together
    control.py     DeDuplicate, Switch, Gate and others of the utility toolkit
    ends.py        Beacon, files, folders and sockets: where streams begin and end
    joins.py       Join: tuples of two ports that are in each other's windows
    relational.py  Functor, Filter, Union, Punctor, and Custom with its logic
    split.py       Split: tuples go to ports by an index, or by what a file says of keys
    windows.py     Aggregate and Sort, and the windows of these and of Join
"""
