"""Buckets change hands: from home to processes, between them, and home again.

When an owner has too much to do, a bucket moves: its state is taken when the old owner has done
what was meant for it, and the new owner begins with it. Slices carry the owners that they were
divided for, so everybody agrees from which slice on a bucket has moved.
"""

from __future__ import annotations

import time

import numpy as np

from anabranch.batch.slices import Slice
from anabranch.batch.transport import CannotTravel
from anabranch.core.errors import RunError
from anabranch.engine.multicore.remote.balance import Balance
from anabranch.engine.multicore.remote.owners import (
    Arrive,
    Lanes,
    Leave,
    Probe,
    Transfer,
    probes,
    transfers,
)
from anabranch.engine.multicore.remote.stage import Remote
from anabranch.engine.multicore.worklists import PinnedQueue
from anabranch.runtime.processes.pool import Reply

BEHIND = 3
"""Buckets may move when one process has so many shares more to do than another. Less than that is
made up for by what waits: processes are never equally fast for long."""


class Moving(Remote):
    """A stage in processes whose buckets have owners. Each owner has a lane of work, which it does
    in order; what it has to do for a bucket that moves stands there too."""

    def __init__(self, stage, hand_on, measure, pool, runner, tell, at_once: bool, buckets: int,
                 balance: Balance):
        self.lanes = Lanes(len(pool.processes))
        super().__init__(stage, PinnedQueue(len(self.lanes)), hand_on, measure, pool, runner, tell)
        self.home, self.balance, self.has_left = self.lanes.home, balance, at_once
        self.all_at_home = np.full(buckets, self.home, np.int64)
        self.owners = balance.owners if at_once else self.all_at_home
        self.guests: frozenset[int] = frozenset()
        self.probing = self.moved = 0

    @property
    def waiting(self) -> int:
        return max(map(self.worklist.available, range(len(self.lanes))))

    def available(self, worker: int) -> int:
        return self.worklist.available(self.home)

    def waits_for(self, process: int) -> int:
        return sum(map(self.worklist.available, (self.lanes.guests(process), process)))

    def next_for(self, process: int) -> object | None:
        """Guests first: they have waited."""
        work = self.worklist.take(self.lanes.guests(process))
        return self.worklist.take(process) if work is None else work

    def owners_for(self, slice_: Slice) -> np.ndarray:
        """Who owns the buckets in this slice; asked for in the order of the slices."""
        now = self._owners_now() if self.away else self.all_at_home
        return slice_.owners.setdefault(self.stage.index, now)

    def _owners_now(self) -> np.ndarray:
        owners, guests = self.balance.owners, list(self.guests)
        if not guests:
            return owners
        owners = owners.copy()
        owners[guests] += self.home + 1
        return owners

    def begin(self, worker: int, work: object) -> None:
        try:
            self.BEGIN[type(work)](self, worker, work)
        except CannotTravel as error:
            raise self._stuck(error) from None

    def complete(self, work: object, reply: Reply) -> None:
        try:
            self.COMPLETE[type(work)](self, work, reply.value)
        except CannotTravel as error:
            raise self._stuck(error) from None

    def _transfer(self, owners: np.ndarray) -> None:
        """Sends the buckets on their way that have other owners from this slice on."""
        for transfer in transfers(self.owners, owners):
            self.worklist.add(transfer.old, Leave(transfer))
            self.worklist.add(transfer.new, Arrive(transfer))
            self.moved += transfer.old != self.home and not self._moves_in(transfer)
        self.owners = owners

    def _moves_in(self, transfer: Transfer) -> bool:
        return self.lanes.process(transfer.old) == self.lanes.process(transfer.new)

    def _rebalance(self) -> None:
        if self.away and not self.probing:
            moves = self.balance.wanted(time.monotonic(), self._lag() >= BEHIND)
            for owner, probe in probes(moves).items():
                self.probing += 1
                self.worklist.add(owner, probe)

    def _lag(self) -> int:
        """By how many shares the last process is behind the first."""
        lengths = self.worklist.lengths[:self.home]
        return max(lengths) - min(lengths)

    def _begin_probe(self, worker: int, probe: Probe) -> None:
        self._ask(worker, probe, "portable", probe.buckets)

    def _complete_probe(self, probe: Probe, portable: list[bool]) -> None:
        for move, can_move in zip(probe.moves, portable):
            if can_move:
                self.guests |= {move.bucket}
                self.balance.move(move)
            else:
                self.balance.fix(move.bucket)
        self.probing -= 1

    def _begin_leave(self, worker: int, leave: Leave) -> None:
        buckets = leave.transfer.buckets
        if self._moves_in(leave.transfer):
            # What was meant for the guests has been sent, and a process keeps the order.
            self._left(leave, {})
        elif worker == self.home:
            self._left(leave, {bucket: self.runner.lines[bucket].state() for bucket in buckets})
        else:
            self._ask(worker, leave, "states", buckets)

    def _left(self, leave: Leave, states: dict[int, list]) -> None:
        leave.transfer.states = states
        self.tell()

    def _begin_arrive(self, worker: int, arrive: Arrive) -> None:
        if self._moves_in(arrive.transfer):
            self.tell()
        elif worker == self.home:
            for bucket, state in arrive.transfer.states.items():
                self.runner.lines[bucket].adopt(state)
        else:
            self._ask(worker, None, "adopt", arrive.transfer.states)
            self.guests -= set(arrive.transfer.buckets)

    def _stuck(self, error: CannotTravel) -> RunError:
        return RunError(f"an item of {self.stage.name} cannot travel between its worker process "
                        f"and the others: {error}", self.stage.operators[0].span,
                        help="define the item's class at the top level of a module, or run with "
                             "one worker")

    BEGIN = {Probe: _begin_probe, Leave: _begin_leave, Arrive: _begin_arrive}
    COMPLETE = {Probe: _complete_probe, Leave: _left, type(None): lambda self, work, answer: None}
