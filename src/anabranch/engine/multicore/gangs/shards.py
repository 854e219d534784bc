"""A state in native memory, forked among a team: of a hot key, or the only one.

Who does what of a slice is known before: workers go through it together in native code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from anabranch.batch.slices import Flow, Outcome
from anabranch.kernels.native.team.kernel import Lead, Team, TeamKernel
from anabranch.kernels.native.team.shares import (
    Part,
    TeamSlice,
    WorkerShare,
    WorkerTree,
    in_own_lines,
)
from anabranch.plan.sync.plan import Tree
from anabranch.runtime.gang.routing import Router
from anabranch.runtime.gang.tagging import at_places
from anabranch.runtime.gang.updates import line_state
from anabranch.runtime.stage.rows import Line


def layout_of(tree: Tree) -> WorkerTree:
    """The tree as arrays."""
    nodes = list(tree.nodes())
    number = {id(node): n for n, node in enumerate(nodes)}
    below = [[number[id(child)] for child in node.children] or [-1, -1] for node in nodes]
    return WorkerTree.of([left for left, _ in below], [right for _, right in below])


def takes_of(tree: Tree, tags: Sequence[object]) -> np.ndarray:
    """For each worker whether it, or one below it, takes events of these tags."""
    below = [{shard.tag for shard in node.below} for node in tree.nodes()]
    return np.array([[tag in own for tag in tags] for own in below], np.bool_).reshape(
        len(below), len(tags))


def alike_of(tree: Tree) -> list[int]:
    """For each worker the first that is like it: they take the same tags, and have the same above
    them of those that take events. Any of them may take an event that one of them may take.

    >>> from anabranch.plan.sync.plan import Shard, leaf
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


def scheduled(layout: WorkerTree, alike: Sequence[int], order: np.ndarray, begins: np.ndarray,
              rows: int) -> dict[int, WorkerShare]:
    """The share of each leaf, which those that are alike have in common, of a slice with so many
    rows. They are in the order of the workers that take them; those of each, or of all like it,
    have a place where they begin.

    >>> layout = WorkerTree.of([1, -1, -1], [2, -1, -1])
    >>> shares = scheduled(layout, [0, 1, 2], np.array([2, 0, 3, 1]), np.array([0, 1, 3, 4]), 4)
    >>> shares[1].first, shares[1].cuts.tolist(), shares[1].tops.tolist()
    (1, [2, 3], [0, 0])
    """
    tops, stamps, firsts, ends = _points(layout, order, begins, rows)
    sharers = Counter(alike[leaf] for leaf in layout.leaves)
    shares = {one: WorkerShare(int(begins[one]), begins[one] + np.searchsorted(
        order[begins[one]:begins[one + 1]], stamps), tops, firsts, ends,
        in_own_lines(begins[one:one + 1]), many) for one, many in sharers.items()}
    return {leaf: shares[alike[leaf]] for leaf in layout.leaves}


def _points(layout: WorkerTree, order: np.ndarray, begins: np.ndarray, end: int
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


FOREVER = float("inf")


class Forked:
    """The state of a key, None where it is the only one, in the workers of a tree of its own. What
    native code cannot do, a `line` does in one place: all jobs before the job `again`."""

    def __init__(self, kernel: TeamKernel, lead: Lead, tree: Tree, line: Line,
                 key: object = None):
        self.tree, self.line, self.key = tree, line, key
        self.router = Router(tree, lambda items: {})
        self.team = Team(kernel, layout_of(tree), takes_of(tree, kernel.tags), lead)
        self.leaves, self.alike = self.team.layout.leaves, alike_of(tree)
        self.patience, self.again, self.in_line = 1, 0, False

    def takers(self, tag: object) -> list[int]:
        """The workers of its tree that take events of a tag, each as the first that is like it."""
        return [self.alike[worker] for worker in self.router.takers(tag)]

    def put(self, state: object) -> None:
        """Begins with a state; one that does not fit stays in one place, with all that comes."""
        if not self.team.put(state):
            self._put_into_line(state)
            self.again = FOREVER

    def state(self) -> object:
        """The whole of it, when nobody is at work."""
        return line_state(self.line, keyed=True)[self.key] if self.in_line else self.team.state()

    def turn(self, order: np.ndarray, begins: np.ndarray, rows: int,
             given: TeamSlice | None) -> Turn:
        """What is to be done of a slice with so many rows: those in the order of the workers that
        take them, and where the rows of each begin."""
        shares = scheduled(self.team.layout, self.alike, order, begins, rows)
        return Turn(self, order, None if given is None else replace(given, order=order), shares)

    def in_one_place(self, job: int, number: int, flow: Flow, fell: bool) -> Outcome:
        """What a job in which native code fell, or did not begin, gives without it."""
        if fell:
            self.patience *= 2
            self.again = job + self.patience
        if not self.in_line:
            self._put_into_line(self.team.state())
        outcome = self.line.run(number, flow)
        if job + 1 >= self.again and not outcome.failures:
            self.in_line = not self.team.put(self.state())
            self.again = FOREVER if self.in_line else self.again
        return outcome

    def _put_into_line(self, state: object) -> None:
        self.line.adopt([([{self.key: state}], None)])
        self.in_line = True


@dataclass
class Turn:
    """Some rows of a slice, all of one state: the `order` in which they are done, what all workers
    see of them (nothing when they are for one place), who does what, and what they have done."""

    state: Forked
    order: np.ndarray
    given: TeamSlice | None
    shares: dict[int, WorkerShare] = field(default_factory=dict)
    parts: dict[int, Part | None] = field(default_factory=dict)
    outcome: Outcome | None = None

    def take_part(self, hand: int, job: int) -> bool:
        """Does the share of one worker, if it has one; whether nobody has to do it again."""
        if hand >= len(self.state.leaves):
            return True
        leaf, part = self.state.leaves[hand], None
        if self._is_native(job):
            part = self.parts[leaf] = self.state.team.share(leaf, self.given, self.shares[leaf])
        return part is not None

    def do_alone(self, job: int) -> None:
        """Does all of it, while nobody is at work."""
        if self._is_native(job):
            given = replace(self.given, order=np.sort(self.order))
            self.parts[0] = self.state.team.alone(given)

    def _is_native(self, job: int) -> bool:
        return self.given is not None and job >= self.state.again

    @property
    def is_done(self) -> bool:
        """Whether all have done their shares."""
        return bool(self.parts) and None not in self.parts.values()

    def do_again(self, job: int, number: int, items: Sequence[object]) -> None:
        """In one place, from the state before it."""
        rows, fell = np.sort(self.order), bool(self.parts)
        flow = Flow(range(len(items)), items) if len(rows) == len(items) else \
            Flow(rows, at_places(items, rows))
        self.parts = {}
        self.outcome = self.state.in_one_place(job, number, flow, fell)
