"""Moves along the line of time: from when a row came to when it enters or leaves a window.

Each takes a time, or an array of times.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import reduce

import numpy as np

from anabranch.ir.times import is_aware, origin_of


@dataclass(frozen=True)
class Leaves:
    """A row leaves so long after it came."""

    after: object

    def __call__(self, time):
        return time + self.after


@dataclass(frozen=True)
class SlidesOut:
    """A row leaves at the first multiple of `slide` that is more than `length` behind it."""

    length: object
    slide: object

    def __call__(self, time):
        return last_multiple(time + self.length, self.slide) + self.slide


@dataclass(frozen=True)
class SlidesIn:
    """A row enters at the next multiple of `slide`.

    >>> SlidesIn(5)(10), SlidesIn(5)(11)
    (10, 15)
    """

    slide: object

    def __call__(self, time):
        before = last_multiple(time, self.slide)
        return before + self.slide * (before < time)


@dataclass(frozen=True)
class ToWhole:
    """Where timestamps are whole numbers, nothing happens before the next of them."""

    def __call__(self, time):
        return math.ceil(time)


@dataclass(frozen=True)
class NextMicrosecond:
    """The next time, of those with six decimals.

    >>> NextMicrosecond()(1.0)
    1.000001
    """

    def __call__(self, time):
        after = (np.rint(time * 1e6) + 1) / 1e6
        return after if isinstance(time, np.ndarray) else float(after)


Path = tuple[Callable, ...]


def moved(time, path: Path):
    """The time after all moves of a path, or an array of them."""
    return reduce(lambda at, move: move(at), path, time)


def last_multiple(time: object, slide: object) -> object:
    """The last multiple of `slide`, counted from 0 or from 1970, that is not after the time.

    >>> last_multiple(17, 5)
    15
    """
    if isinstance(time, datetime):
        origin = origin_of(is_aware(time))
        return origin + (time - origin) // slide * slide
    return time // slide * slide
