"""Errands: firings that processes compute, in the order in which each of them is asked.

All is done by the thread that has the loop. A process has a few errands at a time, so that it need
not wait while that thread does something else.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import partial

from anabranch.engine.multicore.flows import Flow, Outcome
from anabranch.engine.multicore.messages import given, outcome
from anabranch.engine.multicore.processes import Pool, Reply

AT_A_TIME = 4


@dataclass(eq=False)
class Errand:
    """One firing: the item, who computes it, and what came of it."""

    operator: int
    item: object
    process: int
    reply: Reply | None = None


class Errands:
    """What the processes of a pool are asked, and have been asked."""

    def __init__(self, pool: Pool):
        self.pool = pool
        self.waiting: list[deque[Errand]] = [deque() for _ in pool.processes]
        self.sent = [0 for _ in pool.processes]

    @property
    def idlest(self) -> int:
        """The process that has the least to do."""
        return min(range(len(self.sent)), key=lambda p: self.sent[p] + len(self.waiting[p]))

    def send(self, operator: int, item: object, process: int) -> Errand:
        errand = Errand(operator, item, process)
        self.waiting[process].append(errand)
        self._hand_over(process)
        return errand

    def adopt(self, operator: int, states: list, process: int) -> None:
        """Gives a process what an operator remembers, before any firing of it."""
        self.pool.ask(process, lambda reply: reply.value, "adopt", operator, {0: states})

    def wait(self, errand: Errand) -> Outcome:
        while errand.reply is None:
            self.pool.processes[errand.process].receive()
        return outcome(self.pool.memory, errand.reply.value)

    def _hand_over(self, process: int) -> None:
        while self.waiting[process] and self.sent[process] < AT_A_TIME:
            errand = self.waiting[process].popleft()
            self.sent[process] += 1
            self.pool.ask(process, partial(self._answered, errand), "run", errand.operator, 0,
                          given(Flow(range(1), [errand.item])), {})

    def _answered(self, errand: Errand, reply: Reply) -> None:
        errand.reply = reply
        self.sent[errand.process] -= 1
        self._hand_over(errand.process)
