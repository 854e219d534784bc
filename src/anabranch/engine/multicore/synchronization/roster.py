"""Who of a team does what: the states that are forked, each with a plan of its own, the keys that
are not, and to whom the rows of a slice go."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate

import numpy as np
import pyarrow as pa

from anabranch.engine.items import Columns, as_batch
from anabranch.engine.multicore.line import Line
from anabranch.engine.multicore.synchronization.cold_keys import ColdKeys
from anabranch.engine.multicore.synchronization.forked import Forked, Turn
from anabranch.engine.multicore.synchronization.job import Job
from anabranch.engine.multicore.synchronization.key_tagging import COLD, OnlyState, StateOfKey
from anabranch.engine.multicore.synchronization.plans import Planning, Trees
from anabranch.kernels.native.dealing import dealt
from anabranch.kernels.native.lead import Lead
from anabranch.kernels.native.team import TeamKernel

BUCKETS_PER_WORKER = 2
"""Of keys that are not split, where several workers have them: each costs a call a slice."""


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
        buckets = BUCKETS_PER_WORKER * self.for_cold if self.for_cold > 1 else self.for_cold
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
