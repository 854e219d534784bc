"""The order of the nodes in each column: near those that they are linked to, so that few links
cross."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import mean

from anabranch.explain.picture.shapes import Name

SWEEPS = 8

Columns = list[list[Name]]
Step = tuple[Name, Name, float, float]
"""A link between neighbouring columns, and how far down its nodes it starts and ends, from 0 to 1.
"""


def ordered(columns: Columns, steps: Sequence[Step]) -> Columns:
    """The columns in the best order that was found, the given one among them.

    >>> ordered([["a", "b"], ["x", "y"]], [("a", "y", 0.5, 0.5), ("b", "x", 0.5, 0.5)])
    [['a', 'b'], ['y', 'x']]
    """
    best, fewest = columns, crossings(columns, steps)
    for sweep in range(SWEEPS):
        if not fewest:
            break
        columns = _swept(columns, steps, backwards=sweep % 2 == 1)
        if (count := crossings(columns, steps)) < fewest:
            best, fewest = columns, count
    return best


def crossings(columns: Columns, steps: Sequence[Step]) -> int:
    """How many pairs of steps cross."""
    place = _places(columns)
    column = {name: index for index, names in enumerate(columns) for name in names}
    gaps = defaultdict(list)
    for tail, head, leaves, enters in steps:
        gaps[column[tail]].append((place[tail] + leaves, place[head] + enters))
    return sum(_inversions(sorted(ends)) for ends in gaps.values())


def _inversions(ends: list[tuple[float, float]]) -> int:
    return sum(1 for i, (start, end) in enumerate(ends)
               for other, behind in ends[i + 1:] if start < other and end > behind)


def _swept(columns: Columns, steps: Sequence[Step], backwards: bool) -> Columns:
    """Each column in turn by the mean place of what its nodes are linked to in the one before."""
    linked = defaultdict(list)
    for tail, head, leaves, enters in steps:
        near, far, down = (tail, head, enters) if backwards else (head, tail, leaves)
        linked[near].append((far, down))
    done: Columns = []
    for names in reversed(columns) if backwards else columns:
        done.append(_by_neighbours(names, linked, _places(done[-1:])))
    return done[::-1] if backwards else done


def _by_neighbours(names: list[Name], linked: dict, place: dict[Name, int]) -> list[Name]:
    def wanted(name: Name) -> float:
        ends = [place[far] + down for far, down in linked[name] if far in place]
        return mean(ends) if ends else names.index(name)
    return sorted(names, key=wanted)


def _places(columns: Columns) -> dict[Name, int]:
    return {name: place for names in columns for place, name in enumerate(names)}
