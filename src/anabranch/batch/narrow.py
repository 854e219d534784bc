"""Columns of which only some have been read from a file.

A kernel takes the columns that it needs. Plain Python takes whole items, and a failure shows one:
for these the rows are read again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import pyarrow as pa

from anabranch.batch.items import Columns
from anabranch.core.once import once
from anabranch.io.arrow.extract import Extract, Names
from anabranch.ir.types import Type


def columns_of_extract(extract: Extract, type: Type) -> Columns:
    """The rows of a source as items."""
    if extract.read >= set(extract.batch.schema.names):
        return Columns(extract.batch, type)
    return Narrow(extract.batch, type, extract.read, cache(extract.whole))


class Narrow(Columns):
    """Items whose columns in `read` are in the batch `part`; `whole` gives the batch of all.

    >>> from anabranch.io.arrow.extract import Extract
    >>> from anabranch.ir.types import STR
    >>> whole = pa.record_batch({"value": ["a", "b"]})
    >>> items = Narrow(pa.record_batch({"value": [None, None]}), STR, frozenset(), lambda: whole)
    >>> len(items), items.having(frozenset()).num_rows, list(items[1:])
    (2, 2, ['b'])
    """

    def __init__(self, part: pa.RecordBatch, type: Type, read: Names,
                 whole: Callable[[], pa.RecordBatch]):
        self.part, self.type, self.read, self.whole = part, type, read, whole

    @once
    def batch(self) -> pa.RecordBatch:
        return self.whole()

    def __len__(self) -> int:
        return self.part.num_rows

    @property
    def schema(self) -> pa.Schema:
        # Times are always read.
        return self.part.schema

    def having(self, names: Names) -> pa.RecordBatch:
        return self.part if names <= self.read else self.batch

    def between(self, start: int, stop: int) -> Columns:
        return self._each(lambda batch: batch.slice(start, stop - start))

    def taken(self, places: np.ndarray) -> Columns:
        return self._each(lambda batch: batch.take(pa.array(places)))

    def followed_by(self, others: Sequence[Columns]) -> Columns:
        parts = [self, *others]
        if not all(isinstance(part, Narrow) and part.read == self.read for part in others):
            return super().followed_by(others)
        return Narrow(pa.concat_batches([part.part for part in parts]), self.type, self.read,
                      cache(lambda: pa.concat_batches([part.batch for part in parts])))

    def _each(self, choose: Callable[[pa.RecordBatch], pa.RecordBatch]) -> Columns:
        return Narrow(choose(self.part), self.type, self.read, cache(lambda: choose(self.batch)))
