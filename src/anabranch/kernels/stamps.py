"""Stamps: numbers that say when something happened in the sequential program.

A tuple's stamp is its place among the tuples of its source. What an operator of a stage emits at
the end of the input comes after all tuples, operator by operator, key by key; so that keys which
appear only then have stamps too, each operator's end doubles the range of stamps.

>>> at_end(0, 7) < at_end(0, 8) < at_end(1, 7) < at_end(1, at_end(0, 7))
True
"""

from __future__ import annotations

import numpy as np

FIRST_END = 1 << 44


def at_end(operator: int, stamp):
    """The stamp of what a key that appeared at `stamp` emits at the end of its operator."""
    return (FIRST_END << operator) + stamp


def stamps_of(given: int | np.ndarray, rows: int) -> np.ndarray:
    """The stamp of each row, from that of the first row or from all of them."""
    if isinstance(given, np.ndarray):
        return given.astype(np.int64, copy=False)
    return np.arange(given, given + rows, dtype=np.int64)


def first_or_all(given: int | np.ndarray) -> np.ndarray:
    """What generated code takes for stamps: those of all rows, or just that of the first one."""
    return np.atleast_1d(np.asarray(given, np.int64))


def from_row(given: int | np.ndarray, row: int) -> int | np.ndarray:
    """The stamps from a row on."""
    return given[row:] if isinstance(given, np.ndarray) else given + row
