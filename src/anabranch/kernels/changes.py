"""Changes of a window over whole columns: what leaves is found by a search."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pyarrow as pa

from anabranch.batch.record_batch import schema_for
from anabranch.ir.types import INT, TIMESTAMP, RecordOf
from anabranch.kernels.held import HeldKernel, Unable, in_order
from anabranch.kernels.native.translate.values import Unsupported
from anabranch.kernels.rows import RowsKernel

GREATEST = np.iinfo(np.int64).max


class ChangesKernel(HeldKernel):
    """What is held are the items in the window."""

    def given(self, both: pa.RecordBatch, held: int):
        times = in_order(both.column(0))
        came = np.arange(held, len(both))
        leaving, at, ends = self._leaving(times)
        # An item that leaves comes before the one for which it leaves.
        turn = np.argsort(np.concatenate([2 * at, 2 * came + 1]), kind="stable")
        places = np.concatenate([leaving, came])[turn]
        n = np.concatenate([np.full(len(leaving), -1), np.full(len(came), 1)])[turn]
        moments = np.concatenate([ends, times[held:]])[turn]
        waited = np.concatenate([at, came])[turn]
        kept = len(leaving) if self._keeps else len(both)
        return self._records(both.take(pa.array(places)), moments, n), waited, kept

    @property
    def _keeps(self) -> bool:
        return self.kind.after is not None or self.kind.count is not None

    def _leaving(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The places of those that leave, the first of all; at which places, and at which times."""
        if not self._keeps:
            return (np.zeros(0, np.int64),) * 3
        if self.kind.count is not None:
            at = np.arange(self.kind.count, len(times))
            return np.arange(len(at)), at, times[at]
        after = self.kind.after
        after = after // timedelta(microseconds=1) if isinstance(after, timedelta) else after
        if len(times) and times[-1] > GREATEST - after:
            raise Unable
        ends = times + after
        at = np.searchsorted(times, ends)
        gone = int(np.searchsorted(at, len(times)))
        return np.arange(gone), at[:gone], ends[:gone]

    def _records(self, items: pa.RecordBatch, moments: np.ndarray, n: np.ndarray
                 ) -> pa.RecordBatch:
        schema = schema_for(self.rows.output_type)
        times = pa.array(moments).cast(items.column(0).type)
        return pa.RecordBatch.from_arrays([times, pa.array(n), *items.columns[1:]], schema=schema)


def changes_kernel(rows: RowsKernel) -> ChangesKernel:
    """The kernel of a stage with the changes of a window; `Unsupported` when it has none."""
    op, item = rows.operators[0], rows.input_type
    if op.kind.by:
        raise Unsupported(f"{op.name} has windows by keys", op.span)
    times = next(iter(item.fields.values()), None) if isinstance(item, RecordOf) else None
    if times not in (INT, TIMESTAMP):
        raise Unsupported(f"{op.name} has times that are neither ints nor timestamps", op.span)
    return ChangesKernel(rows)
