"""Ties in order, over whole columns: a time's items leave when a later one comes."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anabranch.ir.types import BOOL, FLOAT, INT, STR, TIMESTAMP, RecordOf, without_none
from anabranch.kernels.held import HeldKernel, Unable, in_order
from anabranch.kernels.native.translate.values import Unsupported
from anabranch.kernels.rows import RowsKernel


class SortKernel(HeldKernel):
    """What is held back are the items of the last time so far."""

    def given(self, both: pa.RecordBatch, held: int):
        if self._has_nan(both):
            raise Unable
        starts = np.flatnonzero(np.diff(in_order(both.column(self.kind.on)))) + 1
        cut = int(starts[-1]) if len(starts) else 0
        ends = np.repeat(starts, np.diff(starts, prepend=0))
        outputs, places = self._sorted(both.slice(0, cut), has_ties=len(starts) < cut)
        return outputs, ends[places], cut

    def at_end(self, held: pa.RecordBatch) -> pa.RecordBatch:
        return self._sorted(held)[0]

    def _sorted(self, batch: pa.RecordBatch, has_ties: bool = True
                ) -> tuple[pa.RecordBatch, np.ndarray]:
        """The items in order, and a place among them as they came that has the same time."""
        order = self._order(batch) if has_ties and len(batch) > 1 else np.arange(len(batch))
        if self.kind.weight is None:
            return (batch.take(pa.array(order)) if has_ties else batch), order
        return self._added_up(batch, order)

    def _order(self, batch: pa.RecordBatch) -> np.ndarray:
        order = "descending" if self.kind.reverse else "ascending"
        columns, orders = [batch.column(self.kind.on)], ["ascending"]
        for name in self.kind.keys:
            column = batch.column(name)
            # None comes first, wherever Arrow would put it.
            columns += [column.is_valid(), column] if column.null_count else [column]
            orders += [order] * (len(columns) - len(orders))
        names = [str(n) for n in range(len(columns))]
        table = pa.RecordBatch.from_arrays(columns, names=names)
        return pc.sort_indices(table, sort_keys=list(zip(names, orders))).to_numpy()

    def _added_up(self, batch: pa.RecordBatch, order: np.ndarray
                  ) -> tuple[pa.RecordBatch, np.ndarray]:
        """One item for those that are equal, in order, what is taken away before what is added."""
        names, weight = (self.kind.on, *self.kind.keys), self.kind.weight
        apart = [_differs(batch.column(name).take(pa.array(order))) for name in names]
        first = np.flatnonzero(np.append(True, reduce(np.logical_or, apart))) \
            if len(order) else order
        weights = batch.column(weight).to_numpy(zero_copy_only=False)[order]
        sums = np.add.reduceat(weights, first) if len(first) else weights
        new_time = np.append(True, apart[0])[first] if len(first) else first
        by_sign = np.lexsort((sums > 0, np.cumsum(new_time)))
        kept = by_sign[sums[by_sign] != 0]
        places = order[first[kept]]
        made = batch.take(pa.array(places))
        number = made.schema.get_field_index(weight)
        return made.set_column(number, made.schema.field(number), pa.array(sums[kept])), places

    def _has_nan(self, batch: pa.RecordBatch) -> bool:
        """Whether a number to be compared is none: Python has an order of its own for these."""
        names = {self.kind.on, *self.kind.keys}
        return any(pc.any(pc.is_nan(batch.column(each.name))).as_py() for each in batch.schema
                   if each.name in names and pa.types.is_floating(each.type))


def _differs(column: pa.Array) -> np.ndarray:
    """Whether a value is another one than that before it; None is equal to None."""
    if len(column) < 2:
        return np.zeros(0, bool)
    apart = pc.fill_null(pc.not_equal(column[1:], column[:-1]), False)
    if column.null_count:
        missing = column.is_null()
        apart = pc.or_(apart, pc.not_equal(missing[1:], missing[:-1]))
    return apart.to_numpy(zero_copy_only=False)


COMPARED = (INT, FLOAT, STR, BOOL, TIMESTAMP)


def sort_kernel(rows: RowsKernel) -> SortKernel:
    """The kernel of a stage that sorts ties; `Unsupported` when it has none."""
    op = rows.operators[0]
    kind, item = op.kind, rows.input_type
    if not isinstance(item, RecordOf):
        raise Unsupported(f"{op.name} sorts what is no record", op.span)
    if kind.by:
        raise Unsupported(f"{op.name} sorts items by keys", op.span)
    for name in (kind.on, *kind.keys):
        declared = item.fields.get(name)
        if without_none(declared) not in COMPARED or (name == kind.on and (
                declared not in (INT, FLOAT, TIMESTAMP))):
            raise Unsupported(f"{op.name} compares {name}, which is {declared}", op.span)
    if kind.weight is not None and item.fields.get(kind.weight) != INT:
        raise Unsupported(f"{op.name} adds up {kind.weight}, which is no int", op.span)
    return SortKernel(rows)
