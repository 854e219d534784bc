"""Streams merged by an attribute, in columns, as `union(on=...)` does by item.

An item goes on as soon as every other port has one that comes behind it; ties go by port. So of
each port all go that come before the last ones of all other ports, where no port goes back in time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from anabranch.batch.items import Columns, have_one_schema, joined


class NotInOrder(Exception):
    """A port goes back in time, or has an item without one: what happens then is known item by item
    only."""


@dataclass
class Port:
    """What is held of one port, in pieces: the items, their times, and as which they arrived."""

    items: list[Columns] = field(default_factory=list)
    times: list[np.ndarray] = field(default_factory=list)
    arrivals: list[np.ndarray] = field(default_factory=list)

    def continues(self, times: np.ndarray) -> bool:
        """Whether these times come behind those that are held."""
        held = [piece[-1:] for piece in self.times[-1:]]
        known = np.concatenate([*held, times])
        # A time that is no number is not even equal to itself.
        return bool((known[1:] >= known[:-1]).all() and (times == times).all())

    def add(self, items: Columns, times: np.ndarray, arrivals: np.ndarray) -> None:
        if len(times):
            self.items.append(items)
            self.times.append(times)
            self.arrivals.append(arrivals)

    def in_one_piece(self) -> None:
        if len(self.times) > 1:
            self.items, self.times, self.arrivals = [joined(self.items)], [
                np.concatenate(self.times)], [np.concatenate(self.arrivals)]

    def taken(self, count: int) -> Columns:
        """Takes so many from the front of its one piece."""
        gone = self.items[0][:count]
        for part in (self.items, self.times, self.arrivals):
            part[0] = part[0][count:]
        if not len(self.times[0]):
            self.items, self.times, self.arrivals = [], [], []
        return gone


class Merging:
    """The ports of a union, what they hold, and how many rows have come."""

    def __init__(self, ports: int, on: str):
        self.ports, self.on, self.came = [Port() for _ in range(ports)], on, 0

    def merged(self, ports: Sequence[int], items: Columns) -> tuple[np.ndarray, Columns]:
        """What goes on with the rows of a slice, each at its port: the items, and the row that lets
        each of them go. `NotInOrder`, with nothing done, when that cannot be said."""
        began, self.came = self.came, self.came + len(items)
        self._add(np.asarray(ports), items, began)
        if not all(port.times for port in self.ports):
            return np.zeros(0, np.int64), items[:0]
        for port in self.ports:
            port.in_one_piece()
        counts = [self._free(number) for number in range(len(self.ports))]
        let_go = np.concatenate([self._let_go(n, count) for n, count in enumerate(counts)])
        order = self._order(counts)
        return let_go[order] - began, self._taken(counts).taken(order)

    def rest(self) -> Columns | None:
        """All that is held, in order; None when nothing is."""
        filled = [port for port in self.ports if port.times]
        for port in filled:
            port.in_one_piece()
        counts = [len(port.times[0]) if port.times else 0 for port in self.ports]
        order = self._order(counts)
        return self._taken(counts).taken(order) if filled else None

    def _add(self, ports: np.ndarray, items: Columns, began: int) -> None:
        times = items.column(self.on)
        held = [piece for port in self.ports for piece in port.items]
        # Wall-clock times are not compared with instants.
        if times.null_count or not have_one_schema([items, *held]):
            raise NotInOrder
        times = times.to_numpy(zero_copy_only=False)
        rows = [np.flatnonzero(ports == number) for number in range(len(self.ports))]
        if not all(port.continues(times[own]) for port, own in zip(self.ports, rows)):
            raise NotInOrder
        for port, own in zip(self.ports, rows):
            port.add(items if len(own) == len(items) else items.taken(own), times[own], began + own)

    def _others(self, number: int) -> list[tuple[int, Port]]:
        return [(n, port) for n, port in enumerate(self.ports) if n != number]

    def _free(self, number: int) -> int:
        """How many of a port come before the last one of each other port."""
        times = self.ports[number].times[0]
        return min(int(np.searchsorted(times, port.times[0][-1], "right" if number < n else "left"))
                   for n, port in self._others(number))

    def _let_go(self, number: int, count: int) -> np.ndarray:
        """As which row the last of those arrived that let each of the first items of a port go:
        itself, and the first at each other port that comes behind it."""
        own, arrivals = self.ports[number].times[0][:count], self.ports[number].arrivals[0][:count]
        for n, port in self._others(number):
            behind = np.searchsorted(port.times[0], own, "left" if number < n else "right")
            arrivals = np.maximum(arrivals, port.arrivals[0][behind])
        return arrivals

    def _order(self, counts: Sequence[int]) -> np.ndarray:
        times = [port.times[0][:count] for port, count in zip(self.ports, counts) if count]
        return np.argsort(np.concatenate(times), kind="stable") if times else np.zeros(0, np.int64)

    def _taken(self, counts: Sequence[int]) -> Columns:
        """The first items of all ports, port by port."""
        gone = [port.taken(count) for port, count in zip(self.ports, counts) if port.times]
        return joined(gone)
