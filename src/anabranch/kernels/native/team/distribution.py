"""Rows dealt out to workers, in native code: those of one tag in turn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit


def dealt(codes: np.ndarray, number_of: np.ndarray, takers: Sequence[Sequence[int]], workers: int
          ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rows of all workers, worker after worker; where the rows of each begin; and how many each
    tag has. A row's code tells the number of its tag, which says who takes it.

    >>> order, begins, tags = dealt(np.array([0, 2, 1, 0]), np.array([0, 0, 1]), [[1, 2], [0]], 3)
    >>> order.tolist(), begins.tolist(), tags.tolist()
    ([1, 0, 3, 2], [0, 1, 3, 4], [3, 1])
    """
    firsts = np.cumsum([0, *map(len, takers)])
    taker = np.array([worker for those in takers for worker in those], np.int64)
    worker_of = np.empty(len(codes), np.int32)
    counts, tags = np.zeros(workers, np.int64), np.zeros(len(takers), np.int64)
    _choose(codes, number_of, firsts, taker, firsts[:-1].copy(), worker_of, counts, tags)
    begins = np.concatenate([[0], np.cumsum(counts)])
    order = np.empty(len(codes), np.int64)
    _sort(worker_of, begins[:-1].copy(), order)
    return order, begins, tags


def number_among(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Which of a few known whole numbers each value is; the number behind the last for others.

    >>> number_among(np.array([7, 5, 9]), np.array([5, 7])).tolist()
    [1, 0, 2]
    """
    numbers = np.empty(len(values), np.int64)
    _find(values, known, numbers)
    return numbers


@njit(nogil=True, _nrt=False, cache=True)
def _find(values, known, numbers):
    for row in range(len(values)):
        number = 0
        while number < len(known) and known[number] != values[row]:
            number += 1
        numbers[row] = number


@njit(nogil=True, _nrt=False, cache=True)
def _choose(codes, number_of, firsts, taker, turn, worker_of, counts, tags):
    """Chooses a worker for each row, and counts the rows of each worker and of each tag. `turn`
    says who of those that take a tag is the next."""
    for row in range(len(codes)):
        tag = number_of[codes[row]]
        worker = taker[turn[tag]]
        turn[tag] += 1
        if turn[tag] == firsts[tag + 1]:
            turn[tag] = firsts[tag]
        worker_of[row] = worker
        counts[worker] += 1
        tags[tag] += 1


@njit(nogil=True, _nrt=False, cache=True)
def _sort(worker_of, places, order):
    """Puts the rows of each worker where its places are."""
    for row in range(len(order)):
        worker = worker_of[row]
        order[places[worker]] = row
        places[worker] += 1
