"""The rows of a DataFrame that are in time, and those that are late.

In a batch a window over all rows tells the latest time before each; the sort by time comes with the
stamps. On a stream rows are held back in Spark's store until their time is past by the lateness.
Both see all rows in one task.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from anabranch.core.errors import AnabranchError
from anabranch.core.source import Span
from anabranch.engine.spark.frames import buckets
from anabranch.engine.spark.frames.errors import no_time
from anabranch.engine.spark.frames.held import HeldRows, batch_in, bytes_of
from anabranch.engine.spark.frames.tasks import told
from anabranch.engine.spark.session.workers import settle
from anabranch.io.dataframe.frames import FrameSource, place_name
from anabranch.ir.graph import Graph

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import Column, DataFrame


def in_time(graph: Graph) -> Graph:
    """The graph whose sources give only the rows that are in time, or only late ones."""
    output = graph.writer(graph.sinks[0].inputs[0]).name
    return graph.with_operators(
        replace(op, kind=replace(op.kind, spec=replace(
            op.kind.spec, frame=rows_of(op.kind.spec, f"{op.name} in time for {output}"))))
        if op.is_source and op.kind.spec.lateness is not None else op for op in graph)


def rows_of(spec: FrameSource, name: str) -> DataFrame:
    return _streamed(spec, name) if spec.is_streaming else _chosen(spec)


def _chosen(spec: FrameSource) -> DataFrame:
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    time, places = F.col(f"`{spec.on}`"), [F.col(f"`{name}`") for name in _places(spec)]
    missing = time.isNull()
    if _kind(spec) == "double":
        missing = missing | F.isnan(time)
    checked = F.when(missing, F.raise_error(F.lit(str(no_time(spec.on, spec.span)))).cast(
        spec.frame.schema[spec.on].dataType)).otherwise(time)
    so_far = Window.orderBy(*places).rowsBetween(Window.unboundedPreceding, Window.currentRow)
    is_late = _behind(spec, F.max(checked).over(so_far), time)
    marked = spec.frame.withColumn(LATE, is_late)
    return marked.filter(F.col(LATE) if spec.late else ~F.col(LATE)).drop(LATE)


LATE = "@late"


def _behind(spec: FrameSource, latest: Column, time: Column) -> Column:
    """Whether a time is farther behind than the lateness."""
    from pyspark.sql import functions as F

    if _kind(spec) != "bigint":
        return latest - time > F.lit(spec.lateness)
    if math.isinf(spec.lateness):
        return F.lit(False)
    # Whole numbers differ by more than 64 bits can hold.
    return latest.cast("decimal(20,0)") - time.cast("decimal(20,0)") > F.lit(
        math.floor(spec.lateness))


def _kind(spec: FrameSource) -> str:
    return spec.frame.schema[spec.on].dataType.simpleString()


def _places(spec: FrameSource) -> list[str]:
    return [place_name(n) for n in range(len(spec.order))]


def _streamed(spec: FrameSource, name: str) -> DataFrame:
    """The rows of a stream when they may go. Their columns travel by numbers."""
    from pyspark.sql import functions as F

    schema = spec.frame.schema
    numbers = {name: f"c{n}" for n, name in enumerate(schema.names)}
    plain = spec.frame.select(F.lit(0).cast("int").alias(buckets.BUCKET), *(
        F.col(f"`{name}`").alias(number) for name, number in numbers.items()))
    shown = {place: f"{name}, which gives the order"
             for place, name in zip(_places(spec), spec.order)}
    rows = HeldRows({number: shown.get(name, name) for name, number in numbers.items()}, spec.span)
    waiting = Waiting(numbers[spec.on], tuple(numbers[name] for name in _places(spec)),
                      lateness_of(spec), spec.late, spec.on, spec.span, rows)
    done = buckets.served(plain.mapInArrow(buckets.Packing(), buckets.PACKED),
                          InTimeProcessor(waiting), name)
    numbered = type(schema)([type(field)(numbers[field.name], field.dataType, field.nullable)
                             for field in schema.fields])
    return done.mapInArrow(buckets.Unpacking("in time"), numbered).select(*(
        F.col(number).alias(name) for name, number in numbers.items()))


def lateness_of(spec: FrameSource) -> float:
    """The lateness in the numbers that stand for times: microseconds, for those of a clock."""
    if isinstance(spec.lateness, timedelta):
        return spec.lateness // timedelta(microseconds=1)
    return spec.lateness


@dataclass(frozen=True)
class Waiting:
    """What rows wait for: the column of their time, and those of their order."""

    time: str
    places: tuple[str, ...]
    lateness: float
    late: bool
    shown: str
    span: Span | None
    rows: HeldRows = field(default_factory=lambda: HeldRows({}))

    def parted(self, batch: pa.RecordBatch, latest: float | None
               ) -> tuple[np.ndarray, np.ndarray, float | None]:
        """Of rows in the order in which they came: their times, whether each is late, and the
        latest time behind them."""
        times = self.times_of(batch)
        if not len(times):
            return times, np.zeros(0, bool), latest
        before = times if latest is None else np.concatenate([[latest], times]).astype(times.dtype)
        seen = np.maximum.accumulate(before)[len(before) - len(times):]
        late = np.array([self._is_late(top, time) for top, time in zip(
            seen.tolist(), times.tolist())]) if self._may_overflow(times, seen) else (
            seen - times > self.lateness)
        return times, late, seen[-1].item()

    def _is_late(self, top: float, time: float) -> bool:
        return top - time > self.lateness

    def _may_overflow(self, times: np.ndarray, seen: np.ndarray) -> bool:
        return times.dtype == np.int64 and int(seen.max()) - int(times.min()) >= 2**53

    def times_of(self, batch: pa.RecordBatch) -> np.ndarray:
        column = batch.column(self.time)
        if column.null_count or (pa.types.is_floating(column.type) and pc.any(
                pc.is_nan(column), min_count=0).as_py()):
            raise no_time(self.shown, self.span)
        whole = column if pa.types.is_floating(column.type) else column.cast(pa.int64())
        return whole.to_numpy(zero_copy_only=False)

    def released(self, held: pa.RecordBatch, latest: float | None
                 ) -> tuple[pa.RecordBatch, pa.RecordBatch]:
        """Rows that may go, in the order of their times, and those that still wait."""
        if not len(held):
            return held, held
        order = np.argsort(self.times_of(held), kind="stable")
        held = held.take(pa.array(order))
        go = sum(latest - time >= self.lateness for time in self.times_of(held).tolist())
        return held.slice(0, go), held.slice(go)


class InTimeProcessor(StatefulProcessor):
    """All rows of a stream, batch after batch; the store has the latest time and those that wait.
    """

    def __init__(self, waiting: Waiting):
        self.waiting, self.counts = waiting, (0, 0)

    def init(self, handle) -> None:
        settle()
        self.held = handle.getValueState("held", "rows binary")
        self.latest = handle.getValueState("latest", "time string")

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
        yield buckets.given(made, len(batch), *self.counts)

    def advanced(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The rows that go on with this batch."""
        waiting = self.waiting
        batch = batch.take(pc.sort_indices(batch, [(name, "ascending") for name in waiting.places]))
        latest = json.loads(self.latest.get()[0]) if self.latest.exists() else None
        _, late, latest = waiting.parted(batch, latest)
        self.latest.update((json.dumps(latest),))
        self.counts = int(late.sum()), 0
        if waiting.late:
            return batch.filter(pa.array(late))
        rows = self.waiting.rows
        held = [rows.read(bytes(self.held.get()[0]), batch.schema)] if self.held.exists() else []
        fresh = pa.concat_batches([*held, batch.filter(pa.array(~late))])
        out, rest = waiting.released(fresh, latest)
        self.counts = int(late.sum()), len(rest)
        self.held.update((rows.saved(rest),))
        return out

    def close(self) -> None:
        """The store has all that is known."""
