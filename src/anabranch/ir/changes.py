"""Items of one time in order, and the changes of windows as items.

Ties are in order without waiting for the end of the input: items come in the order of a time, those
of one time are held back, and are given in the order of other attributes when the first of a later
time comes, or at the end; None comes first.

The changes of a window are items too: each row when it enters, and again when it leaves. A window
of a time has the rows of the last `after`, one of a number the last `count` rows. What leaves comes
out before what enters at that time; nothing leaves after the last row.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from anabranch.core.errors import RunError
from anabranch.ir.operators import Keyed
from anabranch.ir.times import moment


@dataclass(frozen=True)
class SortTies(Keyed):
    """The items of one time `on` in the order of the attributes `keys`; equal ones as they came.

    With `weight`, an attribute that says how often an item is added or, below zero, taken away,
    those that are equal in `keys` become one, which has the sum; none if that is zero. What is
    taken away then comes first.
    """

    label = "sort"
    on: str
    keys: tuple[str, ...]
    reverse: bool = False
    by: tuple[str, ...] = ()
    weight: str | None = None

    def new_state(self) -> list:
        return []

    def fire_key(self, state: list, port: int, item: object):
        out = ()
        if state and getattr(state[0], self.on) != (time := getattr(item, self.on)):
            if moment(time) < moment(before := getattr(state[0], self.on)):
                raise RunError(f"a row comes late: its {self.on} is {time}, and {before} has "
                               "been seen", help=f"sort the input by {self.on}")
            out = self._in_order(state)
            state.clear()
        state.append(item)
        return out

    def finish_key(self, state: list, key: object):
        return self._in_order(state)

    def _in_order(self, items: Iterable[object]) -> list[tuple[int, object]]:
        values = [attrgetter(name) for name in self.keys]

        def place(item: object) -> list[tuple[bool, object]]:
            return [(value is not None, value) for value in (of(item) for of in values)]
        if self.weight is not None:
            items = sorted(self._sums(items), key=lambda item: getattr(item, self.weight) > 0)
            return [(0, item) for _, group in groupby(
                items, key=lambda item: getattr(item, self.weight) > 0)
                for item in sorted(group, key=place)]
        return [(0, item) for item in sorted(items, key=place, reverse=self.reverse)]

    def _sums(self, items: Iterable[object]) -> Iterable[object]:
        """Each different item, as often as all that are equal to it together."""
        sums: dict[tuple, list] = {}
        for item in items:
            key = tuple(getattr(item, name) for name in self.keys)
            sums.setdefault(key, [item, 0])[1] += getattr(item, self.weight)
        return [item.replace(**{self.weight: n}) for item, n in sums.values() if n]


@dataclass(frozen=True)
class WindowChanges(Keyed):
    """For each item records of the class `into`: a time, how often a row is added (1 or -1), and
    the fields of the item behind its first one, which is its time."""

    label = "window"
    into: type
    after: object = None
    count: int | None = None
    by: tuple[str, ...] = ()

    def new_state(self) -> deque:
        return deque()

    def fire_key(self, state: deque, port: int, item: tuple):
        out, now = [], item[0]
        while state and (left := self._left(state[0], now, len(state))) is not None:
            out.append((0, self.into(left, -1, *state.popleft()[1:])))
        if self.after is not None or self.count is not None:
            state.append(item)
        out.append((0, self.into(now, 1, *item[1:])))
        return out

    def _left(self, item: tuple, now: object, held: int) -> object:
        """When an item has left, if it has."""
        if self.count is not None:
            return now if held >= self.count else None
        try:
            end = item[0] + self.after
        except OverflowError:
            # A time after the last one there is never comes.
            return None
        return end if end <= now else None
