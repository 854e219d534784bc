"""Columns: every node is to the right of all that lead to it, with few crossings.

Links that close a loop go back. In its column, a node is near those that it is linked to.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from heapq import heapify, heappop, heappush
from statistics import mean

from anabranch.explain.picture.shapes import Link, Name


def layers(names: Sequence[Name], links: Sequence[Link]) -> tuple[dict[Name, int], frozenset[int]]:
    """The column of each node, and the indices of the links that go back.

    A loop is opened at the first of its nodes, in the order of the names.

    >>> columns, backs = layers("abc", [Link("a", "b"), Link("b", "c"), Link("c", "b")])
    >>> columns, sorted(backs)
    ({'a': 0, 'b': 1, 'c': 2}, [2])
    """
    before, after = defaultdict(list), defaultdict(list)
    for link in links:
        before[link.head].append(link.tail)
        after[link.tail].append(link.head)
    columns: dict[Name, int] = {}
    for name in _in_turn(names, links, after):
        columns[name] = 1 + max((columns[b] for b in before[name] if b in columns), default=-1)
    turn = {name: place for place, name in enumerate(columns)}
    return columns, frozenset(index for index, link in enumerate(links)
                              if turn[link.tail] >= turn[link.head])


def shortened(columns: dict[Name, int], links: Sequence[Link],
              pinned: Collection[Name] = ()) -> dict[Name, int]:
    """The columns with nodes moved to the right as far as that makes the ways shorter; the pinned
    ones stay. The links are those that go forward.

    >>> shortened({"a": 0, "b": 1, "late": 0, "c": 2},
    ...           [Link("a", "b"), Link("b", "c"), Link("late", "c")])["late"]
    1
    """
    into, after = Counter(link.head for link in links), defaultdict(list)
    for link in links:
        after[link.tail].append(link.head)
    moved = dict(columns)
    for name in sorted(columns, key=columns.get, reverse=True):
        if name not in pinned and after[name] and into[name] <= len(after[name]):
            moved[name] = min(moved[head] for head in after[name]) - 1
    return moved


def _in_turn(names: Sequence[Name], links: Sequence[Link], after: dict[Name, list[Name]]):
    """The names, each after those that lead to it, as far as there is no loop."""
    missing = Counter(link.head for link in links)
    ready = [place for place, name in enumerate(names) if not missing[name]]
    heapify(ready)
    places = {name: place for place, name in enumerate(names)}
    remaining = dict.fromkeys(names)
    while remaining:
        name = names[heappop(ready)] if ready else next(iter(remaining))
        if name not in remaining:
            continue
        del remaining[name]
        yield name
        for head in after[name]:
            missing[head] -= 1
            if not missing[head]:
                heappush(ready, places[head])


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
