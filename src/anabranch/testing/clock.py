"""A clock that a test sets, for heartbeats and for functions that take one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any, TypeVar

T = TypeVar("T")


class Clock:
    """A clock that stands still until it is told to go on; calling it gives its time.

    >>> clock = Clock(100)
    >>> clock.advance(5)
    >>> clock()
    105

    A program that takes its time from a parameter `clock` is tested without waiting, and so is a
    source with `ab.Heartbeats(clock)`.
    """

    def __init__(self, now: Any = 0):
        self.now = now

    def __call__(self) -> Any:
        return self.now

    def advance(self, by: Any) -> None:
        """Goes on by so much: seconds if the clock shows a date and a time."""
        is_number = isinstance(by, (int, float))
        step = timedelta(seconds=by) if isinstance(self.now, datetime) and is_number else by
        later = self.now + step
        if later < self.now:
            raise ValueError(f"a clock does not go back, from {self.now} to {later}")
        self.now = later

    def live(self, items: Iterable[T], time: str) -> Iterator[T]:
        """The items one by one, as a live source would give them: before each, the clock shows
        its time, if that is later."""
        for item in items:
            self.now = max(self.now, getattr(item, time))
            yield item
