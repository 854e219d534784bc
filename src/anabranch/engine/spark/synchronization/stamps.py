"""The stamps of events: one number for the place of a slice and the place of a row in it.

>>> number_of(first_stamp((3, 7)) + 12), row_of(first_stamp((3, 7)) + 12)
((3, 7), 12)
>>> number_of(first_stamp((LAST, 2))) == (LAST, 2)
True
"""

from __future__ import annotations

from anabranch.engine.spark.pieces import LAST, Number
from anabranch.errors import RunError
from anabranch.sync.messages import END

PART_BITS, SLICE_BITS, ROW_BITS = 17, 20, 25
"""Together they stay below the stamp that stands behind all events."""


def first_stamp(number: Number, rows: int = 0) -> int:
    """The stamp of the first row of a slice, which has so many."""
    part, count = _packed(number[0], PART_BITS), _packed(number[1], SLICE_BITS)
    if rows >> ROW_BITS:
        raise _too_many(rows)
    return ((part << SLICE_BITS) + count) << ROW_BITS


def number_of(stamp: int) -> Number:
    """The slice of a stamp; one behind all events is in none of theirs."""
    if stamp >= END:
        return LAST, LAST
    part, count = divmod(stamp >> ROW_BITS, 1 << SLICE_BITS)
    return _unpacked(part, PART_BITS), _unpacked(count, SLICE_BITS)


def row_of(stamp: int) -> int:
    return stamp & ((1 << ROW_BITS) - 1)


def _packed(half: int, bits: int) -> int:
    """The half of a number of a slice in so many bits; all of them stand for the last."""
    last = (1 << bits) - 1
    if half != LAST and half >= last:
        raise _too_many(half)
    return min(half, last)


def _unpacked(half: int, bits: int) -> int:
    return LAST if half == (1 << bits) - 1 else half


def _too_many(count: int) -> RunError:
    return RunError("the input is too large for a gang of tasks", got=f"number {count}")
