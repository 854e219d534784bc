"""Loops: the heavy operators of a round are computed ahead, in worker processes.

A loop runs as the sequential engine runs it, item by item. But what will reach an operator next is
often waiting already, in front of operators that only hand it on; then its firings are computed at
the same time, and taken when their turn comes. So nothing is seen of it but the time: a firing that
fails does so in its turn, and one whose turn never comes is forgotten.

    upcoming.py   what will reach an operator next     ahead.py   its firings, here or in processes
    errands.py    requests to the processes            crew.py    the processes of all loops
"""
