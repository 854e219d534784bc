"""The operators of SPL's toolkits, each lowered to operators of ours.

    control.py     DeDuplicate, Barrier, Pair, Switch, Gate and others of the utility toolkit
    ends.py        Beacon, files, folders and sockets: where streams begin and end
    joins.py       Join: tuples of two ports that are in each other's windows
    relational.py  Functor, Filter, Split, Union, Punctor, and Custom with its logic
    windows.py     Aggregate and Sort, and the windows of these and of Join
"""
