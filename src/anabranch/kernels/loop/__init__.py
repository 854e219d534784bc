"""The loop tier: a line of operators as one Python loop over columns.

    body.py   A user's function in a loop: its names made its own, its items taken apart
    kinds.py  What each kind of operator is in a loop
    run.py    The loop tier: a line of operators as one Python loop over columns
    text.py   The text of such a loop, in which no record is made
"""
