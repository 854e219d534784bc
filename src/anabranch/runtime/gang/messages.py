"""What workers of a plan send each other: plain data, so that it can travel.

A stamp is the place of an event in the operator's input; no two events have the same.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from anabranch.plan.sync.plan import Shard

END = 1 << 62
"""A stamp behind all events: that of the last request for a state."""

NEVER = END + 1
"""The timer of who sends nothing more."""


@dataclass(frozen=True)
class Run:
    """Events of one shard, or outputs, in order; stamps may be an array, and items columns."""

    stamps: Sequence[int]
    items: Sequence[object]

    def __len__(self) -> int:
        return len(self.stamps)

    def parted(self, stamp: int) -> tuple[Run, Run]:
        """The events before the stamp, and the others.

        >>> Run([1, 4], "ab").parted(4)
        (Run(stamps=[1], items='a'), Run(stamps=[4], items='b'))
        """
        at = bisect_left(self.stamps, stamp)
        return self.cut(0, at), self.cut(at, len(self))

    def cut(self, first: int, last: int) -> Run:
        return Run(self.stamps[first:last], self.items[first:last])


NOTHING = Run((), ())


class Events(NamedTuple):
    """To the worker that takes a shard: its next events, and the stamp before which no other will
    come. Without events it is a heartbeat."""

    shard: Shard
    run: Run
    until: int


class Offer(NamedTuple):
    """To each of the workers that share a pool, by its number: the next events, of which each takes
    some, and the stamp before which no other will come."""

    pool: int
    run: Run
    until: int


class Ask(NamedTuple):
    """To the worker below: give me your state, as it is before this stamp. The root is asked by
    the engine, at the end of the input."""

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
    """To the engine: outputs with the stamps of their events, and the stamp before which no other
    will come from this worker. After a failure, which has that stamp, it does nothing more.
    `seconds` is how long all its updates took so far."""

    worker: int
    outputs: list[Run]
    until: int
    failure: BaseException | None = None
    seconds: float = 0.0


Message = Events | Offer | Ask | Floor | Up | Down
