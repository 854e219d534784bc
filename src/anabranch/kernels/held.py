"""Kernels over whole columns with a state: a batch of the items that they hold."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from anabranch.batch.record_batch import batch_of, conform, items_of
from anabranch.ir.operators import Cell, Kind
from anabranch.kernels.rows import RowsKernel, RowsState
from anabranch.kernels.stamps import at_end, stamps_of
from anabranch.kernels.tally import Tally
from anabranch.plan.logical.plan import Reason


@dataclass
class HeldItems:
    """The items that wait, and the stamp of the first item of all."""

    batch: pa.RecordBatch
    first: int | None = None


class Unable(Exception):
    """Columns cannot do a slice as it is done item by item."""


@dataclass(frozen=True)
class HeldKernel:
    """One operator without keys; `rows` is the same stage in the rows tier."""

    rows: RowsKernel
    reason: Reason | None = None
    tier: str = "columns"
    widens: ClassVar[bool] = False
    is_saved: ClassVar[bool] = True
    is_here: ClassVar[bool] = True
    failure: ClassVar[None] = None

    def given(self, both: pa.RecordBatch, held: int) -> tuple[pa.RecordBatch, np.ndarray, int]:
        """What is given out when items come behind those that are held; for each output the place
        of the item that it waited for, and from which place on items are held."""
        raise NotImplementedError

    def at_end(self, held: pa.RecordBatch) -> pa.RecordBatch:
        """What is given out of the items that are held when the input ends."""
        return batch_of([], self.rows.output_type)

    @property
    def kind(self) -> Kind:
        return self.rows.operators[0].kind

    def start(self) -> HeldItems:
        return HeldItems(batch_of([], self.rows.input_type))

    def tracking(self) -> HeldKernel:
        return self

    def warm(self) -> None:
        """There is nothing to compile."""

    def run(self, state: HeldItems, batch: pa.RecordBatch, stamp: int | np.ndarray = 0):
        outputs, origins, done = self.advance(state, batch, stamp)
        if done == len(batch):
            return outputs, origins
        rows = self.to_rows(state)
        found = self.rows.run(rows, batch, stamp)
        after = self.from_rows(rows)
        state.batch, state.first = after.batch, after.first
        return found

    def advance(self, state: HeldItems, batch: pa.RecordBatch, stamp: int | np.ndarray = 0,
                tally: Tally | None = None):
        """The outputs, their origins, and how many rows are done: all or none."""
        began, own = time.perf_counter_ns(), Tally(1) if tally is None else tally
        held = len(state.batch)
        both = _together(state.batch, conform(batch, self.rows.input_type))
        try:
            if not len(batch):
                raise Unable
            outputs, waited, kept = self.given(both, held)
        except Unable:
            return batch_of([], self.rows.output_type), np.zeros(0, np.int64), 0
        if state.first is None:
            state.first = int(stamps_of(stamp, len(batch))[0])
        state.batch = both.slice(kept)
        own.add([len(batch), len(outputs)])
        own.add_ticks([time.perf_counter_ns() - began])
        return outputs, (waited - held).astype(np.int64), len(batch)

    def to_rows(self, state: HeldItems) -> RowsState:
        rows = self.rows.start()
        if state.first is not None:
            [variable] = self.rows.operators[0].variables
            own = self.kind.new_state()
            own.extend(items_of(state.batch, self.rows.input_type))
            rows.cells[variable] = Cell({None: own})
            rows.seen[0].append(state.first)
        return rows

    def from_rows(self, rows: RowsState) -> HeldItems:
        [variable] = self.rows.operators[0].variables
        states = rows.cells[variable].value
        items = next(iter(states.values()), [])
        first = (rows.seen[0] or [0])[0] if states else None
        return HeldItems(batch_of(items, self.rows.input_type), first)

    def finish(self, state: HeldItems, tally: Tally | None = None):
        outputs = self.at_end(state.batch)
        return outputs, np.full(len(outputs), at_end(0, state.first or 0), np.int64)

    def dump(self, state: HeldItems) -> bytes:
        return self.rows.dump(self.to_rows(state))

    def load(self, data: bytes) -> HeldItems:
        return self.from_rows(self.rows.load(data))

    def changed(self, state: HeldItems, every: bool = False) -> bytes:
        return self.rows.changed(self.to_rows(state), every=True)

    def restored(self, pages: Iterable[bytes]) -> HeldItems:
        return self.from_rows(self.rows.restored(pages))

    def updated(self, state: HeldItems, pages: Iterable[bytes]) -> HeldItems:
        return self.from_rows(self.rows.updated(self.to_rows(state), pages))


def _together(held: pa.RecordBatch, came: pa.RecordBatch) -> pa.RecordBatch:
    if not len(held):
        return came
    return pa.RecordBatch.from_arrays(
        [pa.concat_arrays(pair) for pair in zip(held.columns, came.columns)], schema=came.schema)


def in_order(times: pa.Array) -> np.ndarray:
    """Times as numbers of which differences say what comes first; none may go back."""
    if times.null_count:
        raise Unable
    if pa.types.is_timestamp(times.type):
        times = times.cast(pa.int64())
    numbers = times.to_numpy(zero_copy_only=False)
    if not (np.diff(numbers) >= 0).all():
        raise Unable
    return numbers
