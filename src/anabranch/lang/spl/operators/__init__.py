"""The operators of SPL's toolkits, each lowered to operators of ours.

    control.py     DeDuplicate, Barrier, Pair, Switch, Gate and others of the utility toolkit
    ends.py        Beacon, FileSource, FileSink, DirectoryScan: where streams begin and end
    relational.py  Functor, Filter, Split, Union, Punctor, and Custom with its logic
    windows.py     Aggregate, Sort and Join: what works on windows
"""
