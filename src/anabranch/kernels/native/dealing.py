"""Rows dealt out to workers, in native code: those of one tag in turn to all who take them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit


def dealt(numbers: np.ndarray, takers: Sequence[Sequence[int]], workers: int
          ) -> tuple[np.ndarray, np.ndarray]:
    """The rows of all workers, worker after worker, and where the rows of each begin. The number
    of a row's tag says who takes it.

    >>> order, begins = dealt(np.array([0, 1, 0, 0]), [[1, 2], [0]], workers=3)
    >>> order.tolist(), begins.tolist()
    ([1, 0, 3, 2], [0, 1, 3, 4])
    """
    firsts = np.cumsum([0, *map(len, takers)])
    taker = np.array([worker for those in takers for worker in those], np.int64)
    worker_of = np.empty(len(numbers), np.int32)
    counts = np.zeros(workers, np.int64)
    _choose(numbers, firsts, taker, firsts[:-1].copy(), worker_of, counts)
    begins = np.concatenate([[0], np.cumsum(counts)])
    order = np.empty(len(numbers), np.int64)
    _sort(worker_of, begins[:-1].copy(), order)
    return order, begins


@njit(nogil=True, _nrt=False, cache=True)
def _choose(numbers, firsts, taker, turn, worker_of, counts):
    """Chooses a worker for each row, and counts the rows of each. `turn` says who of those that
    take a tag is the next."""
    for row in range(len(numbers)):
        tag = numbers[row]
        worker = taker[turn[tag]]
        turn[tag] += 1
        if turn[tag] == firsts[tag + 1]:
            turn[tag] = firsts[tag]
        worker_of[row] = worker
        counts[worker] += 1


@njit(nogil=True, _nrt=False, cache=True)
def _sort(worker_of, places, order):
    """Puts the rows of each worker where its places are."""
    for row in range(len(order)):
        worker = worker_of[row]
        order[places[worker]] = row
        places[worker] += 1
