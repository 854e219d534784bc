"""Several actors as one machine: compiled code that fires them until nothing more can fire.

Buffers are small enough to stay in the cache, so items go from filter to filter within it.
"""
