"""The windowed join: each item meets what the other side has kept for its key."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from anabranch.ir.function import Function
from anabranch.ir.operators import Keyed
from anabranch.ir.times import moment


@dataclass(frozen=True)
class Keep:
    """What a side of a join keeps for each key: its last `count` items, or those of a time span.

    `on` is the time attribute of the side's items; both sides have one when either goes by time.
    """

    count: int | None = None
    time: object = None
    on: str | None = None

    def __str__(self) -> str:
        return f"recent(time={self.time})" if self.time else f"recent(count={self.count})"

    def add(self, kept: deque, item: object) -> None:
        kept.append(item)
        if self.count is not None and len(kept) > self.count:
            kept.popleft()

    def expire(self, kept: deque, now: object) -> None:
        """Drops what lies more than the time span before `now`."""
        while self.time is not None and kept and (
                moment(now) - moment(getattr(kept[0], self.on)) > self.time):
            kept.popleft()


@dataclass(frozen=True)
class WindowJoin(Keyed):
    """`function(left, right)` for every pair of one key that is within both sides' windows.

    An arriving item meets the kept items of the other side, oldest first, then is kept itself.
    With `outer`, a left item that meets nothing gives `function(left, None)`.
    """

    label = "join"
    by: tuple[str, ...]
    by_right: tuple[str, ...]
    keep: tuple[Keep, Keep]
    function: Function
    outer: bool = False

    @property
    def functions(self):
        return (self.function,)

    @property
    def ports(self):
        return 2

    def keys_of(self, port):
        return self.by_right if port else self.by

    def new_state(self):
        return deque(), deque()

    def fire_key(self, state, port, item):
        if (on := self.keep[port].on) is not None:
            for side in (0, 1):
                self.keep[side].expire(state[side], getattr(item, on))
        met = state[1 - port]
        pairs = [(m, item) if port else (item, m) for m in met]
        if self.outer and port == 0 and not met:
            pairs = [(item, None)]
        self.keep[port].add(state[port], item)
        return [(0, self.function.call(left, right)) for left, right in pairs]
