"""A state shared by workers: they fork it, go through a slice together, and join it.

    distribution.py  Rows dealt out to workers, in native code: those of one tag in turn
    kernel.py        A forked state, with the states of all workers of a plan in native memory
    loop.py          The native functions by which a plan's workers go through a slice together
    shares.py        What the workers of a plan see: their tree, a slice, and who does what of it
    sides.py         What a fork asks of its two sides: whether workers there take a tag's events
"""
