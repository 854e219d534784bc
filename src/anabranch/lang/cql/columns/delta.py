"""The changes of a relation, or the rows of a stream, in one slice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

DIGIT = 16
"""Numbers of so many bits are sorted in linear time."""


@dataclass(frozen=True)
class Delta:
    """Rows of columns, each with the number `at` of its instant in the slice, in order, and how
    often it is added; of a stream, each once."""

    at: np.ndarray
    n: np.ndarray
    columns: tuple[np.ndarray, ...]

    def __len__(self) -> int:
        return len(self.at)

    def taken(self, which: np.ndarray) -> Delta:
        """The rows at some places, or where a mask holds."""
        return Delta(self.at[which], self.n[which], tuple(c[which] for c in self.columns))


def together(parts: Sequence[Delta]) -> Delta:
    """The changes of all parts, by their instants."""
    at = np.concatenate([part.at for part in parts])
    joined = Delta(at, np.concatenate([part.n for part in parts]), stacked(
        [part.columns for part in parts]))
    return joined.taken(stable_order(at))


def stacked(parts: Sequence[tuple[np.ndarray, ...]]) -> tuple[np.ndarray, ...]:
    """The columns of several parts, one behind the other."""
    return tuple(map(np.concatenate, zip(*parts)))


def stable_order(numbers: np.ndarray) -> np.ndarray:
    """The places of numbers that are not negative, from the smallest to the largest: by one digit
    after another, which for those of a slice is three times as fast as comparing them.

    >>> stable_order(np.array([2, 1 << 40, 2, 1])).tolist()
    [3, 0, 2, 1]
    """
    order = _by_digit(numbers)
    largest = int(numbers.max()) if len(numbers) else 0
    for shift in range(DIGIT, largest.bit_length(), DIGIT):
        order = order[_by_digit((numbers >> shift)[order])]
    return order


def _by_digit(numbers: np.ndarray) -> np.ndarray:
    return np.argsort(numbers.astype(np.uint16), kind="stable")
