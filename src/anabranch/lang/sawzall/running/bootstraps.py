"""Sums of samples drawn with repetition, by which one sees how sure a sum is.

The first of the sums is the true one. For the others every value counts as often as a Poisson
distribution of mean 1 says, whose chance comes from the weight, a fingerprint.

>>> sums = BootstrapSum(3); sums.add(5, 12345); list(sums.rows())
[(5,), (0,), (0,)]
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator

from anabranch.lang.sawzall.running.folds import Fold
from anabranch.lang.sawzall.running.numbers import code_of
from anabranch.lang.sawzall.running.sums import added, finished, times
from anabranch.lang.sawzall.running.values import WHOLE

CUTS = (1580030169, 3160060337, 3950075422, 4213413783, 4279248373, 4292415291, 4294609777,
        4294923275, 4294962462, 4294966816, 4294967251, 4294967291, 4294967295)
"""Up to where 32 random bits mean 0, 1, 2, ..."""


class BootstrapSum(Fold):
    """`size` sums; values without a fingerprint draw by a hash of the value."""

    def __init__(self, size=None):
        super().__init__(size)
        self.totals: list = [None] * size
        self.unmarked: Counter = Counter()

    def add(self, value, weight):
        if weight:
            self.totals = _drawn(self.totals, value, weight)
        else:
            self.unmarked[value] += 1

    def join(self, other):
        self.unmarked.update(other.unmarked)
        if other.totals[:1] != [None]:
            self.totals = list(map(added, self.totals, other.totals))

    def rows(self):
        totals = self.totals
        for value, count in self.unmarked.items():
            for copy in range(count):
                totals = _drawn(totals, value, code_of((value, copy)))
        yield from ((finished(total),) for total in totals)


def _drawn(totals: list, value: object, seed: int) -> list:
    return [added(total, times(value, count)) for total, count in zip(totals, counts(seed))]


def counts(seed: int) -> Iterator[int]:
    """How often a value counts in each sum: once, and then as a Poisson distribution says.

    >>> [count for count, _ in zip(counts(1), range(8))]
    [1, 1, 0, 1, 1, 1, 1, 1]
    """
    yield 1
    chance = _words(seed)
    while True:
        for first in reversed(next(chance).to_bytes(4, "little")):
            low, high = (bisect_left(CUTS, first << 24 | end) for end in (0, 0xFFFFFF))
            yield low if low == high else \
                bisect_left(CUTS, first << 24 | next(chance) & 0xFFFFFF)


def _words(state: int) -> Iterator[int]:
    """A linear congruential generator, by Knuth's constants."""
    while True:
        state = (6364136223846793005 * state + 1442695040888963407) & WHOLE
        yield state >> 32
