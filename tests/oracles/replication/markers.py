"""Joints as operators of an unexpanded graph: they mark where channels begin, cross and end.

As they stand, with a single channel, they pass every item on, so that an unexpanded graph runs and
gives what the program gives. `replicate` puts splitters and mergers in their place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from anabranch.ir.operators import Kind
from anabranch.plan.logical.plan import Ordering, Routing


@dataclass(frozen=True)
class Marker(Kind):
    """`repeats` says that several items may travel under one number."""

    ordering: Ordering
    routing: Routing | None = None
    repeats: bool = False

    begins: ClassVar[bool] = False
    ends: ClassVar[bool] = False

    def open(self, cells):
        return lambda port, item: ((0, item),)


@dataclass(frozen=True)
class SplitMark(Marker):
    """Channels begin behind it; at a parallel source it stands right behind the source."""

    label = "split"
    begins = True


@dataclass(frozen=True)
class MergeMark(Marker):
    """Channels end here; at a parallel sink it stands right before the sink."""

    label = "merge"
    ends = True


@dataclass(frozen=True)
class ShuffleMark(Marker):
    """The channels of two regions cross here."""

    label = "shuffle"
    begins = True
    ends = True
