"""Columns of which only some were read, on their way to other tasks: whoever needs a whole item
there reads its slice again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pyarrow as pa

from anabranch.engine.items import Columns
from anabranch.engine.narrow import Narrow
from anabranch.io.extracts import Extract, Names
from anabranch.ir.types import Type


def slice_of(extract: Extract, type: Type, start: int, longest: int) -> Columns:
    """The rows of an extract from one place on, as items."""
    part = extract.batch.slice(start, longest)
    if extract.read >= set(part.schema.names):
        return Columns(part, type)
    again = partial(_rows, extract.whole, start, len(part))
    return Distant(part, type, extract.read, again, np.arange(len(part)))


class Distant(Narrow):
    """Items at these places of a slice, which `again` reads wholly."""

    def __init__(self, part: pa.RecordBatch, type: Type, read: Names,
                 again: Callable[[], pa.RecordBatch], places: np.ndarray):
        super().__init__(part, type, read, lambda: again().take(pa.array(places)))
        self.again, self.places = again, places

    def between(self, start: int, stop: int) -> Distant:
        return Distant(self.part.slice(start, stop - start), self.type, self.read, self.again,
                       self.places[start:stop])

    def taken(self, places: np.ndarray) -> Distant:
        return Distant(self.part.take(pa.array(places)), self.type, self.read, self.again,
                       self.places[places])


def _rows(whole: Callable[[], pa.RecordBatch], start: int, count: int) -> pa.RecordBatch:
    return whole().slice(start, count)
