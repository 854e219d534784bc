"""Workers that take blocks through stations, in order where order matters.

A station's blocks are prepared one after the other; those of a stateless station are then computed
by as many workers as are free. Nothing depends on which worker does what.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Condition, Thread

import numpy as np

from anabranch.sdf.stations import Arrays, Ring, Station

AHEAD = 4
"""So many blocks for each worker may be under way at a time."""


@dataclass
class Place:
    """A station in the line: the channels it reads and writes, and how far it has come."""

    station: Station | Ring
    inputs: list[int]
    outputs: list[int]
    next: int = 0
    done: int = 0
    preparing: bool = False
    computing: int = 0
    queued: bool = field(default=False)

    def is_open(self) -> bool:
        """Whether another block may be begun now."""
        free = not self.preparing and not self.queued
        return free and (self.station.stateless or not self.computing)


class Crew:
    """Runs blocks `0 .. count - 1` through all places."""

    def __init__(self, places: list[Place], channels: int, count: int, workers: int,
                 progress: Callable[[int], None] | None = None):
        self.places, self.count, self.workers, self.progress = places, count, workers, progress
        self.blocks: list[dict[int, np.ndarray]] = [{} for _ in range(channels)]
        self.changed, self.ready = Condition(), []
        self.failure: BaseException | None = None
        self.readers = {channel: index for index, place in enumerate(places)
                        for channel in place.inputs}

    def run(self) -> None:
        """Works until all blocks are through; raises what a station raised."""
        with self.changed:
            for index in range(len(self.places)):
                self._offer(index)
        threads = [Thread(target=self._work, daemon=True) for _ in range(self.workers - 1)]
        for thread in threads:
            thread.start()
        self._work()
        for thread in threads:
            thread.join()
        if self.failure is not None:
            raise self.failure

    def _work(self) -> None:
        try:
            while (taken := self._taken()) is not None:
                self._serve(*taken)
        except BaseException as error:
            with self.changed:
                self.failure = self.failure or error
                self.changed.notify_all()

    def _taken(self) -> tuple[int, int, Arrays] | None:
        """The next block of some place, earliest blocks first; None when there are no more."""
        with self.changed:
            while not self.ready:
                if self.failure or all(p.done == self.count for p in self.places):
                    return None
                self.changed.wait()
            if self.failure:
                return None
            block, index = heapq.heappop(self.ready)
            place = self.places[index]
            place.queued, place.preparing = False, True
            place.computing += 1
            return block, index, [self.blocks[c].pop(block) for c in place.inputs]

    def _serve(self, block: int, index: int, arrays: Arrays) -> None:
        place = self.places[index]
        request = place.station.prepare(block, arrays)
        with self.changed:
            place.preparing, place.next = False, block + 1
            self._offer(index)
        outputs = place.station.run(request)
        with self.changed:
            self._finished(block, index, outputs)

    def _finished(self, block: int, index: int, outputs: Arrays) -> None:
        place = self.places[index]
        place.computing -= 1
        place.done += 1
        for channel, array in zip(place.outputs, outputs, strict=True):
            self.blocks[channel][block] = array
            self._offer(self.readers[channel])
        self._offer(index)
        if not place.outputs:
            self._advance()
        self.changed.notify_all()

    def _advance(self) -> None:
        """A block has left the line: places at its beginning may go on."""
        for index, place in enumerate(self.places):
            if not place.inputs:
                self._offer(index)
        if self.progress is not None:
            self.progress(min(p.done for p in self.places))

    def _offer(self, index: int) -> None:
        """Puts the next block of a place on the list, if it can be begun."""
        place = self.places[index]
        block = place.next
        if not place.is_open() or block >= self.count:
            return
        if not all(block in self.blocks[c] for c in place.inputs):
            return
        if not place.inputs and block - min(p.done for p in self.places) >= AHEAD * self.workers:
            return
        place.queued = True
        heapq.heappush(self.ready, (block, index))
        self.changed.notify()
