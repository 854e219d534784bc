"""Actors at work on blocks, and the workers that take blocks through them in order.

Splitters, joiners and the identity only move items.

Actors at work on blocks: arrays with the items of many firings.

A station takes the next block of each input, puts it behind what was left of the one before, and
fires as often as that allows. What is left is known before the firings are computed, so several
workers may compute blocks of one stateless station at a time: each block brings its overlap.

Workers that take blocks through stations, in order where order matters.

A station's blocks are prepared one after the other; those of a stateless station are then computed
by as many workers as are free. Nothing depends on which worker does what.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate
from threading import Condition, Thread

import numpy as np

from anabranch.lang.streamit.sdf.flow import Actor, Join, Split

Arrays = list[np.ndarray]


@dataclass(frozen=True)
class Firings:
    """So many firings in a row, on these arrays; the first of all may have rates of its own."""

    first: bool
    count: int
    inputs: Arrays


Compute = Callable[[Firings], Arrays]


@dataclass
class Station:
    """An actor with what its inputs have left. `share(block)` limits how often a start fires;
    `closing(block)` is told when a block is done."""

    actor: Actor
    compute: Compute
    stateless: bool
    left: Arrays
    most: int | None = None
    share: Callable[[int], int] | None = None
    closing: Callable[[int], None] | None = None
    fired: int = 0

    def prepare(self, block: int, arrays: Arrays) -> tuple[int, list[Firings]]:
        """The firings that a block allows; from now on, what they leave is left."""
        held = [join(left, array) for left, array in zip(self.left, arrays, strict=True)]
        allowed = None if self.share is None else self.share(block)
        firings: list[Firings] = []
        if self.actor.first is not None and self.fired == 0:
            held = self._take(firings, held, True, _least(allowed, 1))
            allowed = None if allowed is None else allowed - self.fired
        if self.actor.first is None or self.fired:
            held = self._take(firings, held, False, allowed)
        self.left = held
        return block, firings

    def _take(self, firings: list[Firings], held: Arrays, first: bool,
              allowed: int | None) -> Arrays:
        rates = self.actor.first if first else self.actor.rates
        spare = None if self.most is None else self.most - self.fired
        count = possible(rates.peeks, rates.pops, [len(h) for h in held], _least(allowed, spare))
        if not count:
            return held
        firings.append(Firings(first, count, held))
        self.fired += count
        return [h[count * pop:] for h, pop in zip(held, rates.pops)]

    def run(self, request: tuple[int, list[Firings]]) -> Arrays:
        """What a block gives, one array for each output."""
        block, firings = request
        outputs = self.fire(firings)
        if self.closing is not None:
            self.closing(block)
        return outputs

    def fire(self, firings: list[Firings]) -> Arrays:
        given = [self.compute(each) for each in firings]
        return [joined([arrays[port] for arrays in given])
                for port in range(len(self.actor.rates.pushes))]


def possible(peeks: tuple[int, ...], pops: tuple[int, ...], held: list[int],
             allowed: int | None) -> int:
    """How often in a row an actor can fire with so many items on its inputs.

    >>> possible((4,), (2,), [9], None)
    3
    """
    for peek, pop, items in zip(peeks, pops, held):
        if items < max(peek, pop):
            return 0
        if pop:
            allowed = _least(allowed, (items - max(peek, pop)) // pop + 1)
    return 1 if allowed is None else max(allowed, 0)


def _least(*given: int | None) -> int | None:
    known = [each for each in given if each is not None]
    return min(known) if known else None


def join(left: np.ndarray, array: np.ndarray) -> np.ndarray:
    """One array behind the other, without copying where there is nothing to join."""
    if not len(left):
        return array
    return np.concatenate((left, array)) if len(array) else left


def joined(arrays: Arrays) -> np.ndarray:
    """All of them in a row."""
    full = [array for array in arrays if len(array)]
    if len(full) == 1:
        return full[0]
    return np.concatenate(full) if full else np.zeros(0)


@dataclass
class Ring:
    """Stations that feed each other: together one station, which fires them while any can.

    `inside` has the channels between them as (station, output, station, input), `inputs` and
    `outputs` those to the outside as (station, port).
    """

    stations: list[Station]
    inside: list[tuple[int, int, int, int]]
    inputs: list[tuple[int, int]]
    outputs: list[tuple[int, int]]
    stateless: bool = field(default=False, init=False)

    def __post_init__(self):
        self.shares = [station.share for station in self.stations]

    def prepare(self, block: int, arrays: Arrays) -> tuple[int, Arrays]:
        return block, arrays

    def run(self, request: tuple[int, Arrays]) -> Arrays:
        block, arrays = request
        for (station, port), array in zip(self.inputs, arrays, strict=True):
            left = self.stations[station].left
            left[port] = join(left[port], array)
        allowed = [share(block) if share else None for share in self.shares]
        given: list[Arrays] = [[] for _ in self.outputs]
        while self._pass(allowed, given):
            pass
        for station in self.stations:
            if station.closing is not None:
                station.closing(block)
        return [joined(arrays) for arrays in given]

    def _pass(self, allowed: list[int | None], given: list[Arrays]) -> bool:
        """Lets every station fire as often as it can now; False when none could."""
        moved = False
        for index, station in enumerate(self.stations):
            before = station.fired
            limit = allowed[index]
            station.share = None if limit is None else (lambda block, limit=limit: limit)
            empty = [left[:0] for left in station.left]
            _, firings = station.prepare(0, empty)
            outputs = station.fire(firings)
            fired = station.fired - before
            if fired:
                moved = True
                allowed[index] = None if limit is None else limit - fired
                self._deliver(index, outputs, given)
        return moved

    def _deliver(self, index: int, outputs: Arrays, given: list[Arrays]) -> None:
        for source, port, target, into in self.inside:
            if source == index:
                left = self.stations[target].left
                left[into] = join(left[into], outputs[port])
        for place, (source, port) in enumerate(self.outputs):
            if source == index:
                given[place].append(outputs[port])


def mover(body: Split | Join | None, outputs: int) -> Compute:
    """What an actor that only moves items does with a block."""
    if isinstance(body, Split):
        return _duplicated(outputs) if body.weights is None else _dealt(body.weights)
    return _gathered(body.weights) if isinstance(body, Join) else _duplicated(1)


def _duplicated(outputs: int) -> Compute:
    # Nobody writes into a block, so all readers may share it.
    return lambda firings: [firings.inputs[0][:firings.count]] * outputs


def _dealt(weights: tuple[int, ...]) -> Compute:
    total, columns = sum(weights), _columns(weights)

    def dealt(firings: Firings) -> Arrays:
        rows = firings.inputs[0][:firings.count * total].reshape(firings.count, total)
        return [np.ascontiguousarray(rows[:, column]).reshape(-1) for column in columns]
    return dealt


def _gathered(weights: tuple[int, ...]) -> Compute:
    total, columns = sum(weights), _columns(weights)

    def gathered(firings: Firings) -> Arrays:
        rows = np.empty((firings.count, total), firings.inputs[0].dtype)
        for items, weight, column in zip(firings.inputs, weights, columns):
            part = items[:firings.count * weight]
            rows[:, column] = part if weight == 1 else part.reshape(-1, weight)
        return [rows.reshape(-1)]
    return gathered


def _columns(weights: tuple[int, ...]) -> list[int | slice]:
    """The columns of each share; a single one as a number, which NumPy copies in one go.

    >>> _columns((1, 2))
    [0, slice(1, 3, None)]
    """
    ends = list(accumulate(weights))
    return [end - 1 if weight == 1 else slice(end - weight, end)
            for weight, end in zip(weights, ends)]


AHEAD = 4
"""So many blocks for each worker may be under way at a time."""


@dataclass
class StationPlace:
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


class BlockWorkers:
    """Runs blocks `0 .. count - 1` through all places."""

    def __init__(self, places: list[StationPlace], channels: int, count: int, workers: int,
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
