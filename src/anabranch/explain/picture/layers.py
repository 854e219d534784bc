"""Columns: every node stands to the right of all that lead to it. Links that close a loop go back.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from heapq import heapify, heappop, heappush

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
