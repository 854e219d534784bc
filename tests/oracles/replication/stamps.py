"""Stamps: a tuple's place in the sequential order, carried with it through the channels.

A stamp is a tuple that compares as the order goes: `(0, n)` is the n-th item, and
`(1, position)` what the operator at that position emits when the input has ended. Longer stamps
order the items that have one cause: by input port, by place among the outputs of a firing.

>>> (0, 7) < (0, 7, 1) < (0, 8) < final_stamp((3,))
True
"""

from __future__ import annotations

from typing import NamedTuple

Stamp = tuple

NEVER: Stamp = (-1,)
"""Before all stamps: what a channel has shown that has shown nothing."""

ENDED: Stamp = (1,)
"""After all items, before what operators emit at the end."""

_ROUND = 2
"""So many components say which item, or which operator's end, caused a tuple."""


class Stamped(NamedTuple):
    """An item with its stamp, and the input port of the operator that it goes to."""

    stamp: Stamp
    item: object
    port: int = 0


class Pulse(NamedTuple):
    """A promise: whatever comes later on this queue has no smaller stamp."""

    stamp: Stamp


def numbered(number: int) -> Stamp:
    return (0, number)


def successor(stamp: Stamp) -> Stamp:
    """The next stamp, where numbers have no gaps; the stamp itself where that is not known."""
    return numbered(stamp[1] + 1) if stamp[0] == 0 and len(stamp) == _ROUND else stamp


def final_stamp(position: tuple[int, ...], *first: Stamp) -> Stamp:
    """Of what an operator emits at the end, for the key that appeared with the stamp `first`."""
    return (*ENDED, position, *first)


def is_final(stamp: Stamp) -> bool:
    return stamp[:1] == ENDED


def finished(position: tuple[int, ...]) -> Pulse:
    """The operator at this position, and all before it, have emitted their last."""
    return Pulse((*ENDED, (*position, float("inf"))))


def at_port(stamp: Stamp, port: int) -> Stamp:
    """The stamp among those of several inputs: of one round, the first port's items go first.

    >>> at_port((0, 7, 2), 1)
    (0, 7, 1, 2)
    """
    return (*stamp[:_ROUND], port, *stamp[_ROUND:])
