"""The gangs of a run: one for each synchronized stage, in processes or in threads.

Plain Python holds the interpreter's lock, so it runs in processes, which are forked before the run
starts any thread; kernels, and Python without that lock, run in threads. Where fork and join have
native forms too, the threads meet in native code.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from anabranch.batch.items import has_columns
from anabranch.core.threads import start_thread
from anabranch.engine.multicore.crew import Crew
from anabranch.engine.multicore.gangs.keys import KeyedPlanning
from anabranch.engine.multicore.gangs.mail import Leave, Posted
from anabranch.engine.multicore.gangs.processes import Processes
from anabranch.engine.multicore.gangs.service import Begin, Gathering, Shared, SynchronizedService
from anabranch.engine.multicore.gangs.threads import Threads
from anabranch.engine.multicore.service import HandOn
from anabranch.ir.graph import Graph
from anabranch.plan.physical.stages import Stage
from anabranch.plan.sync.optimizers import Costs
from anabranch.plan.tuning import costs, processes_pay
from anabranch.runtime.gang.plans import Planning, Worth
from anabranch.runtime.gang.tagging import tagging, tags_alone
from anabranch.runtime.gang.updates import LineUpdates
from anabranch.runtime.stage.rows import Line
from anabranch.runtime.stage.runners import Here

if TYPE_CHECKING:
    from anabranch.kernels.native.team.kernel import TeamKernel


IN_NATIVE_CODE = Costs(fork=1e-7, join=1e-7, message=5e-7)
"""What it costs workers to meet in native code."""


class Gangs:
    """`wanted` says whether gangs are used: where it pays, always, or never. In a run that is known
    to be `long`, code that is on disk is loaded before it is asked for."""

    def __init__(self, graph: Graph, workers: int, wanted: str, long: bool = False):
        self.graph, self.wanted, self.long = graph, wanted, long
        self.workers = workers if wanted != "never" else 1
        self.begins: dict[int, Callable] = {}
        self.teams: dict[int, Compiled] = {}
        self.new_lines: dict[int, Callable[[], Line]] = {}
        self.native: dict[int, bool] = {}
        self.all: list = []

    def prepare(self, stage: Stage, new_line: Callable[[], Line], native: bool) -> None:
        """Gets ready for a plan with as many leaves as there are workers."""
        op = stage.operators[0]
        if self.workers < 2:
            return
        self.native[stage.index] = native
        if native and (kernel := self._team_kernel(stage)) is not None:
            self.teams[stage.index] = Compiled(kernel, patient=self.wanted == "always")
            self.new_lines[stage.index] = new_line
            return
        output = self.graph.queue(stage.outputs[0]).type
        # The user's own plan may have more workers than there are.
        told = op.kind.tree.nodes() if op.kind.tree else ()
        many = max(2 * self.workers - 1, sum(1 for _ in told))
        updates = [LineUpdates(new_line(), bool(op.kind.by), output if has_columns(output) else None
                               ) for _ in range(many)]
        if native or not processes_pay():
            self.begins[stage.index] = partial(Threads, updates)
        else:
            self.begins[stage.index] = self._kept(
                Processes(op.kind, updates, self.workers)).begin

    def service(self, stage: Stage, hand_on: HandOn, crew: Crew,
                runner: Here) -> SynchronizedService:
        op, native = stage.operators[0], self.native.get(stage.index, False)
        workers = self.workers if stage.index in {**self.begins, **self.teams} else 1
        if self.long and stage.index in self.teams:
            self.teams[stage.index].load()
        plan = KeyedPlanning if op.kind.by else Planning
        worth = Worth(costs().row_worth_dealing, 0.0) if native else Worth(
            costs().row_worth_moving, costs().object_travel)
        planning = plan(op, self.graph.position(op), workers, tagging(self.graph, op, native),
                        self.wanted == "always", worth,
                        IN_NATIVE_CODE if stage.index in self.teams else Costs())
        if stage.index in self.teams:
            planning.tagged = tags_alone(self.graph, op, native)
        return SynchronizedService(stage, hand_on, crew, runner, planning,
                            self._begin(stage, planning, crew, runner))

    def close(self) -> None:
        for gang in self.all:
            gang.close()

    def _begin(self, stage: Stage, plan: Planning, crew: Crew, runner: Here) -> Begin:
        """How the stage's state begins to be shared."""
        def team(leave: Leave) -> Shared | None:
            from anabranch.engine.multicore.gangs.team import NativeTeam

            if not self.teams[stage.index].is_ready():
                return None
            made = self._kept(NativeTeam(self.teams[stage.index].kernel, plan, runner.lines[0],
                                         leave, crew.fail, new_line))
            # What it has done is counted with what lines have done.
            runner.lines.append(made)
            return made

        def new_line() -> Line:
            # The only state can stay in the line that is there.
            if plan.operator.kind.by:
                runner.lines.append(self.new_lines[stage.index]())
                return runner.lines[-1]
            return runner.lines[0]

        def gang(leave: Leave) -> Shared:
            return Gathering(partial(
                Posted, lambda *given: self._kept(self.begins[stage.index](*given)), plan,
                plan.state_of(runner.lines[0]), fail=crew.fail), leave)
        return team if stage.index in self.teams else gang

    def _team_kernel(self, stage: Stage) -> TeamKernel | None:
        # Numba takes half a second to import.
        from anabranch.kernels.native.team.kernel import team_kernel

        return team_kernel(self.graph, stage.operators[0])

    def _kept(self, gang):
        if gang not in self.all:
            self.all.append(gang)
        return gang


class Compiled:
    """A kernel that is compiled in a thread of its own as soon as somebody asks whether it is
    ready, or loaded before that; who is `patient` waits for it."""

    def __init__(self, kernel: TeamKernel, patient: bool):
        self.kernel, self.patient = kernel, patient
        self.ready, self.thread = threading.Event(), None

    def load(self) -> None:
        """Begins to load what is on disk."""
        if self.kernel.is_saved:
            self._begin()

    def is_ready(self) -> bool:
        self._begin()
        return self.ready.wait(None if self.patient else 0)

    def _begin(self) -> None:
        if self.thread is None:
            self.thread = start_thread(self._compile, name="compiler of a plan")

    def _compile(self) -> None:
        # If it fails, the first slice is done in one place, and so are all others.
        with suppress(Exception):
            self.kernel.warm()
        self.ready.set()
