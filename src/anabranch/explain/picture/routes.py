"""The ways of links between placed nodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from anabranch.explain.picture.shapes import Link, Name, Piece, Point, Rect, Route

LANE = 14.0
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
            lowest += LANE
            routes.append((_back(rects[link.tail], rects[link.head], ends[index], lowest, spans),))
    return tuple(routes), lowest


def _forward(rects: dict[Name, Rect], chain: list[Name], ends: tuple[float, float],
             spans: Spans) -> Piece:
    tail, *passed, head = (rects[name] for name in chain)
    left, right = _span(spans, tail), _span(spans, head)
    between = [point for rect in passed for point in
               ((_span(spans, rect)[0], rect.middle), (_span(spans, rect)[1], rect.middle))]
    return _piece([(tail.right, ends[0]), (left[1], ends[0]), *between, (right[0], ends[1]),
                   (head.x, ends[1])])


def _back(tail: Rect, head: Rect, ends: tuple[float, float], lane: float, spans: Spans) -> Piece:
    right, left = _span(spans, tail)[1] + ASIDE, _span(spans, head)[0] - ASIDE
    return _piece([(tail.right, ends[0]), (right, ends[0]), (right, lane), (left, lane),
                   (left, ends[1]), (head.x, ends[1])], back=True)


def _piece(points: list[Point], back: bool = False) -> Piece:
    """Without points that come twice."""
    return Piece(tuple(dict.fromkeys(points)), back)


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
