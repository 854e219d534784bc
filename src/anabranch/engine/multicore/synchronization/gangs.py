"""The gangs of a run: one for each synchronized stage, in processes or in threads.

Plain Python holds the interpreter's lock, so it runs in processes, which are forked before the run
starts any thread; kernels, and Python without that lock, run in threads.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from anabranch.engine.multicore import processes
from anabranch.engine.multicore.crew import Crew
from anabranch.engine.multicore.line import Line
from anabranch.engine.multicore.runners import WORTH_MOVING, Here
from anabranch.engine.multicore.service import HandOn
from anabranch.engine.multicore.stages import Stage
from anabranch.engine.multicore.synchronization.gang import Processes, Threads
from anabranch.engine.multicore.synchronization.plans import (
    KeyedPlanning,
    LineUpdates,
    Planning,
)
from anabranch.engine.multicore.synchronization.service import Synchronized
from anabranch.engine.multicore.synchronization.tagging import tagging
from anabranch.ir.graph import Graph

WORTH_DEALING_OUT = 1e-7
"""Seconds of a kernel for each row from which on it pays to deal its rows out to several."""


class Gangs:
    """`wanted` says whether gangs are used: where it pays, always, or never."""

    def __init__(self, graph: Graph, workers: int, wanted: str):
        self.graph, self.wanted = graph, wanted
        self.workers = workers if wanted != "never" else 1
        self.begins: dict[int, Callable] = {}
        self.native: dict[int, bool] = {}
        self.all: list[Processes | Threads] = []

    def prepare(self, stage: Stage, new_line: Callable[[], Line], native: bool) -> None:
        """Gets ready for a plan with as many leaves as there are workers."""
        kind = stage.operators[0].kind
        # The keys of columns cannot be told apart fast enough for a gang of kernels.
        if self.workers < 2 or (native and kind.by):
            return
        updates = [LineUpdates(new_line(), bool(kind.by)) for _ in range(2 * self.workers - 1)]
        self.native[stage.index] = native
        if native or not processes.are_worthwhile():
            self.begins[stage.index] = partial(Threads, updates)
        else:
            gang = self._kept(Processes(kind, updates))
            self.begins[stage.index] = gang.begin

    def service(self, stage: Stage, hand_on: HandOn, crew: Crew, runner: Here) -> Synchronized:
        op, native = stage.operators[0], self.native.get(stage.index, False)
        workers = self.workers if stage.index in self.begins else 1
        plan = KeyedPlanning if op.kind.by else Planning
        planning = plan(op, self.graph.position(op), workers,
                        lambda *given: self._kept(self.begins[stage.index](*given)),
                        tagging(self.graph, op, native), self.wanted == "always",
                        WORTH_DEALING_OUT if native else WORTH_MOVING)
        return Synchronized(stage, hand_on, crew, runner, planning)

    def close(self) -> None:
        for gang in self.all:
            gang.close()

    def _kept(self, gang: Processes | Threads) -> Processes | Threads:
        if gang not in self.all:
            self.all.append(gang)
        return gang
