"""The layout: on random graphs no two boxes overlap, frames hold what is theirs and nothing else,
and every link runs from its box to its box without touching another."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.explain.picture.columns import crossings, layers, ordered, shortened
from anabranch.explain.picture.fold import folded
from anabranch.explain.picture.frames import Frame, framed
from anabranch.explain.picture.layout import settled
from anabranch.explain.picture.shapes import Link, Node, Rect

SIZES = st.floats(8, 240)


@st.composite
def graphs(draw):
    """Nodes, links among them (also back, also twice, also to itself), and frames around some."""
    count = draw(st.integers(1, 14))
    nodes = [Node(f"n{i}", draw(SIZES), draw(SIZES)) for i in range(count)]
    ends = st.sampled_from([node.name for node in nodes])
    links = draw(st.lists(st.builds(Link, ends, ends), max_size=24))
    owners = draw(st.lists(st.sampled_from([None, None, "f0", "f1", "f2"]), min_size=count,
                           max_size=count))
    members = {owner: frozenset(n.name for n, o in zip(nodes, owners) if o == owner)
               for owner in owners if owner}
    frames = [Frame(name, names, draw(SIZES), 17.0) for name, names in members.items()]
    return nodes, links, frames


ROOMS = st.sampled_from([300.0, 700.0, 1e9])
"""How wide a row may be."""


@given(graphs(), ROOMS)
@settings(deadline=None, max_examples=60)
def test_no_two_boxes_overlap_and_frames_hold_their_own(graph, room):
    nodes, links, frames = graph
    placed = folded(framed(nodes, links, frames), room)
    for node in nodes:
        assert placed.rects[node.name][2:] == pytest.approx((node.width, node.height))
    rects = [(node.name, placed.rects[node.name]) for node in nodes]
    for place, (name, rect) in enumerate(rects):
        assert not any(_overlap(rect, other) for _, other in rects[place + 1:]), name
        for frame in frames:
            around = placed.rects[frame.name]
            assert around.contains(rect) if name in frame.members else not _overlap(around, rect)
        assert _inside(placed, rect)


@given(graphs(), ROOMS)
@settings(deadline=None, max_examples=60)
def test_every_link_runs_from_its_box_to_its_box(graph, room):
    nodes, links, frames = graph
    placed = folded(framed(nodes, links, frames), room)
    assert len(placed.routes) == len(links)
    for link, route in zip(links, placed.routes):
        first, last = route[0].points[0], route[-1].points[-1]
        tail, head = placed.rects[link.tail], placed.rects[link.head]
        assert first[0] == pytest.approx(tail.right) and tail.y < first[1] < tail.bottom
        assert last[0] == pytest.approx(head.x) and head.y < last[1] < head.bottom
        for before, after in pairwise(route):
            assert before.points[-1] == pytest.approx(after.points[0])


@given(graphs(), ROOMS)
@settings(deadline=None, max_examples=60)
def test_no_link_runs_through_a_box(graph, room):
    nodes, links, frames = graph
    placed = folded(framed(nodes, links, frames), room)
    for route in placed.routes:
        for piece in route:
            for start, end in zip(piece.points, piece.points[1:]):
                assert not any(_passes(start, end, placed.rects[node.name]) for node in nodes)


@given(graphs())
@settings(deadline=None, max_examples=60)
def test_only_loops_go_back(graph):
    nodes, links, _ = graph
    names = [node.name for node in nodes]
    columns, backs = layers(names, links)
    for index, link in enumerate(links):
        assert index in backs or columns[link.tail] < columns[link.head]
    upwards = [link for link in links if names.index(link.tail) < names.index(link.head)]
    assert layers(names, upwards)[1] == frozenset()


@given(st.lists(st.tuples(st.floats(-500, 500), SIZES, st.sampled_from([1.0, 4.0])), min_size=1))
@settings(deadline=None)
def test_nodes_of_a_column_stay_apart(nodes):
    wanted, sizes, weights = zip(*nodes)
    middles = settled(wanted, sizes, 18.0, weights)
    for (one, size), (other, next_size) in zip(zip(middles, sizes), zip(middles[1:], sizes[1:])):
        assert other - one >= (size + next_size) / 2 + 18.0 - 1e-6


@given(graphs())
@settings(deadline=None, max_examples=60)
def test_shorter_ways_still_go_forward(graph):
    nodes, links, _ = graph
    columns, backs = layers([node.name for node in nodes], links)
    forward = [link for index, link in enumerate(links) if index not in backs]
    moved = shortened(columns, forward)
    assert all(moved[link.tail] < moved[link.head] for link in forward)
    assert _length(moved, forward) <= _length(columns, forward)


def _length(columns: dict, links: list[Link]) -> int:
    return sum(columns[link.head] - columns[link.tail] for link in links)


def test_crossings_are_taken_out():
    columns = [["a", "b", "c"], ["x", "y", "z"]]
    steps = [("a", "z", 0.5, 0.5), ("b", "y", 0.5, 0.5), ("c", "x", 0.5, 0.5)]
    assert crossings(columns, steps) == 3
    assert crossings(ordered(columns, steps), steps) == 0


def test_a_long_line_has_rows_that_fit():
    nodes = [Node(str(i), 50, 20) for i in range(70)]
    links = [Link(str(i), str(i + 1)) for i in range(69)]
    placed = folded(framed(nodes, links, []), 700)
    assert placed.width < 760 and len({placed.rects[n.name].y for n in nodes}) == 10


def test_a_straight_line_is_drawn_straight():
    nodes = [Node(str(i), 50, 20 + 10 * i) for i in range(5)]
    placed = framed(nodes, [Link(str(i), str(i + 1)) for i in range(4)], [])
    assert len({round(placed.rects[n.name].middle, 6) for n in nodes}) == 1


def _overlap(one: Rect, other: Rect) -> bool:
    """More than sums of floating-point numbers are off."""
    near = Rect(one.x + 1e-6, one.y + 1e-6, one.width - 2e-6, one.height - 2e-6)
    return near.overlaps(other)


def _inside(placed, rect: Rect) -> bool:
    return Rect(-1e-6, -1e-6, placed.width + 2e-6, placed.height + 2e-6).contains(rect)


def _passes(start, end, rect: Rect) -> bool:
    """Whether the box that a stretch of a link spans cuts into a node: its curve stays in it."""
    (x, y), (to_x, to_y) = start, end
    span = Rect(min(x, to_x), min(y, to_y), abs(x - to_x), abs(y - to_y))
    inner = Rect(rect.x + 0.01, rect.y + 0.01, rect.width - 0.02, rect.height - 0.02)
    return span.overlaps(inner)
