"""The loop tier: a line of operators as one Python loop over columns.

It takes a fifth of the time of the rows tier: the values are Python's, the states the user's
objects, but no record is made. Numba is not needed, so it is there at once.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from anabranch.batch.items import EXACT, Columns, as_batch
from anabranch.batch.record_batch import schema_for, values_of
from anabranch.io.arrow.arrays import column_of, numbers, texts_of
from anabranch.io.arrow.schema import batch_like
from anabranch.io.columns import columns_of
from anabranch.ir.graph import Operator
from anabranch.ir.operators import Map
from anabranch.ir.types import BOOL, FLOAT, INT, STR, OptionalOf, RecordOf, Type, without_none
from anabranch.kernels.loop.kinds import line_text
from anabranch.kernels.loop.text import LineText, NoLoop, Unfit


@dataclass(frozen=True)
class Loop:
    """A line of operators as one function over columns."""

    operators: tuple[Operator, ...]
    input_type: Type
    output_type: Type
    text: LineText
    function: Callable
    at_end: Callable

    def start(self) -> LoopRun:
        return LoopRun(self, [{} for _ in self.text.keyed],
                       dict.fromkeys((op.name for op in self.operators), 0))

    @property
    def read(self) -> frozenset[str]:
        """The columns of the input that it looks at or hands on."""
        return frozenset((*self.text.read, *filter(None, self.text.copies)))


def loop_of(operators: Sequence[Operator], input_type: Type, output_type: Type) -> Loop:
    """The loop of a line of operators, first to last; `NoLoop` when it cannot be written."""
    text = line_text(operators, input_type, output_type)
    scope = dict(text.constants)
    try:
        exec(compile(text.text, "<a line of operators>", "exec"), scope)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise NoLoop(f"it cannot be written: {error}", operators[0].span) from None
    return Loop(tuple(operators), input_type, output_type, text, scope["loop"],
                scope["end"])


@dataclass
class LoopRun:
    """A loop with its states, and how many items each of its operators has put out."""

    loop: Loop
    states: list[dict]
    given: dict[str, int]

    def run(self, items: Sequence) -> Columns:
        """What comes of some items, in columns; `Unfit` where these cannot hold it."""
        text, rows = self.loop.text, len(items)
        return self._made(items, *self.loop.function(
            range(rows), *_lists(items, self.loop.input_type, text.read), *self.states))

    def finish(self) -> Columns:
        """What comes at the end of the input."""
        return self._made((), *self.loop.at_end(*self.states))

    def _made(self, items: Sequence, kept: list[int], made: list[list], counts: list[int]
              ) -> Columns:
        text = self.loop.text
        out = len(kept) if any(text.copies) else len(made[0])
        self._count(len(items), dict(zip(text.counted, counts)), out)
        return Columns(self._batch(items, kept, iter(made)), self.loop.output_type)

    def _count(self, rows: int, counted: dict[str, int], out: int) -> None:
        *inner, last = self.loop.operators
        for op in inner:
            rows = rows if isinstance(op.kind, Map) else counted[op.name]
            self.given[op.name] += rows
        self.given[last.name] += out

    def _batch(self, items: Sequence, kept: list[int], made) -> pa.RecordBatch:
        kinds = columns_of(self.loop.output_type).values()
        arrays = [_array(next(made), kind) if source is None else
                  _taken(items, self.loop.input_type, source, kind, kept)
                  for kind, source in zip(kinds, self.loop.text.copies)]
        return batch_like(schema_for(self.loop.output_type), arrays)


def _lists(items: Sequence, given: Type, names: Sequence[str]) -> list[Sequence]:
    """Columns as lists of Python's values."""
    kinds = columns_of(given)
    if isinstance(items, Columns):
        batch = items.having(frozenset(names))
        return [values_of(batch.column(name), kinds[name]) for name in names]
    if not isinstance(given, RecordOf):
        return [items for _ in names]
    if not set(map(type, items)) <= {given.cls}:
        raise Unfit
    columns = dict(zip(kinds, zip(*items))) if items else dict.fromkeys(kinds, ())
    return [columns[name] for name in names]


def _taken(items: Sequence, given: Type, name: str, kind: Type, kept: list[int]) -> pa.Array:
    """Some rows of a column that is handed on."""
    if isinstance(items, Columns):
        column = items.column(name)
        if len(kept) == len(column) and kept == [*range(len(column))]:
            return column
        if kind in (INT, FLOAT) and not column.null_count:
            return column_of(numbers(column)[np.array(kept, np.int64)])
    [values] = _lists(items, given, [name])
    return _array([values[row] for row in kept], kind)


def _array(values: list, kind: Type) -> pa.Array:
    """Values as a column that holds each as it is."""
    allowed = {EXACT[without_none(kind)]} | ({type(None)} if isinstance(kind, OptionalOf) else
                                             set())
    if not set(map(type, values)) <= allowed:
        raise Unfit
    try:
        if kind == INT:
            return column_of(np.frombuffer(array("q", values), np.int64))
        if kind == FLOAT:
            return column_of(np.frombuffer(array("d", values), np.float64))
        if kind == STR:
            return texts_of(values)
    except (OverflowError, UnicodeError):
        raise Unfit from None
    if kind == BOOL:
        return column_of(np.array(values, bool))
    batch = as_batch(values, kind)
    if batch is None:
        raise Unfit
    return batch.column(0)
