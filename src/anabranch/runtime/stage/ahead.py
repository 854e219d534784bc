"""Loops: the heavy operators of a round are computed ahead, in worker processes."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from anabranch.batch.packs import opened
from anabranch.batch.slices import Flow, Outcome
from anabranch.batch.transport import CannotTravel, dumped, packed
from anabranch.core.errors import RunError
from anabranch.ir.graph import Operator
from anabranch.ir.operators import Cell, Fire, Output, key_function
from anabranch.plan.logical.plan import Plan
from anabranch.plan.physical.rounds import Way, computed_ahead, way_to
from anabranch.plan.physical.stages import Stage
from anabranch.plan.tuning import Knobs, costs, processes_pay
from anabranch.runtime.machine import Machine
from anabranch.runtime.processes import pool as processes
from anabranch.runtime.processes.child import Work
from anabranch.runtime.processes.messages import given, outcome
from anabranch.runtime.processes.pool import Pool, Reply
from anabranch.runtime.stage.rows import Line
from anabranch.runtime.stage.runners import Judge

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


def upcoming(op: Operator, way: Way, machine: Machine) -> Iterator[object]:
    """The items that will reach `op`, in their order, as far as that is known."""
    yield from _waiting(machine, op, 0)
    for place, step in enumerate(way):
        for item in _waiting(machine, step.op, step.port):
            try:
                arrives = all(nearer.hands_on(item) for nearer in way[place::-1])
            except Exception:
                # It will be raised in its turn; nothing behind it arrives.
                return
            if arrives:
                yield item


def _waiting(machine: Machine, op: Operator, port: int) -> Sequence[object]:
    return machine.queues[machine.graph.position(op.name)][port]


LONGER_THAN_TRAVEL = 2
"""So many times longer than packing its items it takes to compute them."""

AS_MANY = 256
"""So many firings are begun ahead at most."""


class Ahead:
    """The firings of one operator. `upcoming` tells the items that will come next, `number` is by
    what the processes know it."""

    def __init__(self, op: Operator, number: int, cells: list[Cell], errands: Errands,
                 upcoming: Callable[[], Iterable[object]], at_once: bool):
        self.op, self.number, self.cells, self.errands = op, number, cells, errands
        self.upcoming, self.away = upcoming, at_once
        self.judge = Judge(worth=costs().item_worth_moving)
        self.key_of = key_function(op.kind.by) if cells else None
        self.owners: dict[object, int] = {}
        self.begun: deque[Errand] = deque()

    def fire(self, here: Fire, port: int, item: object) -> tuple[list[Output], float]:
        """What the firing emits, and the seconds that it was computed."""
        if self.away:
            return self._taken(item)
        began = time.thread_time()
        outputs = list(here(port, item))
        seconds = time.thread_time() - began
        if self.judge.worth_moving(1, seconds) and any(True for _ in self.upcoming()):
            self._leave([item, *(out for _, out in outputs)], seconds)
        return outputs, seconds

    def _taken(self, item: object) -> tuple[list[Output], float]:
        if not self.begun:
            self._begin(item)
        done = self.errands.wait(self.begun.popleft())
        if done.failures:
            raise done.failures[0].error
        return [(0, out) for out in opened(done.outputs[0].items)], done.seconds

    def _begin(self, item: object) -> None:
        """With this item and those that will come next."""
        self.begun.append(self._sent(item))
        for upcoming, _ in zip(self.upcoming(), range(AS_MANY)):
            try:
                self.begun.append(self._sent(upcoming))
            except Exception:
                # It will fail in the same way in its turn.
                return

    def _sent(self, item: object) -> Errand:
        process = self.errands.idlest if self.key_of is None else self._owner(self.key_of(item))
        try:
            return self.errands.send(self.number, item, process)
        except CannotTravel as error:
            raise self._stuck(error) from None

    def _owner(self, key: object) -> int:
        """Keys go to the processes in turn."""
        return self.owners.setdefault(key, len(self.owners) % len(self.errands.sent))

    def _leave(self, seen: list, seconds: float) -> None:
        states: list[dict] = [{} for _ in self.errands.sent]
        for key, state in self.cells[0].value.items() if self.cells else ():
            states[self._owner(key)][key] = state
        try:
            began = time.thread_time()
            dumped(packed(seen))
            self.away = seconds > LONGER_THAN_TRAVEL * (time.thread_time() - began)
            for process, owned in enumerate(states if self.away else ()):
                self.errands.adopt(self.number, [([owned] if self.cells else [], None)], process)
        except CannotTravel:
            self.away, self.judge = False, Judge(resigned=True)

    def _stuck(self, error: CannotTravel) -> RunError:
        return RunError(f"an item of {self.op.name} cannot travel to its worker process: {error}",
                        self.op.span, help="define the item's class at the top level of a module, "
                                           "or run with one worker")


class Loops:
    """All loops of a run. They are prepared before any thread is started, since they fork."""

    def __init__(self, plan: Plan, knobs: Knobs):
        self.plan, self.knobs = plan, knobs
        self.pools: dict[int, processes.Pool] = {}

    def prepare(self, stage: Stage) -> None:
        """Forks processes for a stage that is a loop with something to compute ahead."""
        wanted = self.knobs.workers > 1 and self.knobs.processes != "never"
        found = computed_ahead(self.plan, stage) if wanted and processes_pay() else []
        if found:
            lines = {(number, 0): Line(self.plan.graph, [op]) for number, op in enumerate(found)}
            self.pools[stage.index] = processes.Pool(self.knobs.workers, Work(lines, {}, {}))

    def ahead(self, stage: Stage, machine: Machine) -> dict[str, Ahead]:
        """The operators of a stage that may be computed ahead of the machine that runs it."""
        if stage.index not in self.pools:
            return {}
        errands, at_once = Errands(self.pools[stage.index]), self.knobs.processes == "always"
        graph, facts = self.plan.graph, self.plan.facts
        return {op.name: Ahead(op, number, [machine.cells[v] for v in op.variables], errands,
                               partial(upcoming, op, way_to(op, stage, graph, facts), machine),
                               at_once)
                for number, op in enumerate(computed_ahead(self.plan, stage))}

    def kill(self) -> None:
        for pool in self.pools.values():
            pool.kill()

    def close(self) -> None:
        for pool in self.pools.values():
            pool.close()
