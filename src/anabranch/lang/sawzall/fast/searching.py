"""What the compiled loops call to search for simple patterns: steps of characters, one by one.

A pattern is a table of `sets`, which characters a step takes, and of `counts`, how many of them at
least and at most. No step ever needs to give back what it took: see `patterns`.
"""

from __future__ import annotations

import numba


@numba.njit(cache=True, nogil=True)
def matched(data, place, end, sets, counts):
    """Where a match ends that begins at a place; -1 if there is none."""
    for step in range(len(counts)):
        first, most = place, counts[step, 1]
        while place < end and place - first < most and sets[step, data[place]]:
            place += 1
        if place - first < counts[step, 0]:
            return -1
    return place


@numba.njit(cache=True, nogil=True)
def found(data, start, end, sets, counts, is_fixed):
    """Where the first match begins and ends from a place on, or just there if that is `fixed`; -1
    if there is none, or no such place."""
    if start >= 0:
        for place in range(start, min(start + 1, end) if is_fixed else end):
            last = matched(data, place, end, sets, counts)
            if last >= 0:
                return place, last
    return -1, -1


@numba.njit(cache=True, nogil=True)
def pieces_in(data, start, end, sets, counts, is_fixed):
    """How many matches there are one after another."""
    pieces = -1
    while start >= 0:
        _, start = found(data, start, end, sets, counts, is_fixed)
        pieces += 1
    return pieces
