"""Stages in worker processes: who is given what, how buckets change hands.

    balance.py      Balance: which buckets should leave a process that has too much to do
    moving.py       Buckets change hands: from home to processes, between them, and home again
    owners.py       Owners: what each owner of a stage's buckets has to do, and who gets which
    partitioned.py  A partitioned stage in processes: each owns buckets of keys, with their state
    stage.py        Stages in worker processes, and the thread that gives all of them their work
"""
