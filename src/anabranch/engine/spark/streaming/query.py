"""The query of Structured Streaming that drives a stream: it tells which files belong to a batch.

Spark lists the folders, notes in its checkpoint which files are new, and calls for a batch; it
repeats a batch that it has not seen the end of. The content of the files is not its business.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce
from threading import Condition, Event, current_thread, main_thread
from typing import TYPE_CHECKING

from anabranch.engine.spark.computing import last_words
from anabranch.engine.spark.streaming.intake import Arrived, grows
from anabranch.engine.spark.streaming.settings import Settings
from anabranch.engine.spark.streaming.stream import Stream
from anabranch.errors import RunError
from anabranch.io.paths import is_glob
from anabranch.ir.graph import Graph, Operator

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

SCHEMA = "path string, modificationTime timestamp, length long, content binary"
EVER = "365000d"
"""Spark leaves out files that are older than the latest one by more than this."""

POLL = 0.1


class Stopped(Exception):
    """The stream is being stopped, so this batch does not happen now."""


class Query:
    """Runs a stream until it is interrupted, or has read what is there, or nothing comes."""

    def __init__(self, session: SparkSession, graph: Graph, stream: Stream, settings: Settings):
        self.session, self.graph, self.stream, self.settings = session, graph, stream, settings
        self.sources = [op for op in graph.sources if grows(op)]
        self.turn, self.busy, self.stopping = Condition(), False, False
        self.error: Exception | None = None
        self.active: float | None = None

    def run(self) -> None:
        """Ctrl-C stops it behind the batch that is being done; once more, and it stops at once."""
        if self.stream.manifest.ended:
            return
        with interruption() as interrupted:
            self._until_done(self.settings.trigger, interrupted)
            while self.settings.until_idle is not None and not interrupted.is_set():
                before = self.stream.manifest.number
                self._until_done({"availableNow": True}, interrupted)
                if self.stream.manifest.number == before and not interrupted.is_set():
                    self.stream.end()
                    break
                # Files had come while the query was being stopped, so it was not idle after all.
                self._until_done(self.settings.trigger, interrupted)

    def _until_done(self, trigger: dict[str, object], interrupted: Event) -> None:
        self.stopping, self.active = False, None
        query = self._started(trigger)
        try:
            while query.isActive and not self._is_idle(query, trigger):
                if interrupted.wait(POLL):
                    break
            # What happens to a query that is being stopped is no failure.
            failure = None if query.isActive else query.exception()
        finally:
            self._stop(query)
        if self.error is not None:
            raise self.error
        if failure is not None:
            raise RunError("Spark could not go on with the stream", got=_cause(failure))

    def _started(self, trigger: dict[str, object]) -> StreamingQuery:
        writer = self._files().writeStream.foreachBatch(self._batch)
        writer = writer.option("checkpointLocation", self.stream.checkpoint.spark)
        return writer.trigger(**trigger).start()

    def _files(self) -> DataFrame:
        """The files of all sources, each with the number of its source."""
        from pyspark.sql.functions import lit

        frames = [self._reader(op).load(os.path.abspath(op.kind.spec.path))
                  .select(lit(n).alias("source"), "path", "length")
                  for n, op in enumerate(self.sources)]
        return reduce(lambda a, b: a.union(b), frames)

    def _reader(self, op: Operator):
        reader = self.session.readStream.format("binaryFile").schema(SCHEMA)
        reader = reader.option("maxFileAge", EVER)
        if not is_glob(op.kind.spec.path):
            return reader.option("pathGlobFilter", name_filter(op.kind.spec.extensions))
        return reader

    def _batch(self, frame: DataFrame, number: int) -> None:
        """Called by Spark, in a thread of its own."""
        with self.turn:
            if self.stopping:
                raise Stopped
            self.busy = True
        try:
            self.stream.batch(number, self._arrived(frame))
        except Exception as error:
            self.error = error
            # Spark needs to know that it failed, and no more.
            raise Stopped from None
        finally:
            with self.turn:
                self.busy, self.active = False, time.monotonic()
                self.turn.notify_all()

    def _arrived(self, frame: DataFrame) -> Iterator[Arrived]:
        for row in frame.collect():
            op, file = self.sources[row.source], row.path.removeprefix("file:")
            file = "/" + file.lstrip("/")
            # Spark looks into the folders of a folder too.
            if is_glob(op.kind.spec.path) or os.path.dirname(file) == os.path.abspath(
                    op.kind.spec.path):
                yield Arrived(op.name, file, row.length)

    def _is_idle(self, query: StreamingQuery, trigger: dict[str, object]) -> bool:
        """Whether nothing has come for long enough."""
        limit = self.settings.until_idle
        if limit is None or "availableNow" in trigger or self.busy:
            return False
        status = query.status
        if self.active is None and status["message"].startswith("Waiting"):
            # Only now has it looked for the first time.
            self.active = time.monotonic()
        return (self.active is not None and time.monotonic() - self.active > limit
                and not status["isDataAvailable"])

    def _stop(self, query: StreamingQuery) -> None:
        with self.turn:
            self.stopping = True
            self.turn.wait_for(lambda: not self.busy)
        query.stop()


@contextmanager
def interruption() -> Iterator[Event]:
    """An event that Ctrl-C sets; the second time it does what it always does."""
    event, before = Event(), signal.getsignal(signal.SIGINT)
    if current_thread() is not main_thread() or before is signal.SIG_IGN:
        yield event
        return

    def note(*_: object) -> None:
        event.set()
        signal.signal(signal.SIGINT, before)
    signal.signal(signal.SIGINT, note)
    try:
        yield event
    finally:
        signal.signal(signal.SIGINT, before)


def _cause(error: Exception) -> str:
    """What Spark says of the end of a query, without its plan and its stacks."""
    _, _, said = str(error).partition("terminated with exception: ")
    return said.partition("\n")[0] or last_words(error)


def name_filter(extensions: tuple[str, ...]) -> str:
    """Hadoop's pattern for names with one of the extensions, in capitals or not.

    >>> name_filter((".csv",)), name_filter((".a", ".b"))
    ('{*.[cC][sS][vV]}', '{*.[aA],*.[bB]}')
    """
    def either(letter: str) -> str:
        return f"[{letter}{letter.upper()}]" if letter.isalpha() else letter
    return "{" + ",".join("*" + "".join(map(either, e)) for e in extensions) + "}"


