"""The processes of loops: a pool for each, with the operators that may be computed ahead."""

from __future__ import annotations

from collections import Counter
from functools import partial

from anabranch.analysis.fact import StateKind
from anabranch.engine.multicore import processes
from anabranch.engine.multicore.child import Work
from anabranch.engine.multicore.knobs import Knobs
from anabranch.engine.multicore.line import Line
from anabranch.engine.multicore.loops.ahead import Ahead
from anabranch.engine.multicore.loops.errands import Errands
from anabranch.engine.multicore.loops.upcoming import upcoming, way_to
from anabranch.engine.multicore.stages import Sharing, Stage, finishes
from anabranch.engine.sequential import Machine
from anabranch.ir.graph import Operator
from anabranch.ir.operators import Apply, FlatMap, Map
from anabranch.plan import Plan

ALONE = (StateKind.STATELESS, StateKind.PARTITIONED)


class Loops:
    """All loops of a run. They are prepared before any thread is started, since they fork."""

    def __init__(self, plan: Plan, knobs: Knobs):
        self.plan, self.knobs = plan, knobs
        self.pools: dict[int, processes.Pool] = {}

    def prepare(self, stage: Stage) -> None:
        """Forks processes for a stage that is a loop with something to compute ahead."""
        wanted = self.knobs.workers > 1 and self.knobs.processes != "never"
        found = computed_ahead(self.plan, stage) if wanted and processes.are_worthwhile() else []
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


def computed_ahead(plan: Plan, stage: Stage) -> list[Operator]:
    """The operators on a loop whose firings may be computed before their turn."""
    graph, facts = plan.graph, plan.facts
    users = Counter(v for op in graph for v in op.variables)
    if stage.sharing is not Sharing.TOGETHER:
        return []
    return [op for op in stage.operators if op.name in graph.looping
            and isinstance(op.kind, (Apply, FlatMap, Map)) and not finishes(op)
            and all(users[v] == 1 for v in op.variables)
            and facts[op.name].state.value.kind in ALONE
            and way_to(op, stage, graph, facts) is not None]
