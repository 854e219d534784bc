"""What a synchronized stage knows of its plan: when a gang pays, its first state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import NamedTuple

from anabranch.batch.failure import guarded
from anabranch.batch.items import Columns
from anabranch.batch.slices import Failure, Flow, Outcome, Step
from anabranch.core.errors import AnabranchError
from anabranch.ir.graph import Operator
from anabranch.plan.sync.optimizers import Costs
from anabranch.plan.sync.plan import Tree
from anabranch.plan.sync.planning import plan_for, problem_of
from anabranch.plan.sync.program import OTHER, Program
from anabranch.plan.tuning import costs
from anabranch.runtime.gang.tagging import Tagging, counted
from anabranch.runtime.gang.updates import line_state
from anabranch.runtime.stage.rows import Line
from anabranch.runtime.stage.runners import Judge

LEARNT = 5000
"""So many events tell enough of how often each tag comes."""

WORTH_REPLANNING = 1.5
"""So many times as much work the present plan must be."""


Trees = dict[Hashable, Tree]
"""The plan of each state that is forked, by its key: None where there are no keys."""


class Worth(NamedTuple):
    """So many seconds an update must take to be worth dealing out; and where events are objects,
    that all workers together gain what it takes to make columns of them."""

    least: float
    of_objects: float

    def of(self, items: Sequence[object], workers: int) -> float:
        if isinstance(items, Columns):
            return self.least
        return max(self.least, self.of_objects / max(1, workers - 1))


class Planning:
    """The plan of one stage. `tagged` finds the tags of items; with `at_once` it is used before the
    first slice, otherwise when rows are `worth` it; `costs` are those of whoever uses it."""

    def __init__(self, op: Operator, position: int, workers: int,
                 tagged: Tagging, at_once: bool, worth: Worth, costs: Costs):
        self.operator, self.position, self.workers = op, position, workers
        self.program, self.costs = Program(op.kind), costs
        self.tagged = self.sampled = tagged
        self.pays = at_once and workers > 1
        self.least, self.worth = worth, Judge(resigned=workers < 2)
        self.seen: Counter = Counter()
        self.rows, self.seconds, self.is_empty = 0, 0.0, True

    def look_at(self, items: Sequence[object]) -> None:
        """Counts the tags of the first events."""
        self.is_empty = self.is_empty and not len(items)
        if self.workers > 1 and self.seen.total() < LEARNT:
            self.seen += counted(self.operator.kind, self.sampled, items[:LEARNT])

    def judge(self, items: Sequence[object], seconds: float) -> None:
        """Looks at what the items of a slice have cost in one place."""
        rows, self.worth.worth = len(items), self.least.of(items, self.workers)
        self.rows, self.seconds = self.rows + rows, self.seconds + seconds
        self.worth.worth_moving(rows, seconds)
        self.pays = self.worth.heavy and seconds > costs().slice_worth_dealing

    @property
    def is_settled(self) -> bool:
        """Whether it is known if it pays: heavy rows may be too few in the small slices of the
        beginning."""
        return self.worth.has_judged and (self.pays or not self.worth.heavy)

    def is_light(self, rows: int) -> bool:
        """Whether so many rows are less work than to deal them out, as far as that is known."""
        return rows * self.seconds < costs().slice_worth_dealing * self.rows

    def tree(self) -> Tree:
        return plan_for(self.program, self.seen, self.workers, self._costs).tree

    def trees(self) -> Trees:
        """A tree for each state that is forked."""
        return {None: self.tree()}

    def better_than(self, trees: Trees, lately: Counter, items: Sequence[object]) -> Trees | None:
        """A plan for what came lately, if it is much better for that than this one: events are
        counted by the number of their state and their tag, and these are the last of them."""
        seen = Counter({tag: count for (_, tag), count in lately.items()})
        found = self._better(trees[None], seen)
        return None if found is None else {None: found}

    def _better(self, tree: Tree, seen: Counter) -> Tree | None:
        problem = problem_of(self.program, seen, self.workers, self._costs)
        known = {shard.tag for shard in tree.below}
        unknown = sum(count for tag, count in seen.items() if tag not in known)
        present = replace(problem, rates={**problem.rates, OTHER: unknown}).busy(tree)
        best = plan_for(self.program, seen, self.workers, self._costs)
        return best.tree if WORTH_REPLANNING * best.busy < present else None

    @property
    def _costs(self) -> Costs:
        return replace(self.costs, update=self.seconds / self.rows) if self.rows else self.costs

    def state_of(self, line: Line) -> object:
        """The state that has come about so far, in one place."""
        return line_state(line, keyed=False) or self.program.start()

    def states_of(self, line: Line) -> dict:
        """The same by key."""
        return {None: self.state_of(line)}

    def finished(self, state: object) -> Outcome:
        """What the operator emits at the end of its input."""
        # A state that no event has seen is not there for the sequential engine.
        if self.operator.kind.at_end is None or self.is_empty:
            return Outcome([Flow([], [])], [])
        try:
            items = guarded(self.operator, lambda: self.operator.kind.at_end.call(state))
        except AnabranchError as error:
            return Outcome([Flow([], [])], [Failure((self.position, 0), error)])
        step = Step(self.operator.name, 0, len(items), 0.0)
        return Outcome([Flow([0] * len(items), items)], [], steps=(step,))
