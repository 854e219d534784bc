"""What drives a stream: a query of Structured Streaming, or a watch of our own.

Spark lists the folders, notes in its checkpoint which files are new, and calls for a batch; it
repeats a batch that it has not seen the end of. The content of the files is not its business.

On Spark Connect the batches of a query would be handed to a process of the server's, which knows
neither the user's callbacks nor this checkpoint, so folders are looked at from here. What makes a
batch happen once is the same. Ctrl-C lets the batch that has begun be completed.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Condition, Event, current_thread, main_thread
from typing import TYPE_CHECKING

from anabranch.core.errors import RunError
from anabranch.engine.spark.session.computation import last_words
from anabranch.engine.spark.stream.arrivals import FolderListing
from anabranch.engine.spark.stream.batches import RunningStream
from anabranch.engine.spark.stream.log import check_log
from anabranch.engine.spark.stream.pipes import Pipe
from anabranch.engine.spark.stream.settings import AVAILABLE, Settings, interval

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming import StreamingQuery


POLL = 0.1


class QueryStopped(Exception):
    """The stream is being stopped, so this batch does not happen now."""


class Query:
    """Runs a stream until it is interrupted, or has read what is there, or nothing comes, or all
    has come."""

    def __init__(self, listing: FolderListing, stream: RunningStream, settings: Settings,
                 pipes: Sequence[Pipe] = ()):
        self.listing, self.stream, self.settings, self.pipes = listing, stream, settings, pipes
        self.turn, self.busy, self.stopping = Condition(), False, False
        self.error: Exception | None = None
        self.active: float | None = None

    def run(self) -> None:
        """Ctrl-C stops it behind the batch that is being done; once more, and it stops at once."""
        if self.stream.manifest.ended:
            return
        with interruption(self.settings.stopping) as interrupted:
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
                raise QueryStopped
            self.busy = True
        try:
            arrived = self.listing.arrived(self.stream.checkpoint.spark, number)
            self.stream.batch(number, arrived)
        except Exception as error:
            self.error = error
            # Spark needs to know that it failed, and no more.
            raise QueryStopped from None
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


class Watch(Query):
    """Does what a query does; its listing is a `FolderScan`."""

    def _until_done(self, trigger: dict[str, object], interrupted: Event) -> None:
        self.active = time.monotonic()
        while not self._is_over(None, trigger):
            begun = time.monotonic()
            if self._next_batch():
                pause = interval(trigger) - (time.monotonic() - begun)
            elif trigger == AVAILABLE:
                break
            else:
                pause = POLL
            if interrupted.wait(max(0.0, pause)):
                break
        self._raise_errors()

    def _next_batch(self) -> bool:
        """Does the batch that was begun, or one of what is new; whether there was any."""
        number = self.stream.manifest.spark + 1
        if self.stream.is_full:
            return False
        if number == len(self.listing.batches) and not self.listing.notice():
            return False
        self.stream.batch(number, self.listing.arrived(number))
        self.listing.done(number)
        self.active = time.monotonic()
        return True

    def _is_idle(self, query: None) -> bool:
        limit = self.settings.until_idle
        return limit is not None and time.monotonic() - self.active > limit


@contextmanager
def interruption(stopping: Event | None = None) -> Iterator[Event]:
    """An event that Ctrl-C sets; the second time it does what it always does."""
    event, before = stopping or Event(), signal.getsignal(signal.SIGINT)
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
