"""The intake: source tuples are cut into slices, by size or by time."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterable

from anabranch.batch.slices import Batch, Slice
from anabranch.engine.multicore.crew import Crew
from anabranch.engine.multicore.sizing import OpenPieces, Room, Sizing, is_small_for
from anabranch.ir.graph import Operator
from anabranch.runtime.ends.columns import Chunk

LOOK_AGAIN = 0.001
"""So many seconds pass until it is looked again whether the workers still have enough to do."""

AN_INSTANT = 20e-6
"""Seconds: with what the clock adds, a worker wakes in this time."""


class Intake:
    """Fills an open slice. Full slices are put into the network; so is one that has waited for
    `seconds` while a worker has nothing to do: a slow source must not wait for a full slice. Tuples
    that the source itself takes longer for go alone: waiting would not bring another. What comes in
    pieces goes at once, unless everybody has enough to do: then small ones go together.

    The `sizing` says when a slice is full; at most `bound` are under way, each `divided` between so
    many processes. `coming` is how many rows there will be, about, if that is known. `took`, if it
    is set, is told for each slice how many rows it had and how many seconds these took from there
    to the sinks.
    """

    def __init__(self, crew: Crew, sizing: Sizing, seconds: float, bound: int, divided: int = 1,
                 coming: int | None = None):
        self.crew, self.sizing, self.seconds, self.coming = crew, sizing, seconds, coming
        self.room = Room(crew, sizing, bound, divided)
        self.size = sizing.size()
        self.lock = threading.Lock()
        self.number = self.came_in = 0
        self.is_open = self.reading = self.has_begun = False
        self.queues: list[str] = []
        self.items: list[object] = []
        self.pieces = OpenPieces()
        self.came = self.opened = self.closed = 0.0
        self.last_rows = 1
        self.took: Callable[[int, float], None] | None = None

    def taken(self, tuples: Iterable[tuple[Operator, object] | Chunk]) -> None:
        """Takes in all source tuples."""
        self.reading = True
        for given in tuples:
            if isinstance(given, Chunk):
                self._take_chunk(given)
                self._let_begin()
                continue
            source, item = given
            while not self._added(source.outputs[0], item):
                self._make_room()

    def _take_chunk(self, chunk: Chunk) -> None:
        """Puts the rows of a chunk into the network, in slices of the size that they are worth."""
        start = 0
        while start < chunk.rows:
            if added := self._added_rows(chunk, start):
                start += added
            else:
                self._make_room()

    def _let_begin(self) -> None:
        """Lets a worker have the interpreter for the first slice: who takes in one chunk after the
        other never waits, and keeps it until there is no more room."""
        if not self.has_begun:
            self.has_begun = True
            time.sleep(AN_INSTANT)

    def _make_room(self) -> None:
        self.came = time.monotonic()
        self.room.keep()

    def interrupt(self, reader: int) -> None:
        """Wakes the reading thread from a source that gives nothing, if it waits for one."""
        with self.lock:
            if self.reading:
                self.reading = False
                signal.pthread_kill(reader, signal.SIGINT)

    def leave(self) -> None:
        """The reading thread reads no more, so that nobody is to wake it."""
        with self.lock:
            self.reading = False

    def _added(self, queue: str, item: object) -> bool:
        """False when a new slice must be begun and there is no room for it yet."""
        with self.lock:
            self.reading = False
            if self.pieces.rows:
                self._cut()
            if not self.is_open:
                if not self._begun():
                    return False
                self._size_up()
            self.queues.append(queue)
            self.items.append(item)
            if len(self.items) >= self.size:
                self._cut()
            self.reading = True
            return True

    def _added_rows(self, chunk: Chunk, start: int) -> int:
        """The same for the next rows of a chunk; how many that are. A small chunk may wait while
        everybody has enough to do, until the slice is full."""
        with self.lock:
            self.reading = False
            full = self.sizing.size(chunk.in_columns)
            is_small = is_small_for(chunk.rows, full, self.sizing.divided, self.sizing.share)
            if self.is_open and not (is_small and self.pieces.go_with(chunk, full)):
                self._cut()
            if not self.is_open and not self._begun():
                return 0
            size = self.sizing.size(chunk.in_columns, self._left_of(chunk, start))
            piece = chunk.part(start, min(chunk.rows, start + size))
            self.pieces.add(piece)
            if not (is_small and self.room.is_short):
                self._cut()
            elif self.pieces.rows == piece.rows:
                self.crew.attend()
            self.reading = True
            return piece.rows

    def _left_of(self, chunk: Chunk, start: int) -> int | None:
        """How many rows are still to come: a list comes whole, a file in many chunks of columns."""
        if not chunk.in_columns:
            return chunk.rows - start
        return None if self.coming is None else max(chunk.rows - start, self.coming - self.came_in)

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
            # Pieces have come with all that there was: nothing more is waited for.
            wait = 0.0 if self.pieces.rows else self.opened + self.seconds - time.monotonic()
            if self.room.is_short if self.pieces.rows else self.room.has_plenty:
                return max(wait, LOOK_AGAIN)
            if wait <= 0:
                self._cut()
                return 0.0
            return wait

    def finish(self, name: str) -> None:
        """A slice that tells an operator of the end of the input."""
        self.room.take()
        with self.lock:
            self._put(Slice(self._next_number(), name, self._empty(), 0))

    def emitted(self, slice_: Slice) -> None:
        """The slice has left at the sinks."""
        with self.crew.changed:
            self.sizing.left(slice_.rows, slice_.seconds)
            self.room.give_back()
        if self.took is not None:
            self.took(slice_.rows, time.monotonic() - slice_.opened)

    def wait_until_all_emitted(self) -> None:
        self.room.wait_until_empty()

    def _begun(self) -> bool:
        if not self.room.used():
            return False
        self.is_open, self.opened = True, time.monotonic()
        return True

    def _size_up(self) -> None:
        self.size = 1 if self._comes_alone() else self.sizing.size()
        if self.size > 1:
            # An idle worker must know that there is a slice to look after.
            self.crew.attend()

    def _comes_alone(self) -> bool:
        """Whether the source has nothing else to give so soon, nor had the last time: a fast one
        may be late once."""
        return self.last_rows == 1 and self.came - self.closed > self.seconds

    def _cut(self) -> None:
        chunk = self.pieces.taken() if self.pieces.rows else Chunk(self._batches(), len(self.items))
        self.is_open, self.queues, self.items = False, [], []
        self.closed, self.last_rows = time.monotonic(), chunk.rows
        self.came_in += chunk.rows
        with self.crew.changed:
            self.crew.scheduler.read(chunk.rows)
        self._put(Slice(self._next_number(), None, self._empty() | chunk.batches, chunk.rows,
                        opened=self.opened))

    def _batches(self) -> dict[str, Batch]:
        """The rows by source. Where all come from one, their place is their origin."""
        if len(set(self.queues)) == 1:
            return {self.queues[0]: Batch(range(len(self.items)), self.items)}
        batches = self._empty()
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
