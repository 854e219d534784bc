"""Keys that come seldom, in buckets: each has a line, and of a slice whoever is free takes the next
bucket. No two are at work on one bucket, and its rows stay in order."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence

import numpy as np

from anabranch.engine.multicore.flows import Flow, Outcome
from anabranch.engine.multicore.line import Line
from anabranch.engine.multicore.routing import spread
from anabranch.engine.multicore.synchronization.line_updates import line_state
from anabranch.engine.multicore.synchronization.tagging import at_places
from anabranch.ir.keys import hash_of


class ColdKeys:
    """A line for each bucket; the keys of a bucket are those whose hashes lead to it."""

    def __init__(self, lines: Sequence[Line]):
        self.lines = lines
        self.last = [_over() for _ in lines]

    def put(self, states: dict) -> None:
        """Begins with the states of some keys."""
        of_bucket: list[dict] = [{} for _ in self.lines]
        for key, state in states.items():
            of_bucket[spread(hash_of(key), len(self.lines))][key] = state
        for line, own in zip(self.lines, of_bucket):
            line.adopt([([own], None)])

    def given_up(self) -> dict:
        """The states of all keys, when nobody is at work; none stays here."""
        states: dict = {}
        for line in self.lines:
            states |= line_state(line, keyed=True)
            line.adopt([([{}], None)])
        return states

    def turn(self, number: int, items: Sequence[object], order: np.ndarray, begins: np.ndarray
             ) -> ColdTurn:
        """What is to be done of the slice `number`: the rows of all buckets, one behind the other,
        begin at these places. It is asked for in the order of the slices."""
        found = ColdTurn(self.lines, number, items)
        for bucket in np.flatnonzero(np.diff(begins)).tolist():
            own, before = threading.Event(), self.last[bucket]
            found.left.append((bucket, order[begins[bucket]:begins[bucket + 1]], before, own))
            self.last[bucket] = own
        return found


class ColdTurn:
    """The buckets of a slice that nobody has taken yet, and what came of the others."""

    def __init__(self, lines: Sequence[Line], number: int, items: Sequence[object]):
        self.lines, self.number, self.items = lines, number, items
        self.left: deque[tuple[int, np.ndarray, threading.Event, threading.Event]] = deque()
        self.outcomes: list[Outcome] = []

    def take_part(self, broken: threading.Event) -> None:
        """Takes buckets as long as there are some."""
        while self.left and not broken.is_set():
            try:
                bucket, rows, before, own = self.left.popleft()
            except IndexError:
                # Another was faster.
                return
            # Somebody may still be at work on the bucket's rows of the slice before.
            while not (before.wait(1.0) or broken.is_set()):
                continue
            if not broken.is_set():
                self.outcomes.append(self.lines[bucket].run(
                    self.number, Flow(rows, at_places(self.items, rows))))
                own.set()


def _over() -> threading.Event:
    event = threading.Event()
    event.set()
    return event
