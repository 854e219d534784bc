"""What workers of a plan send to each other. All of it is plain data, so that it can travel.

A stamp is the place of an event in the operator's input; no two events have the same.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from anabranch.sync.plan import Shard

END = 1 << 62
"""A stamp behind all events."""


class Run(NamedTuple):
    """Events of one shard, in order, with their stamps."""

    stamps: Sequence[int]
    items: Sequence[object]

    def parted(self, stamp: int) -> tuple[Run, Run]:
        """The events before the stamp, and the others.

        >>> Run([1, 4], "ab").parted(4)
        (Run(stamps=[1], items='a'), Run(stamps=[4], items='b'))
        """
        at = bisect_left(self.stamps, stamp)
        return self.cut(0, at), self.cut(at, len(self.stamps))

    def cut(self, first: int, last: int) -> Run:
        return Run(self.stamps[first:last], self.items[first:last])


NOTHING = Run((), ())


class Events(NamedTuple):
    """To the worker that takes a shard: its next events, and the stamp before which no other will
    come. Without events it is a heartbeat."""

    shard: Shard
    run: Run
    until: int


class Ask(NamedTuple):
    """To a child: give me your state, as it is before this stamp."""

    stamp: int


class Floor(NamedTuple):
    """To a child: I shall not ask for a state before this stamp."""

    until: int


class Up(NamedTuple):
    """To the parent: the state it has asked for."""

    child: int
    state: object


class Down(NamedTuple):
    """To a child: the state from which it goes on."""

    state: object


class Done(NamedTuple):
    """To whoever collects: outputs with the stamps of their events, and the stamp before which no
    other will come from this worker. After a failure, which has the last stamp, it stops."""

    worker: int
    outputs: Run
    until: int
    failure: BaseException | None = None


Message = Events | Ask | Floor | Up | Down
