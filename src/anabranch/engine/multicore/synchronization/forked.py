"""A state in native memory, forked among the workers of a team: that of a hot key, or the only one;
and what becomes of its rows in a slice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from anabranch.engine.multicore.flows import Flow, Outcome
from anabranch.engine.multicore.line import Line
from anabranch.engine.multicore.synchronization.line_updates import line_state
from anabranch.engine.multicore.synchronization.schedule import (
    alike_of,
    layout_of,
    scheduled,
    takes_of,
)
from anabranch.engine.multicore.synchronization.tagging import at_places
from anabranch.kernels.native.lead import Lead
from anabranch.kernels.native.shares import Given, Part, Share
from anabranch.kernels.native.team import Team, TeamKernel
from anabranch.sync.plan import Tree
from anabranch.sync.routing import Router

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

    def turn(self, order: np.ndarray, begins: np.ndarray, rows: int, given: Given | None) -> Turn:
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
    given: Given | None
    shares: dict[int, Share] = field(default_factory=dict)
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
