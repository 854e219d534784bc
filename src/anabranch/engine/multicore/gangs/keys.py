"""Keys of a synchronized stage: which are split, and buckets for the seldom ones."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from anabranch.batch.buckets import spread
from anabranch.batch.slices import Flow, Outcome
from anabranch.ir.keys import NAN, hash_of
from anabranch.plan.sync.plan import Tree
from anabranch.plan.sync.planning import plan_for
from anabranch.plan.sync.program import (
    KeyedProgram,
    Program,
    hot_keys,
    rows_of_keys,
)
from anabranch.plan.tuning import costs
from anabranch.runtime.gang.plans import LEARNT, Planning, Trees
from anabranch.runtime.gang.tagging import at_places, counted, keyed_tagging
from anabranch.runtime.gang.updates import line_state
from anabranch.runtime.stage.rows import Line

TOO_MANY = 1.05
"""So many times as long it takes if there are more threads than workers: one may have to wait for a
core just when the others wait for it."""


class KeyDivision(NamedTuple):
    """So many keys are split by some workers; others have the rest, by buckets."""

    keys: int
    split: int
    others: int


def divided(shares: Sequence[float], largest: float, workers: int) -> KeyDivision:
    """The best for keys with these shares of the rows, most first; no other key has more than
    `largest`. The busiest worker counts, and then that much is split: those who split keys share
    them evenly.

    >>> divided([0.85, 0.1], 0.001, 12), divided([0.3], 0.001, 12)
    (KeyDivision(keys=2, split=11, others=1), KeyDivision(keys=1, split=4, others=8))
    >>> divided([0.85], 0.1, 2), divided([0.3], 0.001, 2)
    (KeyDivision(keys=1, split=2, others=1), KeyDivision(keys=0, split=0, others=2))
    >>> divided([0.5, 0.5], 0.0, 2)
    KeyDivision(keys=2, split=2, others=1)
    """
    return min(_divisions(len(shares), workers), key=lambda division: (
        _busiest(division, shares, largest, workers), -division.keys))


def _divisions(keys: int, workers: int) -> Iterator[KeyDivision]:
    """The simpler ones first."""
    yield KeyDivision(0, 0, workers)
    for many in range(1, keys + 1):
        for split in range(2, workers + 1):
            yield KeyDivision(many, split, max(1, workers - split))


def _busiest(division: KeyDivision, shares: Sequence[float], largest: float, workers: int) -> float:
    """The share of all rows that the worker with the most has, if the two largest keys that are not
    split happen to be in one bucket."""
    hot, whole = sum(shares[:division.keys]), sorted([largest, largest, *shares[division.keys:]])
    own = max(hot / division.split if division.split else 0.0, (1 - hot) / division.others,
              sum(whole[-2:]))
    return own if division.split + division.others <= workers else TOO_MANY * max(own, 1 / workers)


ENOUGH_TO_TELL = 1000
"""Fewer do not tell whether other keys come often by now."""


class KeyedPlanning(Planning):
    """Of an operator with keys: those that come often are split, the others go by buckets."""

    def tree(self) -> Tree:
        hot = hot_keys(self.seen, self.workers)
        buckets = costs().buckets_per_worker * self.workers
        self.program = KeyedProgram(self.operator.kind, hot, buckets)
        self.tagged = keyed_tagging(self.program)
        return super().tree()

    def trees(self) -> Trees:
        """Of the hot keys that are worth to be split and can be."""
        hot = hot_keys(self.seen, self.workers)
        whole = [key for key in hot if not _is_found(key)]
        while True:
            hot = {key: tags for key, tags in hot.items() if key not in whole}
            trees = self._planned(hot)
            whole = [key for key, tree in trees.items() if not tree.children]
            if not whole:
                return trees

    def _planned(self, hot: Mapping[Hashable, Sequence[object]]) -> Trees:
        """For those of the keys, each with its tags, that are worth it."""
        many = rows_of_keys(self.seen)
        often = sorted(hot, key=many.get, reverse=True)
        others = max((n for key, n in many.items() if key not in hot), default=0)
        division = divided([many[key] / many.total() for key in often],
                           others / max(1, many.total()), self.workers)
        return {key: plan_for(Program(self.operator.kind),
                              {tag: self.seen[key, tag] for tag in hot[key]}, division.split,
                              self._costs).tree for key in often[:division.keys]}

    def workers_of_cold(self, trees: Trees) -> int:
        """How many workers have the keys that are not split."""
        leaves = max((sum(not node.children for node in tree.nodes()) for tree in trees.values()),
                     default=0)
        return max(1, self.workers - leaves)

    def better_than(self, trees: Trees, lately: Counter, items: Sequence[object]) -> Trees | None:
        """When a key that is not split has more than a worker's share by now."""
        if len(items) < ENOUGH_TO_TELL:
            return None
        seen = counted(self.operator.kind, self.sampled, items[:LEARNT])
        if all(key in trees for key in hot_keys(seen, self.workers / 2)):
            return None
        self.seen = seen
        return found if (found := self.trees()).keys() - trees.keys() else None

    def state_of(self, line: Line) -> object:
        return line_state(line, keyed=True)

    states_of = state_of


def _is_found(key: Hashable) -> bool:
    """Whether it is found again in columns: all of it has a value."""
    parts = key if type(key) is tuple else (key,)
    return key != NAN and None not in parts and NAN not in parts


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
