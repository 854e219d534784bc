"""The sequential engine: the definition of what a program means.

    bulk.py      The source tuples in the program's order, in lists where many are there at once
    run.py       The sequential engine: the definition of what a program means
    straight.py  Graphs without loops as one generated loop: what runs where it can
    watched.py   The sequential engine with a recording: what operators did, how long tuples took
"""
