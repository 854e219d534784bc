"""Waves: rounds of operators that share variables, several under way at once.

That pays where functions wait (for a disk, a network, a clock), or where no lock of the interpreter
lets only one thread compute. Until it is seen that they do, rounds go one after another.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

from anabranch.batch.failure import guarded
from anabranch.batch.slices import Batch, Failure, Flow
from anabranch.core.threads import start_thread
from anabranch.plan.physical.rounds import Turns, turns_of
from anabranch.plan.tuning import has_lock
from anabranch.runtime.stage.rounds import Rounds, by_origin

WORTH = 2e-4
"""Rounds that wait for so many seconds are worth overlapping: to pass a turn on to another thread
takes some tens of microseconds."""


class OverlapChoice:
    """Whether rounds should overlap: when they wait for long, and while that makes them faster.

    >>> choice = OverlapChoice()
    >>> choice.took(rounds=10, seconds=0.05, waited=0.04); choice.overlaps
    True
    >>> choice.took(rounds=10, seconds=0.06, waited=0.0); choice.overlaps
    False
    """

    def __init__(self):
        self.overlaps, self.alone = False, 0.0

    def took(self, rounds: int, seconds: float, waited: float) -> None:
        """So many rounds are done, in so many seconds."""
        if not rounds:
            return
        if self.overlaps:
            self.overlaps = seconds / rounds < self.alone
        elif waited / rounds > WORTH:
            self.overlaps, self.alone = True, seconds / rounds


class Waves:
    """A stage's rounds, overlapping where that pays."""

    def __init__(self, rounds: Rounds, workers: int):
        self.rounds, self.choice = rounds, OverlapChoice()
        self.turns = turns_of(rounds.graph, rounds.stage.operators)
        self.threads = min(workers, len(rounds.stage.operators))

    def run(self, batches: list[Batch]) -> tuple[list[Flow], list[Failure]]:
        run = self.overlapped if self.choice.overlaps else self.rounds.run
        began, computed = time.perf_counter(), time.thread_time()
        found = run(batches)
        seconds = time.perf_counter() - began
        waited = seconds - (time.thread_time() - computed if has_lock() else 0.0)
        self.choice.took(len({origin for batch in batches for origin in batch.origins}),
                         seconds, waited)
        return found

    def overlapped(self, batches: list[Batch]) -> tuple[list[Flow], list[Failure]]:
        wave = Wave(self.rounds, self.turns, [_Round(self.rounds, origin, arrivals)
                                              for origin, arrivals in by_origin(batches)])
        wave.run(self.threads)
        return wave.flows(), [*self.rounds.late_rows(), *wave.failures()]

    def finish_one(self, name: str) -> tuple[list[Flow], list[Failure]]:
        return self.rounds.finish_one(name)

    def steps(self):
        return self.rounds.steps()


class _Round:
    """What has come for each operator with one source tuple: items by port, of one writer each."""

    def __init__(self, machine: Rounds, origin: int, arrivals: Sequence[tuple[int, object]]):
        self.origin, self.targets = origin, machine.targets
        self.items = [[[] for _ in op.inputs] for op in machine.graph]
        for port, item in arrivals:
            self.deliver(machine.graph.operators[port].name, [(0, item)])

    def deliver(self, writer: str, outputs: Sequence[tuple[int, object]]) -> None:
        for port, item in outputs:
            for reader, in_port in self.targets[writer][port]:
                self.items[reader][in_port].append(item)


class Wave:
    """The rounds of a slice. Any thread takes any operator whose turn it is; the first failure, in
    the order of the sequential engine, ends what comes behind it."""

    def __init__(self, machine: Rounds, turns: Turns, rounds: list[_Round]):
        self.machine, self.turns, self.rounds = machine, turns, rounds
        self.done = dict.fromkeys(turns.before, 0)
        self.busy: set[int] = set()
        self.failed: dict[tuple[int, int], BaseException] = {}
        self.changed = threading.Condition()

    def run(self, threads: int) -> None:
        helpers = [start_thread(self._work, name=f"turn {n}") for n in range(1, threads)]
        self._work()
        for helper in helpers:
            helper.join()

    def flows(self) -> list[Flow]:
        """What has left, up to the first failure."""
        rounds = self.rounds[:min(self.failed, default=(len(self.rounds), 0))[0] + 1]
        outputs = [self.machine.graph.position(name) for name in self.machine.collected]
        return [Flow([r.origin for r in rounds for _ in r.items[place][0]],
                     [item for r in rounds for item in r.items[place][0]]) for place in outputs]

    def failures(self) -> list[Failure]:
        if not self.failed:
            return []
        number, place = first = min(self.failed)
        position = self.machine.position(self.machine.graph.operators[place].name)
        return [Failure((self.rounds[number].origin, position, 0), self.failed[first])]

    def _work(self) -> None:
        while (place := self._turn()) is not None:
            failed = self._failure(place, self.rounds[self.done[place]])
            with self.changed:
                if failed is not None:
                    self.failed[self.done[place], place] = failed
                self.done[place] += 1
                self.busy.discard(place)
                self.changed.notify_all()

    def _turn(self) -> int | None:
        """An operator whose turn it is, once there is one; None when all is done."""
        with self.changed:
            while not self.machine.stopped():
                for place in self.done:
                    if place not in self.busy and self._may_fire(place):
                        self.busy.add(place)
                        return place
                if not self.busy:
                    break
                self.changed.wait()
        return None

    def _may_fire(self, place: int) -> bool:
        unit = self.done[place], place
        return (unit < min(self.failed, default=(len(self.rounds), 0))
                and self.turns.has(place, self.done))

    def _failure(self, place: int, round_: _Round) -> BaseException | None:
        """Takes the operator through a round; what it raised."""
        op, fire = self.machine.graph.operators[place], self.machine.fires[place]
        try:
            for port, items in enumerate(round_.items[place]):
                for item in items:
                    round_.deliver(op.name, guarded(op, fire, port, item))
        except BaseException as error:
            # Whatever it is: the others must not wait for this turn for ever.
            return error
        return None
