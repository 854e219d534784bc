"""Actors at work on blocks: arrays with the items of many firings.

A station takes the next block of each input, puts it behind what was left of the one before, and
fires as often as that allows. What is left is known before the firings are computed, so several
workers may compute blocks of one stateless station at a time: each block brings its overlap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from anabranch.sdf.flow import Actor

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
