"""The query of Structured Streaming that drives a stream: it tells which files belong to a batch.

Spark lists the folders, notes in its checkpoint which files are new, and calls for a batch; it
repeats a batch that it has not seen the end of. The content of the files is not its business.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from threading import Condition, Event
from typing import TYPE_CHECKING

from anabranch.engine.spark.computing import last_words
from anabranch.engine.spark.streaming.interruption import interruption
from anabranch.engine.spark.streaming.listing import Listing
from anabranch.engine.spark.streaming.log import check_log
from anabranch.engine.spark.streaming.pipes import Pipe
from anabranch.engine.spark.streaming.settings import AVAILABLE, Settings
from anabranch.engine.spark.streaming.stream import Stream
from anabranch.errors import RunError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming import StreamingQuery

POLL = 0.1


class Stopped(Exception):
    """The stream is being stopped, so this batch does not happen now."""


class Query:
    """Runs a stream until it is interrupted, or has read what is there, or nothing comes, or all
    has come."""

    def __init__(self, listing: Listing, stream: Stream, settings: Settings,
                 pipes: Sequence[Pipe] = ()):
        self.listing, self.stream, self.settings, self.pipes = listing, stream, settings, pipes
        self.turn, self.busy, self.stopping = Condition(), False, False
        self.error: Exception | None = None
        self.active: float | None = None

    def run(self) -> None:
        """Ctrl-C stops it behind the batch that is being done; once more, and it stops at once."""
        if self.stream.manifest.ended:
            return
        with interruption() as interrupted:
            if self.settings.trigger == AVAILABLE:
                self._wait_for_pipes(interrupted)
            self._go_on(interrupted)

    def _go_on(self, interrupted: Event) -> None:
        trigger = self.settings.trigger
        while not interrupted.is_set():
            before = self.stream.manifest.number
            if not self.stream.is_full:
                self._until_done(trigger, interrupted)
            if interrupted.is_set() or not self._may_end():
                return
            if self.stream.is_full or (trigger == AVAILABLE
                                       and self.stream.manifest.number == before):
                self.stream.end()
                return
            # Files may have come while the query was being stopped; then it goes on with them.
            look = trigger != AVAILABLE or self._have_ended()
            trigger = AVAILABLE if look else self.settings.trigger

    def _may_end(self) -> bool:
        return self.settings.until_idle is not None or self.stream.is_full or self._have_ended()

    def _have_ended(self) -> bool:
        """Whether every source is a pipe that has come to its end."""
        return len(self.pipes) == len(self.listing.sources) and all(
            pipe.ended.is_set() for pipe in self.pipes)

    def _wait_for_pipes(self, interrupted: Event) -> None:
        while not (interrupted.is_set() or all(pipe.ended.is_set() for pipe in self.pipes)):
            interrupted.wait(POLL)

    def _until_done(self, trigger: dict[str, object], interrupted: Event) -> None:
        self.stopping, self.active = False, None
        query = self._started(trigger)
        try:
            while query.isActive and not self._is_over(query, trigger):
                if interrupted.wait(POLL):
                    break
            # What happens to a query that is being stopped is no failure.
            failure = None if query.isActive else query.exception()
        finally:
            self._stop(query)
        self._raise_errors()
        if failure is not None:
            raise RunError("Spark could not go on with the stream", got=_cause(failure))

    def _raise_errors(self) -> None:
        for error in (self.error, *(pipe.error for pipe in self.pipes)):
            if error is not None:
                raise error

    def _started(self, trigger: dict[str, object]) -> StreamingQuery:
        check_log(self.stream.checkpoint.spark, self.stream.manifest.spark)
        try:
            writer = self.listing.frame().writeStream.foreachBatch(self._batch)
            writer = writer.option("checkpointLocation", self.stream.checkpoint.spark)
            return writer.trigger(**trigger).start()
        except Exception as error:
            raise RunError("Spark could not begin the stream", got=_cause(error)) from None

    def _batch(self, frame: DataFrame, number: int) -> None:
        """Called by Spark, in a thread of its own."""
        with self.turn:
            if self.stopping:
                raise Stopped
            self.busy = True
        try:
            arrived = self.listing.arrived(self.stream.checkpoint.spark, number)
            self.stream.batch(number, arrived)
        except Exception as error:
            self.error = error
            # Spark needs to know that it failed, and no more.
            raise Stopped from None
        finally:
            with self.turn:
                self.busy, self.active = False, time.monotonic()
                self.turn.notify_all()

    def _is_over(self, query: StreamingQuery, trigger: dict[str, object]) -> bool:
        """Whether there is no reason to wait for more."""
        if self.busy or trigger == AVAILABLE:
            return False
        failed = any(pipe.error is not None for pipe in self.pipes)
        return failed or self.stream.is_full or self._have_ended() or self._is_idle(query)

    def _is_idle(self, query: StreamingQuery) -> bool:
        """Whether nothing has come for long enough."""
        limit, status = self.settings.until_idle, query.status
        if limit is None:
            return False
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


def _cause(error: Exception) -> str:
    """What Spark says of the end of a query, without its plan, its stacks and its threads."""
    _, _, said = str(error).partition("terminated with exception: ")
    first = said.partition("\n")[0] or str(error).partition("\n")[0]
    return first.strip() or last_words(error)
