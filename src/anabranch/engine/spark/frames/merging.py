"""Several streaming DataFrames as one, in the order of their times.

Each comes in the order of its own. A row goes on when every other source has come as far: until
then it is held back in Spark's store. A source that is silent holds the others back.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from anabranch.core.errors import AnabranchError, DataError, RunError
from anabranch.core.source import Span
from anabranch.engine.spark.frames import buckets
from anabranch.engine.spark.frames.errors import no_time
from anabranch.engine.spark.frames.held import ANEW, HeldRows, batch_in, bytes_of
from anabranch.engine.spark.frames.tasks import told
from anabranch.engine.spark.session.workers import settle

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class TimedSource:
    """What is told of a source: its number and name, its attribute of time, and its line."""

    number: int
    name: str
    time: str
    span: Span | None


def merged(frame: DataFrame, sources: tuple[TimedSource, ...], order: tuple[str, ...],
           rows: HeldRows, output: str) -> DataFrame:
    """The rows of all sources, which have their stamps, in the order of these columns, for an
    output; `rows` knows the columns of those that wait."""
    from pyspark.sql import functions as F

    schema = frame.schema
    packed = frame.withColumn(buckets.BUCKET, F.lit(0).cast("int")).mapInArrow(
        buckets.Packing(), buckets.PACKED)
    name = f"{' '.join(source.name for source in sources)} merged for {output}"
    done = buckets.served(packed, MergeProcessor(sources, order, rows), name)
    return done.mapInArrow(buckets.Unpacking("merged"), schema)


class MergeProcessor(StatefulProcessor):
    """The store has the rows that wait, and how far each source has come."""

    def __init__(self, sources: tuple[TimedSource, ...], order: tuple[str, ...], rows: HeldRows):
        self.sources, self.order, self.rows, self.waiting = sources, order, rows, 0

    def init(self, handle) -> None:
        settle()
        self.held = handle.getValueState("held", "rows binary")
        self.reached = handle.getValueState("reached", "times string")

    def handleInputRows(self, key, rows, timerValues) -> Iterator[pd.DataFrame]:
        batches = [batch_in(data) for frame in rows for data in frame[buckets.DATA]]
        if not batches:
            return
        batch = pa.concat_batches(batches)
        try:
            out = self.advanced(batch)
        except AnabranchError as error:
            raise told(error) from None
        made = [bytes_of(out)] if len(out) else []
        yield buckets.given(made, len(batch), waiting=self.waiting)

    def advanced(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The rows that go on with this batch."""
        reached = self._further(batch)
        self.reached.update((json.dumps({**reached, NAMES: self._names()}),))
        held = [self.rows.read(bytes(self.held.get()[0]), batch.schema)] if (
            self.held.exists()) else []
        rows = pa.concat_batches([*held, batch])
        rows = rows.take(pc.sort_indices(rows, [(name, "ascending") for name in self.order]))
        go = self._complete(rows, reached)
        self.waiting = len(rows) - go
        self.held.update((self.rows.saved(rows.slice(go)),))
        return rows.slice(0, go)

    def _further(self, batch: pa.RecordBatch) -> dict[str, float]:
        """How far the sources have come with these rows, by their numbers."""
        reached = json.loads(self.reached.get()[0]) if self.reached.exists() else {}
        if (before := reached.pop(NAMES, self._names())) != self._names():
            raise RunError("the stream's checkpoint is of another program: it has other sources",
                           self.sources[0].span, expected=", ".join(before),
                           got=", ".join(self._names()),
                           help=f"give them their names, from_spark(..., name=...), and their "
                                f"order, or {ANEW}")
        times, of = times_of(batch, self.sources[0]), batch.column("src").to_numpy()
        for source in self.sources:
            own, number = times[of == source.number], str(source.number)
            if not len(own):
                continue
            if number in reached and own.min() < reached[number]:
                raise DataError(f"'{source.time}' goes back in time from batch to batch",
                                source.span, expected=f"rows of {source.name} in the order of time",
                                help="say how far behind rows may come: from_spark(..., "
                                     "lateness=...)")
            reached[number] = own.max().item()
        return reached

    def _names(self) -> list[str]:
        return [source.name for source in self.sources]

    def _complete(self, rows: pa.RecordBatch, reached: dict[str, float]) -> int:
        """How many of the sorted rows nothing can come before any more."""
        if len(reached) < len(self.sources):
            return 0
        time, source = min((time, int(number)) for number, time in reached.items())
        times, of = times_of(rows, self.sources[0]), rows.column("src").to_numpy()
        return int(np.count_nonzero((times < time) | ((times == time) & (of <= source))))


NAMES = "names"
"""Under which the names of the sources stand beside how far these have come."""


def times_of(batch: pa.RecordBatch, source: TimedSource) -> np.ndarray:
    """The times as numbers: those of a clock as microseconds."""
    column = batch.column("time")
    is_float = pa.types.is_floating(column.type)
    if column.null_count or (is_float and pc.any(pc.is_nan(column), min_count=0).as_py()):
        raise no_time(source.time, source.span)
    return (column if is_float else column.cast(pa.int64())).to_numpy(zero_copy_only=False)
