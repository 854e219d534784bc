"""The intake: source tuples are cut into slices, by size or by time, and held back when too many
slices are under way."""

from __future__ import annotations

import threading
import time

from anabranch.engine.multicore.crew import Crew
from anabranch.engine.multicore.slices import Batch, Slice
from anabranch.ir.graph import Operator


class Intake:
    """Fills an open slice. Full slices are put into the network; so is one that has waited for
    `seconds` while a worker has nothing to do: a slow source must not wait for a full slice."""

    def __init__(self, crew: Crew, size: int, seconds: float, bound: int):
        self.crew, self.size, self.seconds, self.bound = crew, size, seconds, bound
        self.lock = threading.Lock()
        self.under_way = self.most_under_way = self.number = 0
        self.open: dict[str, Batch] | None = None
        self.rows, self.opened, self.has_room = 0, 0.0, False

    def add(self, source: Operator, item: object) -> None:
        while not self._added(source.outputs[0], item):
            self._wait_for_room()
            self.has_room = True

    def _added(self, queue: str, item: object) -> bool:
        """False when a new slice must be begun and there is no room for it yet."""
        with self.lock:
            if self.open is None and not self.has_room:
                return False
            if self.open is None:
                self._begin()
            self.open[queue].origins.append(self.rows)
            self.open[queue].items.append(item)
            self.rows += 1
            if self.rows >= self.size:
                self._cut()
            return True

    def cut(self) -> None:
        """Puts what is there into the network."""
        with self.lock:
            if self.open is not None:
                self._cut()

    def cut_old(self) -> float | None:
        """Cuts the open slice if it is old enough; else says how long that takes, if it is open."""
        with self.lock:
            if self.open is None:
                return None
            wait = self.opened + self.seconds - time.monotonic()
            if wait <= 0:
                self._cut()
                return 0.0
            return wait

    def finish(self, name: str) -> None:
        """A slice that tells an operator of the end of the input."""
        self._wait_for_room()
        with self.lock:
            self._put(Slice(self._next_number(), name, self._empty()))

    def emitted(self, slice_: Slice) -> None:
        """The slice has left at the sinks: there is room for another."""
        with self.crew.changed:
            self.under_way -= 1
            self.crew.tell()

    def wait_until_all_emitted(self) -> None:
        with self.crew.changed:
            # Room that was taken for a slice which never began is not a slice.
            while self.under_way > self.has_room and not self.crew.stopped:
                self.crew.changed.wait()

    def _wait_for_room(self) -> None:
        """Takes the room for one more slice as soon as there is some."""
        with self.crew.changed:
            while self.under_way >= self.bound and not self.crew.stopped:
                self.crew.changed.wait()
            if self.crew.stopped:
                raise Stopped
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)

    def _begin(self) -> None:
        self.open, self.opened, self.has_room = self._empty(), time.monotonic(), False
        if self.size > 1:
            # An idle worker must know that there is a slice to look after.
            self.crew.tell()

    def _cut(self) -> None:
        slice_ = Slice(self._next_number(), None, self.open)
        with self.crew.changed:
            self.crew.scheduler.read(self.rows)
        self.open, self.rows = None, 0
        self._put(slice_)

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
