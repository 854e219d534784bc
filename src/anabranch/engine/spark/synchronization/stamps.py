"""The stamps of events: one number for the place of a slice and the place of a row in it.

>>> numbering = Numbering(base=100)
>>> stamp = numbering.first((103, 7)) + 12
>>> numbering.number_of(stamp), row_of(stamp), numbering.number_of(stamp)[0] == LAST
((103, 7), 12, False)
"""

from __future__ import annotations

from dataclasses import dataclass

from anabranch.engine.spark.pieces import LAST, Number
from anabranch.errors import RunError
from anabranch.sync.messages import END

PART_BITS, SLICE_BITS, ROW_BITS = 17, 20, 25
"""Together they stay below the stamp that stands behind all events."""


@dataclass(frozen=True)
class Numbering:
    """The parts of the input are numbered from `base` on."""

    base: int

    def first(self, number: Number, rows: int = 0) -> int:
        """The stamp of the first row of a slice, which has so many."""
        part, count = number
        part = _packed(part if part == LAST else part - self.base, PART_BITS)
        if rows >> ROW_BITS:
            raise _too_many(rows)
        return ((part << SLICE_BITS) + _packed(count, SLICE_BITS)) << ROW_BITS

    def number_of(self, stamp: int) -> Number:
        """The slice of a stamp; one behind all events is in none of theirs."""
        part, count = divmod(min(stamp, END - 1) >> ROW_BITS, 1 << SLICE_BITS)
        return _unpacked(part, PART_BITS, self.base), _unpacked(count, SLICE_BITS)


def row_of(stamp: int) -> int:
    return stamp & ((1 << ROW_BITS) - 1)


def _packed(half: int, bits: int) -> int:
    """The half of a number of a slice in so many bits; all of them stand for the last."""
    last = (1 << bits) - 1
    if half != LAST and half >= last:
        raise _too_many(half)
    return min(half, last)


def _unpacked(half: int, bits: int, base: int = 0) -> int:
    return LAST if half == (1 << bits) - 1 else base + half


def _too_many(count: int) -> RunError:
    return RunError("the input is too large for a gang of tasks", got=f"number {count}")
