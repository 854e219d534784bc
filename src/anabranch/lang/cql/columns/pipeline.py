"""Runs the steps of a program over its slices, by one thread or by several.

A thread brings a slice through all steps, then takes the next one. At a step with state it waits
until the slice before its own has passed, so the steps of one slice go on beside those of another.
NumPy lets go of the interpreter while it computes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock

from anabranch.lang.cql.columns.measuring import Spent, Tally, spent

Passed = Mapping[int, Event]
"""For each step with state, whether a slice has passed it."""


class Stopped(Exception):
    """Another thread has failed."""


def run(steps: Sequence, slices: Iterable, threads: int) -> list[Spent]:
    """All steps over all slices, and what each of them did; a failure ends it."""
    way = Way(steps, slices)
    with ThreadPoolExecutor(max(1, threads - 1)) as pool:
        for _ in range(threads - 1):
            pool.submit(way.go)
        way.go()
    if way.failure is not None:
        raise way.failure
    return way.tally.each


class Way:
    """The slices on their way through the steps."""

    def __init__(self, steps: Sequence, slices: Iterable):
        self.steps, self.slices, self.lock = steps, iter(slices), Lock()
        last = [_last_taken(steps, number) for number in range(len(steps))]
        self.unused = [[i for i, at in enumerate(last) if at == n] for n in range(len(steps))]
        self.before, self.tally = self._events(), Tally(len(steps))
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
                    raise Stopped
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
