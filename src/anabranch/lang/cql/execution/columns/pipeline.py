"""Runs the steps of a program over its slices, by one thread or by several.

Every step is measured: the rows that came and went, and the seconds of computing.

A thread brings a slice through all steps, then takes the next one. At a step with state it waits
until the slice before its own has passed, so the steps of one slice go on beside those of another.
NumPy lets go of the interpreter while it computes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event, Lock

from anabranch.plan.logical.whole import OperatorMeasure

Passed = Mapping[int, Event]
"""For each step with state, whether a slice has passed it."""


class PipelineStopped(Exception):
    """Another thread has failed."""


def run(steps: Sequence, slices: Iterable, threads: int) -> list[Spent]:
    """All steps over all slices, and what each of them did; a failure ends it."""
    way = PipelineRun(steps, slices)
    with ThreadPoolExecutor(max(1, threads - 1)) as pool:
        for _ in range(threads - 1):
            pool.submit(way.go)
        way.go()
    if way.failure is not None:
        raise way.failure
    return way.tally.each


class PipelineRun:
    """The slices on their way through the steps."""

    def __init__(self, steps: Sequence, slices: Iterable):
        self.steps, self.slices, self.lock = steps, iter(slices), Lock()
        last = [_last_taken(steps, number) for number in range(len(steps))]
        self.unused = [[i for i, at in enumerate(last) if at == n] for n in range(len(steps))]
        self.before, self.tally = self._events(), StepTally(len(steps))
        self.failure: BaseException | None = None
        _set_all(self.before)

    def go(self) -> None:
        """Brings slices through as long as there are any, and nothing has failed."""
        own: Passed = {}
        try:
            while (taken := self._next()) is not None:
                slice, before, own = taken
                self._through(slice, before, own)
        except BaseException as error:
            self.failure = self.failure or error
        finally:
            # Nobody may wait for a slice that has failed.
            _set_all(own)

    def _next(self) -> tuple[object, Passed, Passed] | None:
        with self.lock:
            slice = next(self.slices, None) if self.failure is None else None
            if slice is None:
                return None
            before, self.before = self.before, self._events()
            return slice, before, self.before

    def _through(self, slice: object, before: Passed, own: Passed) -> None:
        results: dict[int, object] = {}
        took: list[Spent] = []
        for number, placed in enumerate(self.steps):
            if number in own:
                before[number].wait()
                if self.failure is not None:
                    raise PipelineStopped
            results[number], did = spent(placed.step.run, slice, [
                results[i] for i in placed.inputs])
            took.append(did)
            for each in self.unused[number]:
                del results[each]
            if number in own:
                own[number].set()
        self.tally.add(took)

    def _events(self) -> Passed:
        return {n: Event() for n, placed in enumerate(self.steps) if placed.step.ordered}


def _set_all(events: Passed) -> None:
    for event in events.values():
        event.set()


def _last_taken(steps: Sequence, number: int) -> int:
    """The last step that takes the result of one. Memory that is let go of there is used again at
    once, which is far cheaper than new memory."""
    return max((n for n, placed in enumerate(steps) if number in placed.inputs), default=number)


@dataclass(frozen=True)
class Spent:
    """What a step did."""

    rows_in: int
    rows_out: int
    seconds: float

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.rows_in + other.rows_in, self.rows_out + other.rows_out,
                     self.seconds + other.seconds)


NOTHING = Spent(0, 0, 0.0)


def spent(call: Callable, now: object, inputs: Sequence) -> tuple[object, Spent]:
    """What a step gives for a slice, and what that took."""
    begun = time.thread_time()
    result = call(now, *inputs)
    return result, Spent(sum(map(_rows, inputs)), _rows(result), time.thread_time() - begun)


def _rows(result: object) -> int:
    return len(result) if hasattr(result, "__len__") else 0


class StepTally:
    """Adds up what each step did, whichever thread called it."""

    def __init__(self, steps: int):
        self.each, self.lock = [NOTHING] * steps, Lock()

    def add(self, found: Sequence[Spent]) -> None:
        with self.lock:
            self.each = [a + b for a, b in zip(self.each, found)]


def measured(name: str, tier: str, steps: Sequence, found: Sequence[Spent]) -> OperatorMeasure:
    """What an operator did, of the steps that it consists of."""
    came = found[0].rows_in if steps[0].inputs else found[0].rows_out
    return OperatorMeasure(name, _sharing([each.step.ordered for each in steps]), tier, came,
                    found[-1].rows_out, sum(each.seconds for each in found))


def _sharing(ordered: Sequence[bool]) -> str:
    """How threads share an operator.

    >>> _sharing([False, True, False])
    'partly sequential'
    """
    if all(ordered):
        return "sequential"
    return "partly sequential" if any(ordered) else "stateless"
