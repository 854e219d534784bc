"""Slices and batches: items that travel together, and how they are merged and routed.

    buckets.py       Buckets: which of them an item's key belongs to, found for many items at once
    failure.py       A user's function that raises: the operator's line, the tuple, the traceback
    fields.py        Records of one class as columns of values, and sequences made when looked at
    items.py         The items of one queue in one slice, in columns until somebody wants objects
    likeness.py      Whether two values print the same, and copies for one who compares
    memory.py        Memory that the processes of a run share: what they give each other lies here
    merge.py         Streams merged by an attribute, in columns, as `union(on=...)` does by item
    narrow.py        Columns of which only some have been read from a file
    outcomes.py      Outcomes of different rows, put together in the order of the rows
    packs.py         Items left in shared memory: passed on unseen, a list when somebody looks
    record_batch.py  Items as Arrow record batches and back; the columns are those of `io.columns`
    slices.py        Slices: consecutive source tuples, and what became of them on each queue
    transport.py     Rows on their way to a worker process and back
    value_codec.py   Any value of a program as bytes and back: saved state, items of unknown type
"""
