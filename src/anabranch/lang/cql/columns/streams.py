"""From relations to streams, and to what is written, over columns: see `running.streams`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from anabranch.ir.types import Type
from anabranch.lang.cql.columns.delta import Delta, stable_order
from anabranch.lang.cql.columns.inputs import Slice
from anabranch.lang.cql.columns.ranking import packed, ranked
from anabranch.lang.cql.columns.values import Texts, to_array


class Changed:
    """The rows that are new at each instant, or with `sign` -1 those that are gone, in order."""

    ordered = False

    def __init__(self, types: Sequence[Type], sign: int, texts: Texts):
        self.types, self.sign, self.texts = types, sign, texts

    def run(self, now: Slice, relation: Delta) -> Delta:
        found = net(relation, self.types, self.texts)
        return _each(found.taken(found.n * self.sign > 0))


class Written:
    """The batches of a sink: the time, `op` for a relation, and the columns."""

    ordered = False

    def __init__(self, types: Sequence[Type], clock: Type, is_stream: bool, texts: Texts,
                 schema: pa.Schema):
        self.types, self.clock, self.is_stream = types, clock, is_stream
        self.texts, self.schema = texts, schema

    def run(self, now: Slice, result: Delta) -> pa.RecordBatch:
        leading = []
        if not self.is_stream:
            found = net(result, self.types, self.texts)
            found = found.taken(stable_order(2 * found.at + (found.n > 0)))
            leading = [_signs(np.repeat(found.n, np.abs(found.n)))]
            result = _each(found)
        columns = [to_array(c, t, self.texts) for c, t in zip(result.columns, self.types)]
        times = to_array(now.times[result.at], self.clock, self.texts)
        return pa.RecordBatch.from_arrays([times, *leading, *columns], schema=self.schema)


def _signs(n: np.ndarray) -> pa.Array:
    return pa.array(["-", "+"]).take(pa.array((n > 0).astype(np.int8)))


def _each(delta: Delta) -> Delta:
    """Every row as often as it is there, or is gone, each once."""
    times = np.abs(delta.n)
    if (times > 1).any():
        delta = delta.taken(np.repeat(np.arange(len(delta)), times))
    return Delta(delta.at, np.ones(len(delta), np.int64), delta.columns)


def net(delta: Delta, types: Sequence[Type], texts: Texts) -> Delta:
    """The changes with those of the same row added up, by the order of the rows in each instant."""
    if not len(delta):
        return delta
    rows = [(delta.at, int(delta.at[-1]) + 1),
            *(ranked(c, t, texts) for c, t in zip(delta.columns, types))]
    numbers, _ = packed(rows, len(delta))
    order = np.argsort(numbers)
    numbers = numbers[order]
    starts = np.flatnonzero(np.append(True, numbers[1:] != numbers[:-1]))
    n = np.add.reduceat(delta.n[order], starts)
    found = delta.taken(order[starts])
    return Delta(found.at, n, found.columns).taken(n != 0)
