"""Runs a plan: forks the processes, starts the crew, reads the sources, and cleans up."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from anabranch.engine.multicore import processes
from anabranch.engine.multicore.crew import Crew
from anabranch.engine.multicore.heuristics import HEURISTICS
from anabranch.engine.multicore.intake import Intake, Stopped
from anabranch.engine.multicore.line import Line
from anabranch.engine.multicore.metrics import StageMetrics, measured
from anabranch.engine.multicore.network import Network
from anabranch.engine.multicore.partitioned import Partitioned
from anabranch.engine.multicore.reorder import REORDERINGS
from anabranch.engine.multicore.rounds import Emission, Rounds
from anabranch.engine.multicore.runners import Here, WherePays
from anabranch.engine.multicore.scheduler import Scheduler
from anabranch.engine.multicore.service import HandOn, InOrder, Service, Stateless, Together
from anabranch.engine.multicore.stages import Sharing, Stage, finishes, formed
from anabranch.engine.multicore.tiers import Compilation, is_long, tiers
from anabranch.engine.multicore.unfused import unfused
from anabranch.engine.multicore.worklists import QUEUES, PinnedQueue
from anabranch.engine.sequential import Emit, merged
from anabranch.errors import UsageError, did_you_mean
from anabranch.ir.graph import Graph
from anabranch.plan import Plan

if TYPE_CHECKING:
    from anabranch.kernels import Kernel

BUCKETS_PER_WORKER = 4
ROWS_OF_A_SLICE = 1024
KNOWN = {"heuristic": HEURISTICS, "reorder": REORDERINGS, "queue": QUEUES,
         "processes": ("where it pays", "always", "never"),
         "kernels": ("where it pays", "always", "never")}


@dataclass(frozen=True)
class Knobs:
    """How a run is tuned; nothing here changes its output."""

    workers: int
    heuristic: str = "CT"
    reorder: str = "non-blocking"
    queue: str = "hybrid"
    slice_size: int | None = None
    slice_ms: float = 1.0
    slices_under_way: int | None = None
    processes: str = "where it pays"
    kernels: str = "where it pays"

    def __post_init__(self):
        for name in ("workers", "slice_size"):
            if getattr(self, name) is not None and getattr(self, name) < 1:
                raise UsageError(f"{name} must be at least 1", got=str(getattr(self, name)))
        for name, known in KNOWN.items():
            if getattr(self, name) not in known:
                raise UsageError(f"{name} cannot be '{getattr(self, name)}'",
                                 help=did_you_mean(getattr(self, name), known))

    @property
    def bound(self) -> int:
        """How many slices may be under way: some for each worker, so that none waits."""
        return self.slices_under_way or 4 * self.workers + 4


def run(plan: Plan, items: dict[str, Iterable[object]], emit: Emit, limit: int | None = None, *,
        workers: int | None = None, report: Callable[[list[StageMetrics]], None] | None = None,
        **knobs: object) -> None:
    """Runs the plan over the items of its sources; `emit` is given what the sequential engine
    would give it, in the same order, and at the end `report` what was measured.

    A failing function stops the run with the error of the sequential engine; what was emitted
    before is the beginning of the sequential output. So it is when the run is interrupted.
    """
    workers = os.cpu_count() or 1 if workers is None else workers
    one = Run(plan, emit, Knobs(workers, **knobs))
    try:
        one.go(items, limit)
    finally:
        if report is not None:
            report(one.metrics())


class Run:
    """One run of a plan."""

    def __init__(self, plan: Plan, emit: Emit, knobs: Knobs):
        self.plan, self.emit, self.knobs = unfused(plan), emit, knobs
        self.graph: Graph = self.plan.graph
        self.stages = formed(self.plan)
        self.tiers = tiers(self.graph, self.stages, knobs.kernels)
        self.compilation = Compilation([t.kernel for t in self.tiers.values() if t.kernel],
                                       at_once=knobs.kernels == "always" or is_long(self.graph),
                                       patient=knobs.kernels == "always")
        self.crew = Crew(knobs.workers)
        divided = knobs.workers if any(self._is_divided(stage) for stage in self.stages) else 1
        self.intake = Intake(self.crew, knobs.slice_size or ROWS_OF_A_SLICE * divided,
                             knobs.slice_ms / 1000, knobs.bound, divided)
        self.pool: processes.Pool | None = None

    def go(self, items: dict[str, Iterable[object]], limit: int | None) -> None:
        here = {stage.index: self._lines(stage) for stage in self.stages
                if stage.sharing is not Sharing.TOGETHER}
        make = partial(self._service, here)
        try:
            self._start_processes(here)
            network = Network(self.graph, self.stages, make, self.intake.emitted)
            scheduler = Scheduler(network.shapes(), self.knobs.heuristic)
            self.crew.start(network, scheduler, self.intake.cut_old, self._waker())
            if self.compilation.at_once:
                self.compilation.begin()
            self._read(items, limit)
        except BaseException:
            self._clean_up(in_order=False)
            raise
        self._clean_up(in_order=self.crew.error is None)
        if self.crew.error is not None:
            raise self.crew.error

    def metrics(self) -> list[StageMetrics]:
        """How every stage does, now or at the end."""
        return measured(self.crew) if self.crew.network else []

    def _read(self, items: dict[str, Iterable[object]], limit: int | None) -> None:
        try:
            self.intake.taken(islice(merged(self.graph, items), limit))
        except Stopped:
            return
        except KeyboardInterrupt:
            if self.crew.error is None:
                raise
            return
        except Exception as error:
            # What came before the bad tuple still counts, and may have failed even earlier.
            self.intake.cut()
            self.intake.wait_until_all_emitted()
            self.crew.fail(error)
            return
        self.intake.cut()
        self._finish()

    def _waker(self) -> Callable[[], None]:
        """Interrupts this thread when it waits for a source in vain, as Ctrl-C does. Only the main
        thread can be interrupted; another learns of a failure with the source's next tuple."""
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            return partial(self.intake.interrupt, threading.get_ident())
        return lambda: None

    def _finish(self) -> None:
        try:
            for op in self.graph:
                if not (op.is_source or op.is_sink) and finishes(op):
                    self.intake.finish(op.name)
        except Stopped:
            return
        self.intake.wait_until_all_emitted()

    def _clean_up(self, in_order: bool) -> None:
        self.crew.stop()
        if self.pool and not in_order:
            self.pool.kill()
        try:
            self.crew.join()
        finally:
            if self.pool:
                self.pool.close()

    def _lines(self, stage: Stage) -> Here:
        buckets = self._buckets(stage)
        if (kernel := self._kernel(stage)) is None:
            return Here([Line(self.graph, stage.operators, buckets > 1) for _ in range(buckets)])
        # Numba takes half a second to import.
        from anabranch.engine.multicore.kernel_line import ByWorker, KernelLine

        make = partial(KernelLine, self.graph, stage.operators, kernel, buckets > 1,
                       partial(self.compilation.is_ready, kernel))
        if stage.sharing is Sharing.ANY:
            return ByWorker([make() for _ in range(self.knobs.workers)])
        return Here([make() for _ in range(buckets)])

    def _kernel(self, stage: Stage) -> Kernel | None:
        return None if stage.is_sink else self.tiers[stage.index].kernel

    def _buckets(self, stage: Stage) -> int:
        """How many buckets a stage has. To take columns apart costs more than what most kernels
        do with them, so a kernel has a single one."""
        if stage.sharing is not Sharing.BUCKETS:
            return 1
        if self._kernel(stage) is not None and self.knobs.kernels != "always":
            return 1
        several = 1 if self._in_processes(stage) else BUCKETS_PER_WORKER
        return self.knobs.workers * several

    def _in_processes(self, stage: Stage) -> bool:
        parallel = stage.sharing in (Sharing.ANY, Sharing.BUCKETS) and self._kernel(stage) is None
        wanted = self.knobs.processes != "never" and self.knobs.workers > 1
        return parallel and wanted and processes.are_worthwhile()

    def _is_divided(self, stage: Stage) -> bool:
        """Whether every slice of the stage goes to all processes, each with its bucket."""
        return stage.sharing is Sharing.BUCKETS and self._in_processes(stage)

    def _start_processes(self, here: dict[int, Here]) -> None:
        lines = {(stage.index, bucket): line for stage in self.stages if self._in_processes(stage)
                 for bucket, line in enumerate(here[stage.index].lines)}
        if lines:
            self.pool = processes.Pool(self.knobs.workers, lines)

    def _service(self, here: dict[int, Here], stage: Stage, hand_on: HandOn) -> Service:
        if stage.sharing is Sharing.TOGETHER:
            return Together(stage, hand_on, self.crew.measure, self._rounds(stage), self.crew.fail)
        remote = self._in_processes(stage)
        runner = here[stage.index]
        if remote:
            runner = WherePays(self.pool, stage, runner, self.knobs.processes == "always")
        if stage.sharing is Sharing.ONE or (stage.sharing is Sharing.BUCKETS
                                            and self._buckets(stage) == 1):
            return InOrder(stage, hand_on, self.crew.measure, runner)
        reorder = partial(REORDERINGS[self.knobs.reorder], size=self.knobs.bound)
        if stage.sharing is Sharing.ANY:
            return Stateless(stage, hand_on, self.crew.measure, runner, reorder)
        queue: Callable = PinnedQueue if remote else QUEUES[self.knobs.queue]
        return Partitioned(stage, hand_on, self.crew.measure, runner, reorder, queue,
                           self._buckets(stage))

    def _rounds(self, stage: Stage) -> Emission | Rounds:
        kind = Emission if all(op.is_sink for op in stage.operators) else Rounds
        return kind(self.graph, stage, self.emit, lambda: self.crew.stopped)
