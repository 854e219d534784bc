"""Ties in order: the items of one time, sorted as soon as a later one comes.

Items come in the order of a time. Those of one time are held back, and are given in the order of
other attributes when the first of a later time comes, or at the end; None comes first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter

from anabranch.core.errors import RunError
from anabranch.ir.operators import Keyed
from anabranch.ir.times import moment


@dataclass(frozen=True)
class SortTies(Keyed):
    """The items of one time `on` in the order of the attributes `keys`; equal ones as they came."""

    label = "sort"
    on: str
    keys: tuple[str, ...]
    reverse: bool = False
    by: tuple[str, ...] = ()

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
        return [(0, item) for item in sorted(items, key=place, reverse=self.reverse)]
