"""The rows tier: the plain Python loop over items. Always available, always right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
import pyarrow as pa

from anabranch.batch.failure import guarded, user_failure
from anabranch.batch.record_batch import batch_of, each_item
from anabranch.batch.value_codec import decode, encode
from anabranch.core.errors import AnabranchError
from anabranch.core.source import raised_at
from anabranch.ir.graph import Operator
from anabranch.ir.operators import Cell, Fire, Fused, Keyed
from anabranch.ir.types import Type
from anabranch.kernels.checkpoint import Tracked, page_of, put_pages
from anabranch.kernels.stamps import at_end, stamps_of
from anabranch.plan.logical.plan import Reason

Stamped = tuple[int, object]


@dataclass
class RowsState:
    """The variables of a stage. `seen` has, for each keyed operator, the stamps at which its keys
    appeared first, in the order of its dict."""

    cells: dict[str, Cell]
    seen: list[list[int]]


@dataclass(frozen=True)
class RowsKernel:
    """A stage run item by item through `Kind.open`."""

    operators: tuple[Operator, ...]
    input_type: Type
    output_type: Type
    reason: Reason | None = None
    initial: Mapping[str, Callable] | None = None
    tier: str = "rows"
    is_saved: ClassVar[bool] = True
    is_here: ClassVar[bool] = True
    failure: ClassVar[None] = None

    def start(self) -> RowsState:
        cells = {v: Cell(self._first(op, v)) for op in self.operators for v in op.variables}
        return RowsState(cells, [[] for _ in self.operators])

    def tracking(self) -> RowsKernel:
        return self

    def warm(self) -> None:
        """There is nothing to compile."""

    def run(self, state: RowsState, batch: pa.RecordBatch, stamp: int | np.ndarray = 0):
        items, outputs, origins = each_item(batch, self.input_type), [], []
        try:
            self._run(state, items, stamps_of(stamp, len(batch)), outputs, origins)
        except AnabranchError:
            # An item before this one may be wrong too, and then that comes first.
            self._batch(outputs)
            raise
        return self._batch(outputs), np.array(origins, np.int64)

    def _run(self, state: RowsState, items: Iterable, stamps: np.ndarray, outputs: list,
             origins: list[int]) -> None:
        steps, keyed = self._steps(state), self._keyed(state)
        for number, (item, stamp) in enumerate(zip(items, stamps.tolist())):
            came = _through(steps, (item,))
            for states, seen in keyed:
                if len(states) > len(seen):
                    seen += [stamp] * (len(states) - len(seen))
            if came:
                outputs += came
                origins += [number] * len(came)

    def finish(self, state: RowsState):
        outputs = list(self._finished(state))
        return (self._batch(item for _, item in outputs),
                np.array([stamp for stamp, _ in outputs], np.int64))

    def dump(self, state: RowsState) -> bytes:
        values = {name: dict(cell.value) if isinstance(cell.value, Tracked) else cell.value
                  for name, cell in state.cells.items()}
        return encode([values, state.seen])

    def load(self, data: bytes) -> RowsState:
        values, seen = decode(data)
        return RowsState({name: Cell(value) for name, value in values.items()}, seen)

    def changed(self, state: RowsState, every: bool = False) -> bytes:
        return page_of(state.cells, self._stamped(state), every)

    def restored(self, pages: Iterable[bytes]) -> RowsState:
        return self.updated(self.start(), pages)

    def updated(self, state: RowsState, pages: Iterable[bytes]) -> RowsState:
        put_pages(state.cells, self._stamped(state), pages)
        return state

    def _stamped(self, state: RowsState) -> dict[str, list[int]]:
        """The variables that map keys to states, with the stamps of their keys."""
        return {op.variables[0]: seen for op, seen in zip(self.operators, state.seen)
                if isinstance(op.kind, Keyed) and op.kind.stateful}

    def _finished(self, state: RowsState) -> Iterable[Stamped]:
        steps, keyed = self._steps(state), self._keyed(state)
        for index, op in enumerate(self.operators):
            for stamp, item in self._emitted(op, state, index):
                yield from ((stamp, out) for out in _through(steps[index + 1:], (item,)))
                for states, seen in keyed:
                    seen += [stamp] * (len(states) - len(seen))

    def _emitted(self, op: Operator, state: RowsState, index: int) -> list[Stamped]:
        """What an operator emits at the end, each with the stamp of its key's end."""
        cells = _cells(op, state)
        before = sum(bool(o.variables) for o in self.operators[:index])
        if not isinstance(op.kind, Keyed) or not op.kind.stateful:
            return [(at_end(before, 0), out) for _, out in guarded(op, op.kind.finish, cells)]
        if getattr(op.kind, "at_end", op) is None:
            return []
        keyed = zip(state.seen[index], cells[0].value.items())
        return [(at_end(before, stamp), out) for stamp, (key, own) in keyed
                for _, out in guarded(op, partial(op.kind.finish_key, own, key))]

    def _keyed(self, state: RowsState) -> list[tuple[dict, list[int]]]:
        """The states of each keyed operator, and the stamps of those known so far."""
        return [(state.cells[name].value, seen) for name, seen in self._stamped(state).items()]

    def _steps(self, state: RowsState) -> list[tuple[Operator, Fire]]:
        return [(op, op.kind.open(_cells(op, state))) for op in self.operators]

    def _first(self, op: Operator, variable: str) -> object:
        return ((self.initial or {}).get(variable) or op.kind.start)()

    def _batch(self, items: Iterable) -> pa.RecordBatch:
        return batch_of(items, self.output_type, self.operators[-1].span)


def _cells(op: Operator, state: RowsState) -> list[Cell]:
    return [state.cells[v] for v in op.variables]


def _through(steps: list[tuple[Operator, Fire]], items: Iterable) -> Iterable:
    """What comes out behind all steps. Errors are told apart here, not around each call, because
    this loop is what every tuple of the rows tier costs."""
    op = item = None
    try:
        for op, fire in steps:  # noqa: B007 (for the error)
            came = []
            for item in items:
                came += [out for _, out in fire(0, item)]
            items = came
    except AnabranchError as error:
        error.where = error.where or raised_at(error) or op.span
        raise
    except Exception as error:
        raise user_failure(op, error, item) from error
    return items


def unfused(operators: Iterable[Operator]) -> tuple[Operator, ...]:
    """The operators with every fused one replaced by its parts."""
    parts = []
    for op in operators:
        parts += unfused(op.kind.parts) if isinstance(op.kind, Fused) else (op,)
    return tuple(parts)
