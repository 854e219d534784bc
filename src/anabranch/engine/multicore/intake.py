"""The intake: source tuples are cut into slices, by size or by time, and held back when too many
slices are under way."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterable

from anabranch.engine.multicore.crew import Crew
from anabranch.engine.multicore.feed import Chunk
from anabranch.engine.multicore.sizing import Sizing
from anabranch.engine.multicore.slices import Batch, Slice
from anabranch.ir.graph import Operator

SLICES_ON_TRIAL, LAST_TRIAL = 2, 64
"""As long as it is not known whether a stage needs processes, so many slices are under way at most,
and so many come in all."""

LOOK_AGAIN = 0.001
"""So many seconds pass until it is looked again whether the workers still have enough to do."""


class Intake:
    """Fills an open slice. Full slices are put into the network; so is one that has waited for
    `seconds` while a worker has nothing to do: a slow source must not wait for a full slice. Tuples
    that the source itself takes longer for go alone: waiting would not bring another.

    The `sizing` says when a slice is full, and each is `divided` between so many processes. `took`,
    if it is set, is told for each slice how many rows it had and how many seconds these took from
    there to the sinks.
    """

    def __init__(self, crew: Crew, sizing: Sizing, seconds: float, bound: int, divided: int = 1):
        self.crew, self.sizing, self.seconds, self.bound = crew, sizing, seconds, bound
        self.plenty = 2 + crew.workers // divided
        self.size = sizing.size()
        self.lock = threading.Lock()
        self.under_way = self.most_under_way = self.number = 0
        self.is_open = self.has_room = self.reading = False
        self.queues: list[str] = []
        self.items: list[object] = []
        self.came = self.opened = self.closed = 0.0
        self.last_rows = 1
        self.took: Callable[[int, float], None] | None = None

    def taken(self, tuples: Iterable[tuple[Operator, object] | Chunk]) -> None:
        """Takes in all source tuples."""
        self.reading = True
        for given in tuples:
            if isinstance(given, Chunk):
                self._take_chunk(given)
                continue
            source, item = given
            while not self._added(source.outputs[0], item):
                self.came = time.monotonic()
                self._wait_for_room()
                self.has_room = True

    def _take_chunk(self, chunk: Chunk) -> None:
        """Puts the rows of a chunk into the network, in slices of the size that they are worth."""
        self.cut()
        start = 0
        while start < chunk.rows:
            if not self.has_room:
                self._wait_for_room()
            self.has_room = False
            with self.lock:
                size = self.sizing.size(chunk.in_columns, chunk.rows - start)
                part = chunk.part(start, min(chunk.rows, start + size))
                self._put_rows(self._empty() | part.batches, part.rows, time.monotonic())
            start += part.rows
        self.reading = True

    def interrupt(self, reader: int) -> None:
        """Wakes the reading thread from a source that gives nothing, if it waits for one."""
        with self.lock:
            if self.reading:
                self.reading = False
                signal.pthread_kill(reader, signal.SIGINT)

    def _added(self, queue: str, item: object) -> bool:
        """False when a new slice must be begun and there is no room for it yet."""
        with self.lock:
            self.reading = False
            if not self.is_open and not self._begun():
                return False
            self.queues.append(queue)
            self.items.append(item)
            if len(self.items) >= self.size:
                self._cut()
            self.reading = True
            return True

    def cut(self) -> None:
        """Puts what is there into the network: no more tuples come."""
        with self.lock:
            self.reading = False
            if self.is_open:
                self._cut()

    def cut_old(self) -> float | None:
        """Cuts the open slice if it is old enough; else says how long that takes, if it is open.

        As long as everybody has enough to do it may grow: a fuller one costs less for each row.
        """
        with self.lock:
            if not self.is_open:
                return None
            wait = self.opened + self.seconds - time.monotonic()
            if self.under_way > self.plenty:
                return max(wait, LOOK_AGAIN)
            if wait <= 0:
                self._cut()
                return 0.0
            return wait

    def finish(self, name: str) -> None:
        """A slice that tells an operator of the end of the input."""
        self._wait_for_room()
        with self.lock:
            self._put(Slice(self._next_number(), name, self._empty(), 0))

    def emitted(self, slice_: Slice) -> None:
        """The slice has left at the sinks: there is room for another."""
        with self.crew.changed:
            self.under_way -= 1
            self.sizing.left(slice_.rows, slice_.seconds)
            self.crew.changed.notify_all()
            self.crew.tell()
        if self.took is not None:
            self.took(slice_.rows, time.monotonic() - slice_.opened)

    def wait_until_all_emitted(self) -> None:
        with self.crew.changed:
            # Room that was taken for a slice which never began is not a slice.
            while self.under_way > self.has_room and not self.crew.stopped:
                self.crew.changed.wait()

    def _wait_for_room(self) -> None:
        """Takes the room for one more slice as soon as there is some."""
        with self.crew.changed:
            while self.under_way >= self._bound() and not self.crew.stopped:
                self.crew.changed.wait()
            if self.crew.stopped:
                raise Stopped
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)

    def _bound(self) -> int:
        return min(self.bound, SLICES_ON_TRIAL) if self._is_on_trial() else self.bound

    def _is_on_trial(self) -> bool:
        self.sizing.on_trial = self.sizing.on_trial and self.number < LAST_TRIAL and not all(
            service.settled for service in self.crew.network.services)
        return self.sizing.on_trial

    def _begun(self) -> bool:
        if not self.has_room:
            return False
        self.is_open, self.opened, self.has_room = True, time.monotonic(), False
        self.size = 1 if self._comes_alone() else self.sizing.size()
        if self.size > 1:
            # An idle worker must know that there is a slice to look after.
            self.crew.attend()
        return True

    def _comes_alone(self) -> bool:
        """Whether the source has nothing else to give so soon, nor had the last time: a fast one
        may be late once."""
        return self.last_rows == 1 and self.came - self.closed > self.seconds

    def _cut(self) -> None:
        batches, rows = self._batches(), len(self.items)
        self.is_open, self.queues, self.items = False, [], []
        self.closed, self.last_rows = time.monotonic(), rows
        self._put_rows(batches, rows, self.opened)

    def _put_rows(self, batches: dict[str, Batch], rows: int, opened: float) -> None:
        with self.crew.changed:
            self.crew.scheduler.read(rows)
        self._put(Slice(self._next_number(), None, batches, rows, opened=opened))

    def _batches(self) -> dict[str, Batch]:
        """The rows by source. Where all come from one, their place is their origin."""
        batches = self._empty()
        if len(set(self.queues)) == 1:
            return batches | {self.queues[0]: Batch(range(len(self.items)), self.items)}
        for origin, (queue, item) in enumerate(zip(self.queues, self.items)):
            batches[queue].origins.append(origin)
            batches[queue].items.append(item)
        return batches

    def _put(self, slice_: Slice) -> None:
        self.crew.network.put(slice_)
        self.crew.tell()

    def _next_number(self) -> int:
        self.number += 1
        return self.number - 1

    def _empty(self) -> dict[str, Batch]:
        return {queue: Batch([], []) for queue in self.crew.network.sources}


class Stopped(Exception):
    """The crew has stopped: nothing more is taken in."""
