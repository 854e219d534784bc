"""A partitioned stage in processes: each owns buckets of keys, with their state.

A slice is divided into one share for each owner, where it was made if that was in a process. All
buckets begin at home, with one thread here, which keeps them as long as their work is light, and
gets them back when there is a kernel for it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from anabranch.batch.buckets import Route, by_bucket, divided
from anabranch.batch.fields import in_fields
from anabranch.batch.items import Columns
from anabranch.batch.outcomes import combined
from anabranch.batch.packs import Piece, Pieces, opened
from anabranch.batch.slices import EMPTY, Flow, Outcome, Rows, Slice
from anabranch.batch.transport import CannotTravel, dumped, packed
from anabranch.engine.multicore.partitioned import Parts
from anabranch.engine.multicore.remote.balance import Balance
from anabranch.engine.multicore.remote.moving import Moving
from anabranch.engine.multicore.remote.owners import Share, by_owner
from anabranch.engine.multicore.service import MakeMerge
from anabranch.engine.multicore.worklists import Enough
from anabranch.runtime.processes.child import is_portable
from anabranch.runtime.processes.messages import Answer, outcome
from anabranch.runtime.stage.runners import Judge


class Owned(Moving):
    """Each process takes its share of the slices in order; so does one worker here."""

    def __init__(self, stage, hand_on, measure, pool, runner, tell, at_once, merge: MakeMerge,
                 route: Route, balance: Balance):
        super().__init__(stage, merge(hand_on).leave, measure, pool, runner, tell, at_once,
                         route.buckets, balance)
        self.route, self.judge = route, Judge()

    @property
    def settled(self) -> bool:
        return self.has_left or self.judge.has_judged

    def serve(self, worker: int, enough: Enough) -> None:
        while not enough() and (work := self.worklist.take(self.home)) is not None:
            self.begin(self.home, work)

    def enqueue(self, slice_: Slice) -> None:
        rows = self._looked_at(self._input(slice_))
        buckets = self._buckets(rows)
        if self.away and self.owners is self.all_at_home and buckets is not None:
            self.balance.place(np.bincount(buckets, minlength=self.route.buckets))
        owners = self.owners_for(slice_)
        self._transfer(owners)
        shares = self._ends(slice_, rows, owners) if self._finishes(slice_) \
            else self._shares(slice_, rows, buckets, owners)
        if not shares:
            for queue in self.stage.outputs:
                slice_.batches[queue] = EMPTY
            self.hand_on(slice_)
        for owner, share in shares.items():
            self.worklist.add(owner, share)
        self._rebalance()

    def _ends(self, slice_: Slice, rows: Rows, owners: np.ndarray) -> dict[int, Share]:
        found = np.unique(owners).tolist()
        parts = Parts(slice_, rows, len(found))
        return {owner: Share(parts, np.empty(0, np.int64), None, [],
                             np.flatnonzero(owners == owner).tolist()) for owner in found}

    def _looked_at(self, rows: Rows) -> Rows:
        """The rows with items of which the keys can be seen: in columns, if they are to travel."""
        if self._are_divided(rows) or (self.away and isinstance(rows.items, Columns)):
            return rows
        items = opened(rows.items)
        return replace(rows, items=in_fields(items) if self.away else items)

    def _are_divided(self, rows: Rows) -> bool:
        return isinstance(rows.items, Pieces) and rows.items.stage == self.stage.index

    def _buckets(self, rows: Rows) -> np.ndarray | None:
        """The bucket of each row; None where the rows were divided already."""
        return None if self._are_divided(rows) else self.route.buckets_of(rows.items, rows.ports)

    def _shares(self, slice_: Slice, rows: Rows, buckets: np.ndarray | None, owners: np.ndarray
                ) -> dict[int, Share]:
        items = rows.items
        if not len(items):
            return {}
        if buckets is None:
            return by_owner(slice_, rows, items)
        if owners is self.all_at_home:
            whole = Share(Parts(slice_, rows, 1), np.arange(len(items)), rows.ports,
                          [Piece(items, self.home, buckets)])
            return {self.home: whole}
        return by_owner(slice_, rows, divided(items, buckets, owners, self.stage.index))

    def _begin_share(self, worker: int, share: Share) -> None:
        if worker == self.home:
            self._run_here(share)
            return
        slice_ = share.parts.slice
        owners = self._owners(slice_)
        if share.finishing is not None:
            self._ask(worker, share, "finish", slice_.number, slice_.final, share.finishing, owners)
        else:
            self._ask(worker, share, "share", slice_.number, share.given(), owners, keep=share)

    def _complete_share(self, share: Share, answer: Answer) -> None:
        done = outcome(self.pool.memory, answer)
        self._add(share, done, answer.busy)
        self._measured(len(share.rows), sum(answer.busy.values()), done)

    def _run_here(self, share: Share) -> None:
        began = time.perf_counter()
        outcomes, flow = self._outcomes(share)
        done = combined(outcomes)
        if self.judge.worth_moving(len(share.rows), done.seconds, len(outcomes)):
            self._leave_home([flow, *done.outputs])
        seconds = time.perf_counter() - began
        self._add(share, done, {})
        self._measured(len(share.rows), seconds, done)

    def _outcomes(self, share: Share) -> tuple[list[Outcome], Flow]:
        """What each bucket at home makes of its rows, and all rows together."""
        slice_, lines = share.parts.slice, self.runner.lines
        if share.finishing is not None:
            return [lines[bucket].finish(slice_.number, slice_.final)
                    for bucket in share.finishing], Flow([], [])
        flow = share.flow()
        buckets = share.buckets[np.argsort(share.rows, kind="stable")]
        flow = flow._replace(items=opened(flow.items))
        return [lines[bucket].run(slice_.number, part)
                for bucket, part in by_bucket(flow, buckets).items()], flow

    def _add(self, share: Share, done: Outcome, busy: Mapping[int, float]) -> None:
        parts = share.parts
        if parts.add(done, busy):
            # Only whole slices tell who has how much to do: some owners are ahead of others.
            self.balance.note(parts.busy)
            self._store(parts.slice, parts.rows, parts.merged())
            self.hand_on(parts.slice)

    def _leave_home(self, seen: list[Flow]) -> None:
        """The next slices go to processes, unless the state, or what was seen, cannot travel."""
        try:
            dumped([packed(flow.items) for flow in seen])
            self.has_left = all(map(is_portable, self.runner.lines))
        except CannotTravel:
            self.has_left = False
        self.judge = Judge(resigned=True)

    BEGIN = Moving.BEGIN | {Share: _begin_share}
    COMPLETE = Moving.COMPLETE | {Share: _complete_share}
