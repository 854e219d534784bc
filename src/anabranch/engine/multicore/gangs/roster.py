"""Who of a team does what: the states that are forked, the keys that are not."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate

import numpy as np
import pyarrow as pa

from anabranch.batch.items import Columns, as_batch
from anabranch.batch.slices import Outcome, Rows, Slice
from anabranch.engine.multicore.gangs.keys import ColdKeys, ColdTurn
from anabranch.engine.multicore.gangs.shards import Forked, Turn
from anabranch.engine.multicore.gangs.states import COLD, OnlyState, StateOfKey
from anabranch.kernels.native.team.distribution import dealt
from anabranch.kernels.native.team.kernel import Lead, TeamKernel
from anabranch.plan.tuning import costs
from anabranch.runtime.gang.plans import Planning, Trees
from anabranch.runtime.stage.rows import Line


@dataclass
class Job:
    """A slice on its way: the `turns` of the states that are forked, the `cold` keys, and how long
    all that took. `missing` counts the workers that are not through; it is `over` when what
    they could not do was done in one place."""

    number: int
    slice: Slice
    rows: Rows
    final: bool
    missing: int
    turns: list[Turn] = field(default_factory=list)
    cold: ColdTurn | None = None
    seconds: float = 0.0
    outcome: Outcome | None = None
    over: threading.Event = field(default_factory=threading.Event)

    def take_part(self, hand: int) -> bool:
        """Does a worker's share of the states; whether nobody has to do any of it again."""
        # All go through the states in one order, so that nobody waits for who waits for him.
        done = [turn.take_part(hand, self.number) for turn in self.turns]
        return all(done) and not self.final

    def take_cold(self, broken: threading.Event) -> bool:
        """The same of the cold keys, which are done at once."""
        if self.cold is not None:
            self.cold.take_part(broken)
        return not self.final

    def do_alone(self, broken: threading.Event) -> None:
        """Does all of it, while nobody is at work."""
        for turn in self.turns:
            turn.do_alone(self.number)
        self.take_cold(broken)

    def do_again(self) -> None:
        """Does in one place what native code has not done."""
        for turn in self.turns:
            if not turn.is_done:
                turn.do_again(self.number, self.slice.number, self.rows.items)

    @property
    def seconds_of_cold(self) -> float:
        """How long the cold keys took, which their own outcomes tell."""
        return sum(outcome.seconds for outcome in self.cold.outcomes) if self.cold else 0.0

    @property
    def native(self) -> list[Turn]:
        return [turn for turn in self.turns if turn.is_done]

    def others(self) -> Iterator[Outcome]:
        """What was not done in native code that the workers share."""
        yield from (turn.outcome for turn in self.turns if turn.outcome is not None)
        yield from self.cold.outcomes if self.cold else ()


class Roster:
    """Plans for some keys, or for the only state, which has the key None; all begin with `states`.
    `new_line` makes lines in which rows are done in one place."""

    def __init__(self, kernel: TeamKernel, plan: Planning, trees: Trees, states: dict,
                 new_line: Callable[[], Line]):
        self.kind, self.item = plan.operator.kind, kernel.rows.input_type
        self.lead = Lead(kernel)
        self.states = [Forked(kernel, self.lead, tree, new_line(), key)
                       for key, tree in trees.items()]
        # The workers of all trees, and then the buckets, are numbered one behind the other.
        self.firsts = list(accumulate((state.team.nodes for state in self.states), initial=0))
        self.for_cold = plan.workers_of_cold(trees) if self.kind.by else 0
        # Of keys that are not split, where several workers have them: each costs a call a slice.
        each = costs().plan_buckets_per_worker if self.for_cold > 1 else 1
        buckets = each * self.for_cold
        self.cold = ColdKeys([new_line() for _ in range(buckets)]) if buckets else None
        self.tagged = StateOfKey(plan.tagged, self.kind.by, list(trees), buckets) if self.kind.by \
            else OnlyState(plan.tagged)
        self._put(dict(states))

    def _put(self, states: dict) -> None:
        for state in self.states:
            own = states.pop(state.key, None)
            state.put(self.kind.new_state() if own is None else own)
        if self.cold is not None:
            self.cold.put(states)

    def hands(self, broken: threading.Event) -> list[Callable[[Job], bool]]:
        """What each worker does with a job: one for each leaf, and those of the cold keys."""
        leaves = max((len(state.leaves) for state in self.states), default=0)
        return [*(partial(Job.take_part, hand=hand) for hand in range(leaves)),
                *[partial(Job.take_cold, broken=broken)] * self.for_cold]

    def deal(self, job: Job) -> Counter:
        """Says who does which rows, and counts them by the number of their state and their tag."""
        batch = self._batch(job)
        if batch is None and self.cold is None:
            job.turns = [Turn(self.states[0], np.arange(len(job.rows)), None)]
            return Counter()
        items = job.rows.items if batch is None else Columns(batch, self.item)
        coded = self.lead.coded(batch) if batch is not None and self.states else None
        tags, number_of, codes = self.tagged.numbered(
            items if coded is None else Columns(coded, self.item))
        order, begins, many = dealt(codes, number_of, [self._takers(*tag) for tag in tags],
                                    self.firsts[-1] + len(self.cold.lines if self.cold else ()))
        given = None if coded is None else self.lead.given(batch, coded, order)
        for state, first, last in zip(self.states, self.firsts, self.firsts[1:]):
            own = begins[first:last + 1]
            if own[-1] > own[0] or self.cold is None:
                job.turns.append(state.turn(order[own[0]:own[-1]], own - own[0], len(order), given))
        if self.cold is not None:
            job.cold = self.cold.turn(job.slice.number, items, order, begins[self.firsts[-1]:])
        return Counter({tag: n for tag, n in zip(tags, many.tolist()) if n})

    def deal_to_one(self, job: Job) -> None:
        """The same for rows that one does alone."""
        if self.cold is not None:
            self.deal(job)
            return
        batch, order = self._batch(job), np.arange(len(job.rows))
        job.turns = [Turn(self.states[0], order, None if batch is None else self.lead.given(
            batch, self.lead.coded(batch), order))]

    def _batch(self, job: Job) -> pa.RecordBatch | None:
        """The rows in columns, if there is anybody who can take them so."""
        if self.cold is None and job.number < self.states[0].again:
            return None
        batch = as_batch(job.rows.items, self.item)
        return batch if batch is not None and self.lead.takes(batch) else None

    def _takers(self, state: int, tag: object) -> Sequence[int]:
        """The workers, or the bucket, that take a tag of a state."""
        if state == COLD:
            return [self.firsts[-1] + tag]
        return [self.firsts[state] + worker for worker in self.states[state].takers(tag)]

    def given_up(self) -> dict:
        """All states by key, for another roster, when nobody is at work."""
        cold = self.cold.given_up() if self.cold else {}
        return cold | {state.key: state.state() for state in self.states}

    def only_state(self) -> object:
        """That of an operator without keys; nobody asks for all of the others at the end."""
        return None if self.cold else self.states[0].state()

    def forget_texts(self) -> None:
        """When nobody is at work."""
        states = [(state, state.state()) for state in self.states if not state.in_line]
        self.lead.forget_texts()
        for state, own in states:
            state.put(own)

    def stop(self) -> None:
        """Lets nobody wait in native code any longer."""
        for state in self.states:
            state.team.stop()
