"""The columns tier: stages without state as Arrow functions on whole columns.

It computes what native code cannot, such as a text made of several columns. Arrow evaluates every
branch for every row; where that raises, the slice is given to the rows tier, which knows better.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from anabranch.analysis.syntax import FunctionSyntax, syntax_of
from anabranch.batch.record_batch import batch_of, conform, schema_for
from anabranch.io.arrow.schema import batch_like, has_times
from anabranch.io.columns import columns_of
from anabranch.ir.function import Function
from anabranch.ir.operators import Filter, Map
from anabranch.ir.types import FLOAT, RecordOf, Type
from anabranch.kernels.formulas import Formula, FormulaItem, formula, formulas
from anabranch.kernels.native.translate.values import KINDS, Unsupported
from anabranch.kernels.rows import RowsKernel, RowsState
from anabranch.kernels.tally import Tally
from anabranch.plan.logical.plan import Reason


@dataclass(frozen=True)
class ColumnsStep:
    """One operator: the formulas of its output's columns, or the condition of a filter."""

    columns: tuple[Formula, ...] = ()
    condition: Formula | None = None


@dataclass(frozen=True)
class ColumnsKernel:
    """A stage without state; `rows` is the same stage in the rows tier."""

    rows: RowsKernel
    steps: tuple[ColumnsStep, ...]
    widens: bool = False
    reason: Reason | None = None
    tier: str = "columns"
    is_saved: ClassVar[bool] = True
    is_here: ClassVar[bool] = True
    failure: ClassVar[None] = None

    def start(self) -> None:
        return None

    def tracking(self) -> ColumnsKernel:
        return self

    def warm(self) -> None:
        """There is nothing to compile."""

    def run(self, state: None, batch: pa.RecordBatch, stamp: int | np.ndarray = 0):
        outputs, origins, done = self.advance(state, batch, stamp)
        return (outputs, origins) if done == len(batch) else (
            self.rows.run(self.rows.start(), batch, stamp))

    def advance(self, state: None, batch: pa.RecordBatch, stamp: int | np.ndarray = 0,
                tally: Tally | None = None):
        """The outputs, their origins, and how many rows are done: all or none."""
        own = Tally(len(self.steps)) if tally is None else tally
        try:
            return *self._computed(conform(batch, self.rows.input_type), own), len(batch)
        except (pa.ArrowException, ArithmeticError, ValueError, LookupError):
            return batch_of([], self.rows.output_type), np.zeros(0, np.int64), 0

    def to_rows(self, state: None) -> RowsState:
        return self.rows.start()

    def from_rows(self, rows: RowsState) -> None:
        """There is no state to take over."""

    def finish(self, state: None, tally: Tally | None = None):
        return self.rows.finish(self.rows.start())

    def dump(self, state: None) -> bytes:
        return b""

    def load(self, data: bytes) -> None:
        return None

    def changed(self, state: None, every: bool = False) -> bytes:
        return b""

    def restored(self, pages: Iterable[bytes]) -> None:
        return None

    def updated(self, state: None, pages: Iterable[bytes]) -> None:
        return None

    def _computed(self, batch: pa.RecordBatch, tally: Tally) -> tuple[pa.RecordBatch, np.ndarray]:
        columns, origins = batch.columns, pa.array(np.arange(len(batch)))
        rows, ticks = [len(batch)], [time.perf_counter_ns()]
        for step in self.steps:
            if step.condition is None:
                columns = [_whole(f.get(columns), len(origins)) for f in step.columns]
            else:
                kept = _whole(step.condition.get(columns), len(origins))
                columns, origins = [c.filter(kept) for c in columns], origins.filter(kept)
            rows.append(len(origins))
            ticks.append(time.perf_counter_ns())
        tally.add(rows)
        tally.add_ticks([ticks[-1] - begun for begun in ticks[:-1]])
        schema = schema_for(self.rows.output_type)
        arrays = [c if has_times(f.type) else c.cast(f.type) for c, f in zip(columns, schema)]
        return batch_like(schema, arrays), origins.to_numpy()


def _whole(found: pa.Array | pa.Scalar, rows: int) -> pa.Array:
    return pa.repeat(found, rows) if isinstance(found, pa.Scalar) else found


def columns_kernel(rows: RowsKernel, reason: Reason) -> ColumnsKernel:
    """The columns kernel of a stage; `Unsupported` when it has none."""
    item, steps = _input(rows.input_type), []
    for op in rows.operators:
        if not isinstance(op.kind, (Map, Filter)):
            raise Unsupported(f"{op.name} is a {op.kind.label}", op.span)
        syntax, result = _result(op.kind.function)
        scope = {syntax.parameters[0]: item}
        if isinstance(op.kind, Filter):
            condition = formula(syntax, result, scope)
            if condition.kind != "bool":
                raise Unsupported(f"{op.name} tests what is no bool", op.span)
            steps.append(ColumnsStep(condition=condition))
        else:
            made = formulas(syntax, result, scope)
            steps.append(ColumnsStep(tuple(made.columns())))
            item = made.stored()
    widens = _check_output(item, rows.output_type)
    return ColumnsKernel(rows, tuple(steps), widens, reason)


def _input(item: Type) -> FormulaItem:
    columns = [Formula.column(KINDS.get(kind, "other"), n, kind)
               for n, kind in enumerate(columns_of(item).values())]
    if isinstance(item, RecordOf):
        return FormulaItem(item.cls, dict(zip(item.fields, columns)))
    return FormulaItem(None, {"value": columns[0]})


def _result(function: Function) -> tuple[FunctionSyntax, ast.expr]:
    """The one expression that a function returns."""
    syntax = syntax_of(function.call)
    if isinstance(syntax, FunctionSyntax) and len(syntax.parameters) == 1:
        match syntax.body:
            case [ast.Return(ast.expr() as value)]:
                return syntax, value
    raise Unsupported("is more than one expression", function.span)


def _check_output(item: FormulaItem, declared: Type) -> bool:
    """Refuses what the declared type cannot hold; whether an int is given for a float."""
    columns, widens = columns_of(declared), False
    if list(item.fields) != list(columns) or (item.cls is None) == isinstance(declared, RecordOf):
        raise Unsupported(f"does not give a {declared}")
    for name, kind in columns.items():
        found = item.fields[name].kind
        widened = (found, kind) == ("int", FLOAT)
        if found != KINDS.get(kind, "other") and not widened:
            raise Unsupported(f"gives {found} in {name}")
        widens |= widened
        if found == "other" and item.fields[name].type != kind:
            raise Unsupported(f"gives another type in {name}")
    return widens
