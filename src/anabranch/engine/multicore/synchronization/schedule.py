"""Who does what of a slice, for workers that go through it together in native code."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.kernels.native.team import Layout, Share
from anabranch.sync.plan import Tree


def layout_of(tree: Tree) -> Layout:
    """The tree as arrays."""
    nodes = list(tree.nodes())
    number = {id(node): n for n, node in enumerate(nodes)}
    below = [[number[id(child)] for child in node.children] or [-1, -1] for node in nodes]
    return Layout.of([left for left, _ in below], [right for _, right in below])


def scheduled(layout: Layout, places: Sequence[np.ndarray], size: int
              ) -> tuple[np.ndarray, dict[int, Share]]:
    """The order in which the rows of a slice lie, worker after worker, and the share of each leaf.
    `places` has the rows that each worker takes.

    >>> layout = Layout.of([1, -1, -1], [2, -1, -1])
    >>> order, shares = scheduled(layout, [np.array([2]), np.array([0, 3]), np.array([1])], 4)
    >>> order.tolist(), shares[1].first, shares[1].cuts.tolist(), shares[1].tops.tolist()
    ([2, 0, 3, 1], 1, [2, 3], [0, 0])
    """
    begins = np.cumsum([0, *map(len, places)])
    tops, stamps, firsts, ends = _points(layout, places, begins, size)
    shares = {leaf: Share(int(begins[leaf]), begins[leaf] + np.searchsorted(places[leaf], stamps),
                          tops, firsts, ends) for leaf in layout.leaves}
    return np.concatenate(places), shares


def _points(layout: Layout, places: Sequence[np.ndarray], begins: np.ndarray, size: int
            ) -> tuple[np.ndarray, ...]:
    """For all points in order: where they are, when, and which rows they have. The last is at the
    root, behind all rows, and has none."""
    points = [np.array([[0, size, 0, 0]])]
    for top in np.flatnonzero(layout.lefts >= 0):
        own = places[top]
        # Events that follow each other at once have nothing of those below between them.
        first = np.flatnonzero(np.diff(own, prepend=-2) != 1)
        last = np.append(first[1:], len(own)) if len(own) else first
        points.append(np.column_stack([np.full(len(first), top), own[first],
                                       begins[top] + first, begins[top] + last]))
    found = np.concatenate(points)
    found = found[np.argsort(found[:, 1], kind="stable")]
    return tuple(np.ascontiguousarray(column) for column in found.T)
