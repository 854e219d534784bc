"""In which proportions the workers of a plan take the events of a divided tag.

Events of such a tag may go to any of them. Cores are not equally fast: two may share what one has,
or have other work. All wait for the slowest before an event that needs the whole state, so who
took longer for its share gets less of the next.

>>> even = Proportions(2)
>>> even.learn(even.weights, {0: 0.03, 1: 0.01})
>>> even.weights
(0.5, 1.5)
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from statistics import fmean

import numpy as np

Weights = tuple[float, ...]
"""For each worker how much it is given, compared with the others."""

TURNS = 16
"""So many turns an average worker has until all begin again: one more or less is six percent."""

ENOUGH = 0.01
"""So many seconds workers must have computed, on average, to be compared."""

LATELY = 10
"""A weight is what was seen on average of so many slices: cores differ from one to the next."""

LEAST, MOST = 0.25, 4.0
"""Bounds of a weight: who was stopped for a while must be given enough to show that it goes on."""


class Proportions:
    """The present weights of so many workers, which are equal at first."""

    def __init__(self, workers: int):
        self.weights: Weights = (1.0,) * workers
        self.slices = 0

    def learn(self, weights: Weights, seconds: Mapping[int, float]) -> None:
        """Looks at how long workers took for the shares that they got by these weights."""
        if len(seconds) < 2 or fmean(seconds.values()) < ENOUGH:
            return
        speeds = {worker: weights[worker] / max(taken, ENOUGH / TURNS)
                  for worker, taken in seconds.items()}
        mean = fmean(speeds.values())
        self.slices = min(self.slices + 1, LATELY)
        self.weights = tuple(
            self._moved(weight, speeds[worker] / mean) if worker in speeds else weight
            for worker, weight in enumerate(self.weights))

    def _moved(self, weight: float, seen: float) -> float:
        return min(max(weight + (seen - weight) / self.slices, LEAST), MOST)


@lru_cache(maxsize=64)
def turns(weights: Weights) -> np.ndarray:
    """Who takes the next events, one after another: of any that follow each other, each about as
    many as its weight says.

    >>> turns((1.0, 1.0, 1.0))[:6].tolist(), turns((3.0, 1.0))[:8].tolist()
    ([0, 1, 2, 0, 1, 2], [0, 0, 1, 0, 0, 0, 1, 0])
    """
    mean = fmean(weights)
    many = [max(1, round(TURNS * weight / mean)) for weight in weights]
    moments = np.concatenate([(np.arange(n) + 0.5) / n for n in many])
    return np.repeat(np.arange(len(many)), many)[np.argsort(moments, kind="stable")]
