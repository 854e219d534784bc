"""The loop tier: a line of operators as one Python loop over columns.

    body.py   The body of a user's function inside of a loop: its names made its own
    kinds.py  What each kind of operator is in a loop
    run.py    The loop of a line of operators, and a run of it: columns in, columns out
    text.py   The text of a loop, in which no record is made
"""
