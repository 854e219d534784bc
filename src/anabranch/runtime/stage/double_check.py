"""The second line of defence: an operator's first items run in a second order.

The analysis has proved, or the user has declared, that an operator is a function of its items, or
of those of one key. Then it does not matter in which order items come, or keys. So the first items
of a parallel operator are run again, the last one first, or the last key first with a new state. An
operator that remembers something else gives itself away, and the run stops before its answer could
depend on the number of workers. To run a pure function twice does no harm; others are left alone.

>>> from itertools import count
>>> from anabranch.ir.function import Function
>>> from anabranch.ir.operators import Map
>>> number = count()
>>> def numbered(item): return f"{item}{next(number)}"
>>> sample = FirstItems(Operator("numbered", Map(Function.of(numbered))))
>>> for item in "ab":
...     sample.add(0, item, [[numbered(item)]])
>>> sample.difference()
Difference(item='b', first=['b1'], second=['b2'])
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from anabranch.analysis.fact import OperatorFacts, StateKind
from anabranch.batch.failure import shortened
from anabranch.batch.likeness import Uncopied, alike, copied
from anabranch.core.errors import RunError
from anabranch.ir.graph import Operator
from anabranch.ir.operators import Cell, Fused, Keyed, key_function
from anabranch.ir.windows import LateRow
from anabranch.plan.logical.plan import Plan

MOST = 64
"""So many items of an operator are run again, at most."""

SECONDS = 0.02
"""It stops after so many seconds: expensive functions are run again for a few items."""

FIRST_SLICES = 4
"""Only items of so many slices are looked at."""


def is_early(number: int | tuple[int, int]) -> bool:
    """Whether this is the number of one of the first slices."""
    return (number if isinstance(number, int) else sum(number)) < FIRST_SLICES


class Difference(NamedTuple):
    """An item, and what was made of it under both schedules."""

    item: object
    first: list
    second: list


class Raised(NamedTuple):
    """In the place of outputs: the operator failed."""

    error: str

    def __repr__(self) -> str:
        return f"a failure ({self.error})"


class Tried(NamedTuple):
    """An item as it was before the operator saw it, and what was made of it, by port."""

    port: int
    item: object
    outputs: Sequence[Sequence]


class Doubts:
    """The operators of a run that may be run twice, and whether the user says that they are pure.
    Of each, the first that `asks` has a sample: several may run it, for workers or buckets."""

    def __init__(self, plan: Plan):
        self.declared = dict(_checked(plan))
        self.samples: dict[str, tuple[object, FirstItems]] = {}

    def sample(self, asks: SampledStep) -> FirstItems | None:
        """Its sample, if it has one."""
        op = asks.op
        if op.name not in self.declared:
            return None
        owner, sample = self.samples.setdefault(
            op.name, (asks, FirstItems(op, self.declared[op.name])))
        return sample if owner is asks else None


class SampledStep(Protocol):
    """What runs an operator."""

    op: Operator


class FirstItems:
    """The first items of an operator with what was made of them; who is `busy` with it `close`s it.
    """

    def __init__(self, op: Operator, declared: bool = False):
        self.op, self.declared, self.tried, self.seconds = op, declared, [], 0.0
        self.compared = 0
        self.busy = threading.Lock()

    def close(self) -> None:
        self.busy.release()

    @property
    def room(self) -> int:
        return MOST - len(self.tried) if self.seconds < SECONDS else 0

    def add(self, port: int, item: object, outputs: Sequence[Sequence]) -> None:
        self.tried.append(Tried(port, item, outputs))

    def end(self) -> None:
        """Lets no more items in."""
        self.seconds = SECONDS

    def difference(self) -> Difference | None:
        """The first one that the second schedule makes, if there is one."""
        began = time.perf_counter()
        try:
            for one, again in self._second_schedule():
                if not all(map(alike, one.outputs, again)):
                    return Difference(one.item, _flat(one.outputs), _flat(again))
                if time.perf_counter() - began > SECONDS:
                    break
        except Uncopied:
            self.end()
        self.seconds += time.perf_counter() - began
        return None

    def error(self, found: Difference) -> RunError:
        help = "keep what it remembers in an ab.State, " + (
            "or declare no pure=True" if self.declared else
            "or report this: the analysis took it for a function of its items alone")
        return RunError(
            f"{self.op.name} gives two answers for {shortened(repr(found.item))}: it remembers "
            "more than it seems to, and would give others with other workers", self.op.span,
            expected=f"{_shown(found.first)}, as with the tuples in their order",
            got=f"{_shown(found.second)}, with the same tuples in another order", help=help)

    def _second_schedule(self) -> Iterator[tuple[Tried, list]]:
        for group in reversed(self._groups()):
            cells = [Cell(self.op.kind.start()) for _ in self.op.variables]
            fire = self.op.kind.open(cells)
            for one in group:
                yield one, self._again(fire, one)

    def _groups(self) -> list[list[Tried]]:
        """Items that belong together: those of a key, from its first on, or each new one alone."""
        if not self.op.variables:
            new, self.compared = self.tried[self.compared:], len(self.tried)
            return [[one] for one in new]
        keys = [key_function(self.op.kind.keys_of(port)) for port in range(self.op.kind.ports)]
        groups: dict[object, list[Tried]] = {}
        for one in self.tried:
            groups.setdefault(keys[one.port](one.item), []).append(one)
        return list(groups.values())

    @staticmethod
    def _again(fire, one: Tried) -> list[list]:
        outputs: list[list] = [[] for _ in one.outputs]
        try:
            for port, out in fire(one.port, copied(one.item)):
                outputs[port].append(out)
        except Uncopied:
            raise
        except LateRow:
            # It was one the first time, too, or there would be outputs to compare.
            return [[] for _ in one.outputs]
        except (Exception, SystemExit) as error:
            return [[Raised(f"{type(error).__name__}: {error}")] for _ in one.outputs]
        return outputs


def _checked(plan: Plan) -> Iterator[tuple[str, bool]]:
    """The pure operators, and whether that is the user's word for it."""
    for op in plan.graph:
        facts = plan.facts.get(op.name)
        if facts is not None and not facts.purity.value:
            for part in _parts(op):
                if _can_be_checked(part, facts):
                    yield part.name, facts.purity.declared


def _parts(op: Operator) -> Iterable[Operator]:
    return [inner for part in op.kind.parts for inner in _parts(part)] if (
        isinstance(op.kind, Fused)) else [op]


def _can_be_checked(op: Operator, facts: OperatorFacts) -> bool:
    if op.is_source or op.is_sink or not op.kind.functions:
        return False
    by_key = isinstance(op.kind, Keyed) and len(op.variables) == 1 and (
        facts.state.value.kind is StateKind.PARTITIONED)
    return by_key or not op.variables


def _flat(outputs: Iterable[Iterable]) -> list:
    return [out for port in outputs for out in port]


def _shown(outputs: list) -> str:
    return shortened(repr(outputs)) if outputs else "nothing"
