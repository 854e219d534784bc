"""Kernels: a stage, a chain of operators, as one function from a slice to a slice.

    kernel = compile_stage(operators, input_type, output_type)
    state = kernel.start()
    outputs, origins = kernel.run(state, batch, stamp)      # once for each slice
    outputs, order = kernel.finish(state)                   # when the input has ended

A slice is an Arrow record batch whose columns are the fields of the item type
(`record_batch.schema_for`). `origins` has for each output row the input row that caused it, so it
never falls. `stamp` is the place of the batch's first row in the program's order, or an array with
one for each row; `order` has for each final output a stamp by which the final outputs of several
partitions are merged. The first slice waits for the compiler; `warm()`, called in a thread before
that, lets slices flow through rows meanwhile.

`dump(state)` gives bytes, `load` the state again. Where most keys rest between two saves, pages
cost less: each has the keys touched since the page before it.

    page = kernel.changed(state)                  # the first one has all keys
    page = kernel.changed(state, every=True)      # has all keys and replaces all pages before it
    state = kernel.restored(pages)                # the oldest first
    state = kernel.updated(state, pages)          # what was saved after this (saved) state

Bytes and pages hold values only: to read them runs no code of the program or of the kernel.

`tier` is how the stage runs, and `reason` says why not faster, at the user's line:

    native     one compiled loop over columns, without the global interpreter lock
    columns    Arrow's functions on whole columns, for stages without state
    rows       the plain Python loop

All tiers give what the sequential engine gives, to the last bit, in its order, with its errors.
Depends on the IR, the analysis of syntax, and the formats of `io`; the engines depend on it.

    catalyst.py      Operators without state as columns of a Spark DataFrame, exactly as in Python
    changes.py       Changes of a window over whole columns: what leaves is found by a search
    checkpoint.py    Checkpoints in pages: the state of a stage saved piece by piece
    columns.py       The columns tier: stages without state as Arrow functions on whole columns
    construction.py  What an expression makes of an item: a record, a changed copy, or one value
    folder.py        The folder of compiled kernels, with notes on which programs have theirs there
    formulas.py      Expressions as functions from columns to a column, exactly as in Python
    held.py          Kernels over whole columns with a state: a batch of the items that they hold
    kernel.py        Chooses the fastest tier that runs a stage exactly, and the columns it reads
    rows.py          The rows tier: the plain Python loop over items. Always available, always right
    sorting.py       Ties in order, over whole columns: a time's items leave when a later one comes
    stamps.py        Stamps: numbers that say when something happened in the sequential program
    tally.py         What the operators of a kernel did: the rows of each, and its share of time
    loop/            The loop tier: a line of operators as one Python loop over columns
    native/          The native tier: a stage's Python source rewritten into one loop over columns
"""


__all__ = ["Kernel", "compile_stage"]


def __getattr__(name: str):
    """Numba takes half a second to import: whoever needs no more than batches is spared that."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from anabranch.kernels import kernel

    return getattr(kernel, name)
