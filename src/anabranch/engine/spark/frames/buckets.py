"""Stages with state on a streaming DataFrame, by buckets of keys.

Spark's own store keeps their state. Rows are grouped by bucket, never by key, and travel to it as
Arrow in a column of bytes, so that each value arrives as it left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from anabranch.core.errors import AnabranchError
from anabranch.engine.spark.frames.held import batch_in, bytes_of
from anabranch.engine.spark.frames.layout import Layout
from anabranch.engine.spark.frames.pages import BucketPages
from anabranch.engine.spark.frames.tasks import PartTask, PartWorker, fitted, told
from anabranch.engine.spark.job.pickling import loaded
from anabranch.engine.spark.session.workers import settle

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame

BUCKET, DATA = "bucket", "data"
BUCKETS = 32
"""So many buckets a stream has for ever: its state is kept by them."""

PACKED = f"{BUCKET} int, {DATA} binary"
DONE = f"{DATA} binary, rows bigint, late bigint, waiting bigint, state bigint"
"""What a group of a stream gives: its rows, if there are any, and what is told in the progress of
the query. Of a batch that are the rows that came, and those too late; then the rows that wait for
others, and the bytes of state, in those buckets that had rows."""


def served(packed: DataFrame, processor: StatefulProcessor, name: str) -> DataFrame:
    """The packed rows behind a processor; the query's progress tells of it under the name."""
    from pyspark.sql import functions as F

    done = packed.groupBy(BUCKET).transformWithStateInPandas(processor, DONE, "append", "none")
    told = [F.sum(column).alias(column) for column in ("rows", "late", "waiting", "state")]
    return done.observe(name, *told).select(DATA)


def given(made: list[bytes], rows: int, late: int = 0, waiting: int = 0, state: int = 0
          ) -> pd.DataFrame:
    """What a processor gives for a batch."""
    import pandas as pd

    numbers = [rows, late, waiting, state]
    rest = [[data, 0, 0, 0, 0] for data in made[1:]]
    return pd.DataFrame([[made[0] if made else None, *numbers], *rest],
                        columns=[DATA, "rows", "late", "waiting", "state"])


@dataclass
class Packing:
    """Rows by bucket: one row of bytes for those of each bucket in a batch."""

    __name__ = "by bucket"

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in filter(len, batches):
            of = batch.column(BUCKET).to_numpy()
            rows = batch.drop_columns([BUCKET])
            order = np.argsort(of, kind="stable")
            chosen, starts = np.unique(of[order], return_index=True)
            parts = [bytes_of(rows.take(pa.array(own))) for own in np.split(order, starts[1:])]
            yield pa.RecordBatch.from_arrays([pa.array(chosen, pa.int32()), pa.array(
                parts, pa.binary())], names=[BUCKET, DATA])


class Unpacking:
    """The rows that the bytes hold; Spark shows its name."""

    def __init__(self, name: str = "rows"):
        self.__name__ = name

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for data in filter(None, batch.column(DATA).to_pylist()):
                yield batch_in(data)


_KEPT: dict[str, dict[int, tuple[str, PartWorker]]] = {}
"""What this Python worker knows of buckets, by the part of a program, each with the version of its
state: Spark may have had another worker serve the bucket meanwhile, or do a batch again."""

MOST_PARTS = 8
"""Of so many parts of programs a worker keeps the buckets."""


class BucketProcessor(StatefulProcessor):
    """The stages of a part, for one bucket after another."""

    def __init__(self, data: bytes):
        self.data, self.name = data, uuid4().hex

    def init(self, handle) -> None:
        settle()
        self.pages = BucketPages(handle)

    def handleInputRows(self, key, rows, timerValues) -> Iterator[pd.DataFrame]:
        batches = [batch_in(data) for frame in rows for data in frame[DATA]]
        if not batches:
            return
        batch = pa.concat_batches(batches)
        try:
            made = self._advanced(int(key[0]), batch)
        except AnabranchError as error:
            raise told(error) from None
        yield given(made, len(batch), state=self.pages.size())

    def _advanced(self, bucket: int, batch: pa.RecordBatch) -> list[bytes]:
        """What the rows of a batch make, after which the state is the next one."""
        kept = self._kept()
        version, worker = kept.pop(bucket, (None, None))
        if worker is None or version != self.pages.version():
            worker = PartWorker(fitted(self._task(), batch))
            self.pages.load(worker)
        portions = worker.portions([in_sequence(worker.layout, batch)])
        made = [bytes_of(out) for portion in portions for out in worker.advance(portion)]
        kept[bucket] = self.pages.save(worker, bucket), worker
        return made

    def _task(self) -> PartTask:
        return loaded(self.data)

    def _kept(self) -> dict[int, tuple[str, PartWorker]]:
        kept = _KEPT.pop(self.name, {})
        while len(_KEPT) >= MOST_PARTS:
            del _KEPT[next(iter(_KEPT))]
        _KEPT[self.name] = kept
        return kept

    def close(self) -> None:
        """What is known stays for the next batch."""


def in_sequence(layout: Layout, batch: pa.RecordBatch) -> pa.RecordBatch:
    """The rows of a batch in the order of the program: Spark gives them in none."""
    keys = [(name, "ascending") for name in layout.group_names]
    return batch.take(pc.sort_indices(batch, keys))
