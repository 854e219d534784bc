"""A graph from left to right: columns, an order in each, and ways that touch no other node.

A link that passes a column has a point of its own there, with room around it. Between columns there
are only links, so these may curve as they like. Links that go back run below everything.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from anabranch.explain.picture.crossings import Columns, ordered
from anabranch.explain.picture.layers import layers, shortened
from anabranch.explain.picture.levels import levelled
from anabranch.explain.picture.routes import routed
from anabranch.explain.picture.shapes import Arrangement, Link, Name, Node, Rect
from anabranch.once import once

COLUMN_GAP, ROW_GAP, LANE = 44.0, 18.0, 12.0


def arranged(nodes: Sequence[Node], links: Sequence[Link],
             first: Collection[Name] = (), last: Collection[Name] = ()) -> Arrangement:
    """Places for all nodes, those of `first` and `last` in the first and the last column, and a way
    for every link. Nothing may lead to the first ones, and the last ones lead nowhere.

    >>> placed = arranged([Node("a", 10, 10), Node("b", 10, 10)], [Link("a", "b")])
    >>> placed.rects["a"].right < placed.rects["b"].x
    True
    """
    return _Layout(tuple(nodes), tuple(links), frozenset(first), frozenset(last)).arrangement()


@dataclass(frozen=True)
class _Layout:
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    first: frozenset[Name]
    last: frozenset[Name]

    def arrangement(self) -> Arrangement:
        rects = self._rects()
        routes, lowest = routed(rects, self.chains, self.links, self.spans)
        shown = {node.name: rects[node.name] for node in self.nodes}
        bottom = max((r.bottom for r in rects.values()), default=0.0)
        return Arrangement(shown, routes, self.spans[-1][1] if self.spans else 0.0,
                           max(bottom, lowest))

    @once
    def layering(self) -> tuple[dict[Name, int], frozenset[int]]:
        columns, backs = layers([node.name for node in self.nodes], self.links)
        end = max(columns.values(), default=0)
        forward = [link for index, link in enumerate(self.links) if index not in backs]
        return shortened(columns | dict.fromkeys(self.last, end), forward, self.first), backs

    @once
    def chains(self) -> dict[int, list[Name]]:
        """The nodes and points on the way of each link that goes forward."""
        columns, backs = self.layering
        return {i: [link.tail, *((i, c) for c in range(columns[link.tail] + 1, columns[link.head])),
                    link.head]
                for i, link in enumerate(self.links) if i not in backs}

    @once
    def sizes(self) -> dict[Name, Node]:
        points = [Node(name, 0.0, LANE) for chain in self.chains.values() for name in chain[1:-1]]
        return {node.name: node for node in (*points, *self.nodes)}

    @once
    def columns(self) -> Columns:
        columns, _ = self.layering
        found: Columns = [[] for _ in range(max(columns.values(), default=-1) + 1)]
        for node in self.nodes:
            found[columns[node.name]].append(node.name)
        for chain in self.chains.values():
            for name in chain[1:-1]:
                found[name[1]].append(name)
        return ordered(found, list(self._steps()))

    def _steps(self) -> Iterator[tuple[Name, Name, float, float]]:
        for index, chain in self.chains.items():
            link = self.links[index]
            for tail, head in pairwise(chain):
                yield (tail, head, self._down(tail, link.leaves if tail == link.tail else None),
                       self._down(head, link.enters if head == link.head else None))

    def _down(self, name: Name, at: float | None) -> float:
        return 0.5 if at is None else at / self.sizes[name].height

    @once
    def spans(self) -> list[tuple[float, float]]:
        """Where each column begins and ends, from left to right."""
        spans, x = [], 0.0
        for names in self.columns:
            width = max(self.sizes[name].width for name in names)
            spans.append((x, x + width))
            x += width + COLUMN_GAP
        return spans

    def _rects(self) -> dict[Name, Rect]:
        neighbours = defaultdict(list)
        for tail, head, leaves, enters in self._steps():
            away = (self.sizes[tail].height * (leaves - 0.5)
                    - self.sizes[head].height * (enters - 0.5))
            neighbours[head].append((tail, away))
            neighbours[tail].append((head, -away))
        middles = levelled(self.columns, self.sizes, neighbours, ROW_GAP)
        return {name: self._rect(name, (left + right) / 2, middles[name])
                for (left, right), names in zip(self.spans, self.columns) for name in names}

    def _rect(self, name: Name, x: float, y: float) -> Rect:
        node = self.sizes[name]
        return Rect(x - node.width / 2, y - node.height / 2, node.width, node.height)
