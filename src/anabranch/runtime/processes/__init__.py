"""Worker processes: how they are forked, what they are told, the memory shared.

    background.py  A process of its own that compiles kernels, for this run or for those to come
    child.py       The life of a worker process: it answers requests until its wire is closed
    messages.py    What a run and its worker processes tell each other about flows of items
    pool.py        Worker processes for lines of plain Python, which would hold the lock here
"""
