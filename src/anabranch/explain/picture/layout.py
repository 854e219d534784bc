"""A graph from left to right: columns, an order in each, ways around other nodes.

A link that passes a column has a point of its own there, with room around it. Between columns there
are only links, so these may curve as they like. Links that go back run below everything. How far
down the nodes of a column stand is settled in a few sweeps: level with their neighbours, and apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from anabranch.core.once import once
from anabranch.explain.picture.columns import Columns, layers, ordered, shortened
from anabranch.explain.picture.shapes import (
    Arrangement,
    Link,
    LinkPart,
    Name,
    Node,
    Point,
    Rect,
    Route,
)

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


SWEEPS = 12

Neighbours = Mapping[Name, list[tuple[Name, float]]]
"""By name: the nodes that it is linked to, and how far from level with these it would be level."""


def levelled(columns: Columns, sizes: dict[Name, Node], neighbours: Neighbours,
             gap: float) -> dict[Name, float]:
    """The middle of every node; the highest node begins at 0."""
    column = {name: index for index, names in enumerate(columns) for name in names}
    middles: dict[Name, float] = {}
    for names in columns:
        middles |= _column(names, sizes, dict.fromkeys(names, 0.0), gap)
    for sweep in range(SWEEPS):
        step = 1 if sweep % 2 == 0 else -1
        for names in columns[::step]:
            wanted = {name: _wanted(name, middles, [
                (other, away) for other, away in neighbours.get(name, ())
                if sweep == SWEEPS - 1 or column[other] == column[name] - step])
                for name in names}
            middles |= _column(names, sizes, wanted, gap)
    top = min((middles[name] - sizes[name].height / 2 for name in middles), default=0.0)
    return {name: middle - top for name, middle in middles.items()}


def _wanted(name: Name, middles: dict[Name, float], linked: list[tuple[Name, float]]) -> float:
    if not linked:
        return middles[name]
    return sum(middles[other] + away for other, away in linked) / len(linked)


def _column(names: list[Name], sizes: dict[Name, Node], wanted: dict[Name, float],
            gap: float) -> dict[Name, float]:
    # What has no width is a point on a long link, which should run straight.
    weights = [1.0 if sizes[name].width else 4.0 for name in names]
    heights = [sizes[name].height for name in names]
    return dict(zip(names, settled([wanted[name] for name in names], heights, gap, weights)))


def settled(wanted: Sequence[float], sizes: Sequence[float], gap: float,
            weights: Sequence[float]) -> list[float]:
    """The middles of nodes in this order, with a gap between them, as near to the wanted ones as
    that allows (least squares; the heavier a node, the less it moves).

    >>> settled([0, 0], [10, 10], 2, [1, 1])
    [-6.0, 6.0]
    >>> settled([0, 100], [10, 10], 2, [1, 1])
    [0.0, 100.0]
    """
    least = [0.0]
    for before, size in pairwise(sizes):
        least.append(least[-1] + (before + size) / 2 + gap)
    free = [middle - at for middle, at in zip(wanted, least)]
    return [level + at for level, at in zip(_rising(free, weights), least)]


def _rising(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """The nearest sequence that never falls: neighbours that would fall get their mean."""
    groups: list[tuple[float, float, int]] = []
    for value, weight in zip(values, weights):
        group = (float(value), weight, 1)
        while groups and groups[-1][0] > group[0]:
            group = _together(groups.pop(), group)
        groups.append(group)
    return [value for value, _, count in groups for _ in range(count)]


def _together(one: tuple, other: tuple) -> tuple[float, float, int]:
    weight = one[1] + other[1]
    return (one[0] * one[1] + other[0] * other[1]) / weight, weight, one[2] + other[2]


RETURN_LANE = 14.0
"""Between links that go back."""

ASIDE = 10.0
"""So far from a column such a link goes down and up."""

Spans = Sequence[tuple[float, float]]


def routed(rects: dict[Name, Rect], chains: dict[int, list[Name]], links: Sequence[Link],
           spans: Spans) -> tuple[tuple[Route, ...], float]:
    """The route of every link, and how far down the lowest goes."""
    ends = _ends(rects, chains, links)
    lowest = max((rect.bottom for rect in rects.values()), default=0.0)
    routes: list[Route] = []
    for index, link in enumerate(links):
        if index in chains:
            routes.append((_forward(rects, chains[index], ends[index], spans),))
        else:
            lowest += RETURN_LANE
            routes.append((_back(rects[link.tail], rects[link.head], ends[index], lowest, spans),))
    return tuple(routes), lowest


def _forward(rects: dict[Name, Rect], chain: list[Name], ends: tuple[float, float],
             spans: Spans) -> LinkPart:
    tail, *passed, head = (rects[name] for name in chain)
    left, right = _span(spans, tail), _span(spans, head)
    between = [point for rect in passed for point in
               ((_span(spans, rect)[0], rect.middle), (_span(spans, rect)[1], rect.middle))]
    return _piece([(tail.right, ends[0]), (left[1], ends[0]), *between, (right[0], ends[1]),
                   (head.x, ends[1])])


def _back(tail: Rect, head: Rect, ends: tuple[float, float], lane: float, spans: Spans) -> LinkPart:
    right, left = _span(spans, tail)[1] + ASIDE, _span(spans, head)[0] - ASIDE
    return _piece([(tail.right, ends[0]), (right, ends[0]), (right, lane), (left, lane),
                   (left, ends[1]), (head.x, ends[1])], back=True)


def _piece(points: list[Point], back: bool = False) -> LinkPart:
    """Without points that come twice."""
    return LinkPart(tuple(dict.fromkeys(points)), back)


def _span(spans: Spans, rect: Rect) -> tuple[float, float]:
    middle = rect.x + rect.width / 2
    return next(span for span in spans if span[0] <= middle <= span[1])


def _ends(rects: dict[Name, Rect], chains: dict[int, list[Name]],
          links: Sequence[Link]) -> list[tuple[float, float]]:
    """Where each link leaves and enters: where it says, or spread over the side of the node in the
    order of what comes next on the ways."""
    leaving, entering = defaultdict(list), defaultdict(list)
    for index, link in enumerate(links):
        chain = chains.get(index)
        below = float("inf")
        leaving[link.tail].append((rects[chain[1]].middle if chain else below, index))
        entering[link.head].append((rects[chain[-2]].middle if chain else below, index))
    leaves, enters = _spread(rects, leaving), _spread(rects, entering)
    return [(_at(rects[link.tail], link.leaves, leaves[index]),
             _at(rects[link.head], link.enters, enters[index]))
            for index, link in enumerate(links)]


def _at(rect: Rect, given: float | None, spread: float) -> float:
    return spread if given is None else rect.y + given


def _spread(rects: dict[Name, Rect],
            found: dict[Name, list[tuple[float, int]]]) -> dict[int, float]:
    return {index: rects[name].y + rects[name].height * (place + 1) / (len(ends) + 1)
            for name, ends in found.items() for place, (_, index) in enumerate(sorted(ends))}
