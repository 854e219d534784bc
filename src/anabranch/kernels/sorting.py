"""Ties in order, over whole columns: a time's items leave when a later one comes.

What is held back is a batch: the items of the last time so far.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anabranch.batch.record_batch import batch_of, conform, items_of
from anabranch.ir.operators import Cell
from anabranch.ir.sorting import SortTies
from anabranch.ir.types import BOOL, FLOAT, INT, STR, TIMESTAMP, RecordOf, without_none
from anabranch.kernels.native.translate.values import Unsupported
from anabranch.kernels.rows import RowsKernel, RowsState
from anabranch.kernels.stamps import at_end, stamps_of
from anabranch.kernels.tally import Tally
from anabranch.plan.logical.plan import Reason


@dataclass
class HeldTies:
    """The items that wait, and the stamp of the first item of all."""

    batch: pa.RecordBatch
    first: int | None = None


@dataclass(frozen=True)
class SortKernel:
    """One operator that sorts ties; `rows` is the same stage in the rows tier."""

    rows: RowsKernel
    reason: Reason | None = None
    tier: str = "columns"
    widens: ClassVar[bool] = False
    is_saved: ClassVar[bool] = True
    is_here: ClassVar[bool] = True
    failure: ClassVar[None] = None

    @property
    def kind(self) -> SortTies:
        return self.rows.operators[0].kind

    def start(self) -> HeldTies:
        return HeldTies(batch_of([], self.rows.input_type))

    def tracking(self) -> SortKernel:
        return self

    def warm(self) -> None:
        """There is nothing to compile."""

    def run(self, state: HeldTies, batch: pa.RecordBatch, stamp: int | np.ndarray = 0):
        outputs, origins, done = self.advance(state, batch, stamp)
        if done == len(batch):
            return outputs, origins
        rows = self.to_rows(state)
        found = self.rows.run(rows, batch, stamp)
        state.batch = self.from_rows(rows).batch
        return found

    def advance(self, state: HeldTies, batch: pa.RecordBatch, stamp: int | np.ndarray = 0,
                tally: Tally | None = None):
        """The outputs, their origins, and how many rows are done: all, or none where one is late or
        has no place among the others."""
        began, own = time.perf_counter_ns(), Tally(1) if tally is None else tally
        came = conform(batch, self.rows.input_type)
        held = len(state.batch)
        both = _together(state.batch, came)
        times = both.column(self.kind.on)
        if not len(batch) or times.null_count or self._has_nan(both):
            return batch_of([], self.rows.output_type), np.zeros(0, np.int64), 0
        steps = np.diff(_numbers(times))
        if (steps < 0).any():
            return batch_of([], self.rows.output_type), np.zeros(0, np.int64), 0
        if state.first is None:
            state.first = int(stamps_of(stamp, len(batch))[0])
        starts = np.flatnonzero(steps) + 1
        cut = int(starts[-1]) if len(starts) else 0
        state.batch = both.slice(cut)
        ends = np.repeat(starts, np.diff(starts, prepend=0))
        outputs = self._sorted(both.slice(0, cut), has_ties=len(starts) < cut)
        own.add([len(batch), cut])
        own.add_ticks([time.perf_counter_ns() - began])
        return outputs, (ends - held).astype(np.int64), len(batch)

    def _sorted(self, batch: pa.RecordBatch, has_ties: bool = True) -> pa.RecordBatch:
        if not has_ties or len(batch) < 2:
            return batch
        order = "descending" if self.kind.reverse else "ascending"
        columns, orders = [batch.column(self.kind.on)], ["ascending"]
        for name in self.kind.keys:
            column = batch.column(name)
            # None comes first, wherever Arrow would put it.
            columns += [column.is_valid(), column] if column.null_count else [column]
            orders += [order] * (len(columns) - len(orders))
        names = [str(n) for n in range(len(columns))]
        table = pa.RecordBatch.from_arrays(columns, names=names)
        return batch.take(pc.sort_indices(table, sort_keys=list(zip(names, orders))))

    def _has_nan(self, batch: pa.RecordBatch) -> bool:
        """Whether a number to be compared is none: Python has an order of its own for these."""
        names = {self.kind.on, *self.kind.keys}
        return any(pc.any(pc.is_nan(batch.column(each.name))).as_py() for each in batch.schema
                   if each.name in names and pa.types.is_floating(each.type))

    def to_rows(self, state: HeldTies) -> RowsState:
        rows = self.rows.start()
        if state.first is not None:
            [variable] = self.rows.operators[0].variables
            rows.cells[variable] = Cell({None: items_of(state.batch, self.rows.input_type)})
            rows.seen[0].append(state.first)
        return rows

    def from_rows(self, rows: RowsState) -> HeldTies:
        [variable] = self.rows.operators[0].variables
        states = rows.cells[variable].value
        items = next(iter(states.values()), [])
        first = (rows.seen[0] or [0])[0] if states else None
        return HeldTies(batch_of(items, self.rows.input_type), first)

    def finish(self, state: HeldTies, tally: Tally | None = None):
        outputs = self._sorted(state.batch)
        return outputs, np.full(len(outputs), at_end(0, state.first or 0), np.int64)

    def dump(self, state: HeldTies) -> bytes:
        return self.rows.dump(self.to_rows(state))

    def load(self, data: bytes) -> HeldTies:
        return self.from_rows(self.rows.load(data))

    def changed(self, state: HeldTies, every: bool = False) -> bytes:
        return self.rows.changed(self.to_rows(state), every=True)

    def restored(self, pages: Iterable[bytes]) -> HeldTies:
        return self.from_rows(self.rows.restored(pages))

    def updated(self, state: HeldTies, pages: Iterable[bytes]) -> HeldTies:
        return self.from_rows(self.rows.updated(self.to_rows(state), pages))


def _together(held: pa.RecordBatch, came: pa.RecordBatch) -> pa.RecordBatch:
    if not len(held):
        return came
    return pa.RecordBatch.from_arrays(
        [pa.concat_arrays(pair) for pair in zip(held.columns, came.columns)], schema=came.schema)


def _numbers(times: pa.Array) -> np.ndarray:
    """Times as numbers of which differences say what comes first."""
    if pa.types.is_timestamp(times.type):
        times = times.cast(pa.int64())
    return times.to_numpy(zero_copy_only=False)


COMPARED = (INT, FLOAT, STR, BOOL, TIMESTAMP)


def sort_kernel(rows: RowsKernel) -> SortKernel:
    """The kernel of a stage that sorts ties; `Unsupported` when it has none."""
    op = rows.operators[0]
    kind, item = op.kind, rows.input_type
    if len(rows.operators) > 1 or not isinstance(item, RecordOf):
        raise Unsupported(f"{op.name} sorts what is no record", op.span)
    if kind.by:
        raise Unsupported(f"{op.name} sorts items by keys", op.span)
    for name in (kind.on, *kind.keys):
        declared = item.fields.get(name)
        if without_none(declared) not in COMPARED or (name == kind.on and (
                declared not in (INT, FLOAT, TIMESTAMP))):
            raise Unsupported(f"{op.name} compares {name}, which is {declared}", op.span)
    return SortKernel(rows)
