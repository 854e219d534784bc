"""Keys that come too often for one worker: their windows are computed in parts, by all workers.

Before a stage that aggregates by key stands one without state. Where some keys have more than their
share of a slice, it puts the items of each of these together: one part for all that are in the same
windows, with folds of its own, in the place of the first of them. Between such items no window
begins or ends. The stage behind joins the parts to its windows, so the folds must be such that it
does not matter how they came about. Other items pass as they are.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime

from anabranch.engine.multicore.exact_joins import compares
from anabranch.ir.operators import Kind
from anabranch.ir.operators.keyed import key_function
from anabranch.ir.times import elapsed_of, is_aware
from anabranch.ir.windows import AggregateWindow, KeyState, Open
from anabranch.once import once
from anabranch.sync.keyed import hot_keys

SAMPLE = 64
"""So many items of a slice are looked at, to find keys that come often."""

_CHANCE = random.Random(0)


class Part:
    """Items of one key in the same windows as their folds. In all else it is like the first."""

    def __init__(self, first: object, numbers: range, folds: list, held: int, reached: object):
        self.first, self.numbers, self.folds = first, numbers, folds
        self.held, self.reached = held, reached

    def __getattr__(self, name: str) -> object:
        return getattr(object.__getattribute__(self, "first"), name)

    def __repr__(self) -> str:
        return repr(self.first)

    def __reduce__(self):
        return Part, (self.first, self.numbers, self.folds, self.held, self.reached)


@dataclass(frozen=True)
class InParts(Kind):
    """Not an operator of the program: it puts together items for the windows of another one."""

    label = "parts"
    of: AggregateWindow
    workers: int

    def open(self, cells):
        return lambda port, item: ((0, item),)

    def parted(self, rows: Sequence[int], items: Sequence[object]
               ) -> tuple[Sequence[int], Sequence[object]]:
        """The items, and in place of those with hot keys their parts. If something is wrong with
        one, all pass as they are: the windows will say what it is."""
        parts: dict[object, Part] = {}
        try:
            if not (hot := self._hot(items)):
                return rows, items
            given = [(row, one) for row, item in zip(rows, items)
                     if (one := self._taken(parts, hot, item)) is not None]
        except (Exception, SystemExit):
            return rows, items
        return [row for row, _ in given], [one for _, one in given]

    def _hot(self, items: Sequence[object]) -> set:
        if len(items) < SAMPLE // 2:
            return set()
        # Keys that come in turns would not be seen at places with equal distances.
        some = _CHANCE.choices(items, k=SAMPLE)
        return set(hot_keys(Counter((self._key_of(item), None) for item in some), self.workers))

    def _taken(self, parts: dict[object, Part], hot: set, item: object) -> object | None:
        """What stands for an item: itself, a new part, or nothing where there is one already."""
        key = self._key_of(item)
        if key not in hot:
            return item
        time = getattr(item, self.of.window.on)
        elapsed = elapsed_of(time)
        numbers, part = self.of.window.numbers(elapsed), parts.get(key)
        values = [getter(item) for getter in self._getters]
        if not numbers or any(_has_equals(values[place]) for place in self._compared):
            # It is between two windows, which end before it; or its place decides.
            parts.pop(key, None)
            return item
        is_new = part is None or part.numbers != numbers or (
            is_aware(time) != is_aware(getattr(part, self.of.window.on)))
        if is_new:
            part = parts[key] = Part(item, numbers, self._folds(), 0, elapsed)
        self._add(part, values, elapsed)
        return part if is_new else None

    def _add(self, part: Part, values: list, elapsed: object) -> None:
        for fold, value in zip(part.folds, values, strict=True):
            fold.add(value)
        part.held += 1
        part.reached = max(part.reached, elapsed)

    def _folds(self) -> list:
        return [call.aggregate() for _, call in self.of.calls]

    @once
    def _getters(self) -> list:
        return [call.getter() for _, call in self.of.calls]

    @once
    def _compared(self) -> list[int]:
        return [place for place, (_, call) in enumerate(self.of.calls) if compares(call)]

    @once
    def _key_of(self):
        return key_function(self.of.by)


def _has_equals(value: object) -> bool:
    """Whether it matters which of several values came first: a NaN, or one of the times that are
    equal and not the same.

    >>> _has_equals(float("nan")), _has_equals(2.5), _has_equals(datetime(2024, 5, 1, fold=1))
    (True, False, True)
    """
    if isinstance(value, datetime):
        return bool(value.fold) or not (value.tzinfo is None or value.tzinfo is UTC)
    return value != value


@dataclass(frozen=True)
class OfParts(AggregateWindow):
    """The same windows, over items and parts."""

    def fire_key(self, state: KeyState, port: int, item: object):
        if type(item) is not Part:
            return super().fire_key(state, port, item)
        if state.key is None:
            state.key = {a: getattr(item, a) for a in self.shown}
        state.note(getattr(item, self.window.on))
        closed = self._advance_to(state, item.reached, item.numbers)
        if closed is None:
            return []
        self._join([w for w in state.open if w.number in item.numbers], item)
        return [(0, self._result(state, w)) for w in closed]

    def _join(self, windows: list[Open], part: Part) -> None:
        # A fold may keep what it is joined with, so each window has its own.
        copies = [deepcopy(part.folds) for _ in windows[1:]]
        for window, folds in zip(windows, [part.folds, *copies]):
            window.held += part.held
            for fold, other in zip(window.folds, folds, strict=True):
                fold.join(other)
