"""The sequential engine: the definition of what a program means.

    run.py       The sequential engine: the definition of what a program means
    straight.py  Graphs without loops as one generated loop: what runs where it can
    watched.py   The sequential engine with a recording: what operators did, how long tuples took
"""
