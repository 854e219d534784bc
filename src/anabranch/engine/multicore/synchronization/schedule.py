"""Who does what of a slice, for workers that go through it together in native code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np

from anabranch.kernels.native.apart import in_own_lines
from anabranch.kernels.native.shares import Layout, Share
from anabranch.sync.plan import Tree


def layout_of(tree: Tree) -> Layout:
    """The tree as arrays."""
    nodes = list(tree.nodes())
    number = {id(node): n for n, node in enumerate(nodes)}
    below = [[number[id(child)] for child in node.children] or [-1, -1] for node in nodes]
    return Layout.of([left for left, _ in below], [right for _, right in below])


def takes_of(tree: Tree, tags: Sequence[object]) -> np.ndarray:
    """For each worker whether it, or one below it, takes events of these tags."""
    below = [{shard.tag for shard in node.below} for node in tree.nodes()]
    return np.array([[tag in own for tag in tags] for own in below], np.bool_).reshape(
        len(below), len(tags))


def alike_of(tree: Tree) -> list[int]:
    """For each worker the first that is like it: they take the same tags, and have the same above
    them of those that take events. Any of them may take an event that one of them may take.

    >>> from anabranch.sync.plan import Shard, leaf
    >>> values = [leaf(Shard("value", number)) for number in range(3)]
    >>> alike_of(Tree(frozenset({Shard("sync")}), (values[0], Tree(frozenset(), values[1:]))))
    [0, 1, 2, 1, 1]
    """
    nodes, parents = list(tree.nodes()), layout_of(tree).parents
    first: dict[Hashable, int] = {}
    return [first.setdefault(number if node.children else (
        frozenset(shard.tag for shard in node.shards),
        tuple(above for above in _above(number, parents) if nodes[above].shards)), number)
        for number, node in enumerate(nodes)]


def _above(number: int, parents: np.ndarray) -> list[int]:
    above = int(parents[number])
    return [above, *_above(above, parents)] if above >= 0 else []


def scheduled(layout: Layout, alike: Sequence[int], order: np.ndarray, begins: np.ndarray,
              rows: int) -> dict[int, Share]:
    """The share of each leaf, which those that are alike have in common, of a slice with so many
    rows. They are in the order of the workers that take them; those of each, or of all like it,
    have a place where they begin.

    >>> layout = Layout.of([1, -1, -1], [2, -1, -1])
    >>> shares = scheduled(layout, [0, 1, 2], np.array([2, 0, 3, 1]), np.array([0, 1, 3, 4]), 4)
    >>> shares[1].first, shares[1].cuts.tolist(), shares[1].tops.tolist()
    (1, [2, 3], [0, 0])
    """
    tops, stamps, firsts, ends = _points(layout, order, begins, rows)
    sharers = Counter(alike[leaf] for leaf in layout.leaves)
    shares = {one: Share(int(begins[one]), begins[one] + np.searchsorted(
        order[begins[one]:begins[one + 1]], stamps), tops, firsts, ends,
        in_own_lines(begins[one:one + 1]), many) for one, many in sharers.items()}
    return {leaf: shares[alike[leaf]] for leaf in layout.leaves}


def _points(layout: Layout, order: np.ndarray, begins: np.ndarray, end: int
            ) -> tuple[np.ndarray, ...]:
    """For all points in order: where they are, when, and which rows they have. The last is at the
    root, behind all rows, and has none."""
    inner = np.flatnonzero(layout.lefts >= 0)
    places = np.concatenate([np.arange(0), *(np.arange(begins[top], begins[top + 1])
                                             for top in inner)])
    tops, rows = np.repeat(inner, np.diff(begins)[inner]), order[places]
    # Events that follow each other at once have nothing of those below between them.
    first = np.flatnonzero((np.diff(rows, prepend=-2) != 1) | (np.diff(tops, prepend=-1) != 0))
    many = np.diff(first, append=len(rows))
    found = [np.append(tops[first], 0), np.append(rows[first], end),
             np.append(places[first], 0), np.append(places[first] + many, 0)]
    by_row = np.argsort(found[1], kind="stable")
    return tuple(column[by_row] for column in found)
