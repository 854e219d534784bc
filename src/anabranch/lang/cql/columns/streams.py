"""From relations to streams, and to what is written, over columns: see `running.streams`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from anabranch.ir.types import Type
from anabranch.lang.cql.columns.delta import Delta, stable_order
from anabranch.lang.cql.columns.inputs import Slice
from anabranch.lang.cql.columns.ranking import packed, ranked
from anabranch.lang.cql.columns.totals import begins
from anabranch.lang.cql.columns.values import Texts, to_array


class Changed:
    """The rows that are new at each instant, or with `sign` -1 those that are gone, in order."""

    ordered = False

    def __init__(self, types: Sequence[Type], sign: int, texts: Texts):
        self.types, self.sign, self.texts = types, sign, texts

    def run(self, now: Slice, relation: Delta) -> Delta:
        places, n = net(relation, self.types, self.texts)
        found = n * self.sign > 0
        places = _each(places[found], n[found])
        return Delta(relation.at[places], np.ones(len(places), np.int64),
                     tuple(column[places] for column in relation.columns))


class Written:
    """The batches of a sink: the time, `op` for a relation, and the columns."""

    ordered = False

    def __init__(self, types: Sequence[Type], clock: Type, is_stream: bool, texts: Texts,
                 schema: pa.Schema):
        self.types, self.clock, self.is_stream = types, clock, is_stream
        self.texts, self.schema = texts, schema

    def run(self, now: Slice, result: Delta) -> pa.RecordBatch:
        if self.is_stream:
            return self._batch(now.times[result.at], [], result.columns)
        places, n = net(result, self.types, self.texts)
        order = stable_order(2 * result.at[places] + (n > 0))
        places, n = places[order], n[order]
        rows = _each(places, n)
        return self._batch(now.times[result.at[rows]], [_signs(_each(n, n))],
                           [column[rows] for column in result.columns])

    def _batch(self, times: np.ndarray, leading: list[pa.Array], columns: Sequence[np.ndarray]
               ) -> pa.RecordBatch:
        arrays = [to_array(c, t, self.texts) for c, t in zip(columns, self.types)]
        return pa.RecordBatch.from_arrays(
            [to_array(times, self.clock, self.texts), *leading, *arrays], schema=self.schema)


def _signs(n: np.ndarray) -> pa.Array:
    return pa.array(["-", "+"]).take(pa.array((n > 0).astype(np.int8)))


def _each(rows: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Every row as often as it is there, or is gone."""
    times = np.abs(n)
    return np.repeat(rows, times) if (times > 1).any() else rows


def net(delta: Delta, types: Sequence[Type], texts: Texts) -> tuple[np.ndarray, np.ndarray]:
    """A place of every row that changes, by instants and then by the order of the rows, and how
    often it is added in all."""
    if not len(delta):
        return delta.at, delta.n
    rows = [(delta.at, int(delta.at[-1]) + 1),
            *(ranked(c, t, texts) for c, t in zip(delta.columns, types))]
    numbers, _ = packed(rows, len(delta))
    order = stable_order(numbers)
    starts = np.flatnonzero(begins(numbers[order]))
    n = np.add.reduceat(delta.n[order], starts)
    changed = n != 0
    return order[starts][changed], n[changed]
