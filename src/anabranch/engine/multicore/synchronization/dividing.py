"""How many hot keys are split, by how many of the workers, and how many have the other keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

TOO_MANY = 1.05
"""So many times as long it takes if there are more threads than workers: one may have to wait for a
core just when the others wait for it."""


class Division(NamedTuple):
    """So many keys are split by some workers; others have the rest, by buckets."""

    keys: int
    split: int
    others: int


def divided(shares: Sequence[float], largest: float, workers: int) -> Division:
    """The best for keys with these shares of the rows, most first; no other key has more than
    `largest`. The busiest worker counts, and then that much is split: those who split keys share
    them evenly.

    >>> divided([0.85, 0.1], 0.001, 12), divided([0.3], 0.001, 12)
    (Division(keys=2, split=11, others=1), Division(keys=1, split=4, others=8))
    >>> divided([0.85], 0.1, 2), divided([0.3], 0.001, 2)
    (Division(keys=1, split=2, others=1), Division(keys=0, split=0, others=2))
    >>> divided([0.5, 0.5], 0.0, 2)
    Division(keys=2, split=2, others=1)
    """
    return min(_divisions(len(shares), workers), key=lambda division: (
        _busiest(division, shares, largest, workers), -division.keys))


def _divisions(keys: int, workers: int) -> Iterator[Division]:
    """The simpler ones first."""
    yield Division(0, 0, workers)
    for many in range(1, keys + 1):
        for split in range(2, workers + 1):
            yield Division(many, split, max(1, workers - split))


def _busiest(division: Division, shares: Sequence[float], largest: float, workers: int) -> float:
    """The share of all rows that the worker with the most has, if the two largest keys that are not
    split happen to be in one bucket."""
    hot, whole = sum(shares[:division.keys]), sorted([largest, largest, *shares[division.keys:]])
    own = max(hot / division.split if division.split else 0.0, (1 - hot) / division.others,
              sum(whole[-2:]))
    return own if division.split + division.others <= workers else TOO_MANY * max(own, 1 / workers)
