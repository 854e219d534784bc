"""Keys too frequent for one worker: their windows are computed in parts, by all.

Which stages have their hot keys split, and what then stands in front of them. Parts, joined, must
be what one fold over all values gives, to the last bit. They are not where floats are added up, as
sums are rounded; nor where values are compared of which some are neither less than another nor
more, unless these are left out of the parts.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from anabranch.analysis.typing.inference import infer_result
from anabranch.analysis.typing.types import DictOf, ItemsOf, SetOf, TupleOf, fields_of_class
from anabranch.core.once import once
from anabranch.ir import aggregates
from anabranch.ir.aggregates import Call, Max, Mean, Min, Sum
from anabranch.ir.function import Function
from anabranch.ir.graph import Graph, Operator, Queue
from anabranch.ir.operators import WHOLE_ITEM, Kind, key_function
from anabranch.ir.synchronization import Synchronized
from anabranch.ir.times import elapsed_of, is_aware
from anabranch.ir.types import (
    ANY,
    BOOL,
    BYTES,
    FLOAT,
    INT,
    STR,
    TIMESTAMP,
    ListOf,
    OptionalOf,
    RecordOf,
    Type,
    fields_of,
    without_none,
)
from anabranch.ir.windows import AggregateWindow, KeyState, Open
from anabranch.plan.logical.plan import Reason
from anabranch.plan.physical.stages import Sharing, Stage, with_front
from anabranch.plan.physical.tiers import Tier
from anabranch.plan.sync.program import hot_keys


def split(graph: Graph, stages: Sequence[Stage], tiers: dict[int, Tier], workers: int
          ) -> tuple[Graph, list[Stage], dict[int, Tier]]:
    """The same with a stage in front of each whose hot keys can be split."""
    found: list[tuple[Stage, Tier | None]] = []
    for stage in stages:
        tier = tiers.get(stage.index)
        if _can_be_split(graph, stage, tier):
            before, stage = _apart(stage, workers)
            graph = with_front(graph, before.operators[0], stage.operators[0],
                               Queue(before.outputs[0]))
            found.append((before, Tier(None, Reason(
                f"hot keys of {stage.name}, found while it runs, are put together by all workers",
                stage.operators[0].span))))
        found.append((stage, tier))
    numbered = [(replace(stage, index=index), tier) for index, (stage, tier) in enumerate(found)]
    return (graph, [stage for stage, _ in numbered],
            {stage.index: tier for stage, tier in numbered if tier is not None})


def _can_be_split(graph: Graph, stage: Stage, tier: Tier | None) -> bool:
    return tier is not None and _has_keys(stage) and why_whole(graph, stage, tier) is None


def hot_keys_told(graph: Graph, stage: Stage, tier: Tier) -> str:
    """What `explain` says of a stage with keys, some of which may be hot."""
    if tier.kernel is None or not any(isinstance(op.kind, Synchronized) and op.kind.by
                                      for op in stage.operators):
        return windows_told(graph, stage, tier)
    if stage.sharing is Sharing.PLAN:
        return "hot keys are split where that pays, and workers meet for them in compiled code"
    return f"hot keys are not split: {why_not_split(graph, stage)}" if tier.has_loops else \
        "all keys in one place: to take columns apart by keys takes longer than most updates"


def why_not_split(graph: Graph, stage: Stage) -> str | None:
    """Why the keys of a compiled synchronized stage go by buckets; None if hot ones are split."""
    # Numba takes half a second to import.
    from anabranch.kernels.native.team.kernel import team_kernel

    op, *others = stage.operators
    if others:
        return "the operators that it goes together with have to see whole keys"
    if not op.kind.splits_keys:
        return "what keys emit at the end comes in the order in which they came first"
    if op.kind.by == WHOLE_ITEM:
        return "the whole item is the key"
    return "its fork or its join has no compiled form" if team_kernel(graph, op) is None else None


def windows_told(graph: Graph, stage: Stage, tier: Tier) -> str:
    """The same of windows alone."""
    why = why_whole(graph, stage, tier) if _has_keys(stage) else None
    return f"hot keys are not split: {why}" if why else ""


def _has_keys(stage: Stage) -> bool:
    kind = stage.operators[0].kind
    return isinstance(kind, AggregateWindow) and type(kind) is not OfParts and bool(kind.by)


def why_whole(graph: Graph, stage: Stage, tier: Tier) -> str | None:
    """Why each key of a stage of windows stays with one worker; None if hot ones are split."""
    op = stage.operators[0]
    if tier.kernel is not None or stage.sharing is not Sharing.BUCKETS:
        return "its rows take less time than it would take to put parts together"
    if op.kind.by == WHOLE_ITEM:
        return "the whole item is the key"
    if op.kind.tolerant:
        return "items that come late are told one by one"
    if not op.kind.window.by_time:
        return "where windows end by count, all items of a key must be counted by one"
    if any(call.where for _, call in op.kind.calls):
        return "its aggregates see different items"
    inexact = [name for name, call in op.kind.calls
               if not joins_exactly(call, graph.input_types(op)[0])]
    return f"parts of {', '.join(inexact)} joined would not be what one fold gives, as there is " \
           "no join, or there may be floats" if inexact else None


def _apart(stage: Stage, workers: int) -> tuple[Stage, Stage]:
    first, *others = stage.operators
    name = f"parts of {first.name}"
    before = Operator(name, InParts(first.kind, workers), first.inputs, (name,), span=first.span)
    kind = OfParts(**{f: getattr(first.kind, f) for f in first.kind.__dataclass_fields__})
    joining = replace(first, kind=kind, inputs=(name,))
    return (Stage(stage.index, (before,), Sharing.ANY, first.inputs, (name,)),
            replace(stage, operators=(joining, *others), inputs=(name,)))


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
        return [call.fold() for _, call in self.of.calls]

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


PLAIN = {BOOL, INT, STR, BYTES, TIMESTAMP}
"""Types whose values have one order, and which nothing rounds."""


def joins_exactly(call: Call, item: Type) -> bool:
    """Whether the aggregate, over values of such items, may be computed in parts."""
    if call.aggregate in (Sum, Mean):
        return _value_type(call, item) in (INT, BOOL)
    if compares(call):
        kind = without_none(_value_type(call, item))
        return kind == FLOAT or _is_plain(kind)
    built_in = call.aggregate.__module__ == aggregates.__name__
    return call.aggregate.can_join() and (built_in or not any(
        map(_may_be_rounded, fields_of_class(call.aggregate).values())))


def compares(call: Call) -> bool:
    """Whether the aggregate depends on an order of the values: a NaN has no place in it."""
    return call.aggregate in (Min, Max)


def _value_type(call: Call, item: Type) -> Type:
    if isinstance(call.value, Function):
        return infer_result(call.value, [item])
    return (fields_of(item) or {}).get(call.value, ANY) if call.value else item


def _may_be_rounded(kind: Type) -> bool:
    """Whether a value of a state may hold a sum of floats. In a set values are only kept.

    >>> [_may_be_rounded(kind) for kind in (INT, ListOf(FLOAT), SetOf(FLOAT), DictOf(STR, ANY))]
    [False, True, False, True]
    """
    match kind:
        case SetOf():
            return False
        case DictOf(_, item) | ListOf(item) | OptionalOf(item) | ItemsOf(item):
            return _may_be_rounded(item)
        case TupleOf(items):
            return any(map(_may_be_rounded, items))
    return not _is_plain(kind)


def _is_plain(kind: Type) -> bool:
    return kind in PLAIN or (
        isinstance(kind, RecordOf) and set(fields_of_class(kind.cls).values()) <= PLAIN)
