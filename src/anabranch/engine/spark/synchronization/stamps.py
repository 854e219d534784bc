"""The stamps of events: one number for the place of a slice and the place of a row in it.

>>> number_of(first_stamp((3, 7)) + 12), number_of(first_stamp((LAST, 2)))
((3, 7), (1152921504606846976, 2))
"""

from __future__ import annotations

from anabranch.engine.spark.pieces import LAST, Number
from anabranch.errors import RunError
from anabranch.sync.messages import END

PART_BITS, SLICE_BITS, ROW_BITS = 17, 20, 25
"""Together they stay below the stamp that stands behind all events."""

ENDING = (1 << PART_BITS) - 1


def first_stamp(number: Number, rows: int = 0) -> int:
    """The stamp of the first row of a slice, which has so many."""
    part, count = number
    part = ENDING if part == LAST else part
    if part > ENDING or count >> SLICE_BITS or rows >> ROW_BITS:
        raise RunError("the input has too many slices for a gang of tasks",
                       got=f"slice {count} of part {part}, with {rows} rows")
    return ((part << SLICE_BITS) + count) << ROW_BITS


def number_of(stamp: int) -> Number:
    """The slice of a stamp; one behind all events is in none of theirs."""
    if stamp >= END:
        return LAST, LAST
    part, count = divmod(stamp >> ROW_BITS, 1 << SLICE_BITS)
    return (LAST if part == ENDING else part), count


def row_of(stamp: int) -> int:
    return stamp & ((1 << ROW_BITS) - 1)
