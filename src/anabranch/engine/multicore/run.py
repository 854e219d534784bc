"""Runs a plan: forks processes, starts the crew, reads the sources, cleans up."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TypeVar

from anabranch.batch.failure import ReportLate
from anabranch.batch.slices import Slice
from anabranch.engine.multicore.assignment import Services
from anabranch.engine.multicore.compilation import Compilation, LateKernels, rows_for_now
from anabranch.engine.multicore.crew import Crew
from anabranch.engine.multicore.gangs.gangs import Gangs
from anabranch.engine.multicore.intake import Intake
from anabranch.engine.multicore.lines import Lines
from anabranch.engine.multicore.metrics import measured
from anabranch.engine.multicore.network import Network
from anabranch.engine.multicore.remote.stage import Dispatcher, Remote
from anabranch.engine.multicore.scheduler import Scheduler
from anabranch.engine.multicore.service import SinksFull
from anabranch.engine.multicore.sizing import (
    CALLS_OF_A_DEALT_SHARE,
    Sizing,
    Stopped,
    largest,
)
from anabranch.plan.logical.plan import Plan
from anabranch.plan.physical.columns import columns_wanted
from anabranch.plan.physical.ends import ONE_BY_ONE, in_blocks, writing
from anabranch.plan.physical.multicore import (
    MulticorePlan,
    multicore_plan,
    stages_always_compiled,
)
from anabranch.plan.physical.stages import Sharing, Stage, finishes
from anabranch.plan.physical.steps import is_deal
from anabranch.plan.physical.tiers import kernels_of, warm_forms
from anabranch.plan.tuning import coders, costs, tuning_of
from anabranch.runtime.ends.columns import fed, lists_of
from anabranch.runtime.ends.emitting import Emit, Emitter
from anabranch.runtime.ends.reading import Reading
from anabranch.runtime.interpreter import tuned
from anabranch.runtime.metrics import StageMetrics
from anabranch.runtime.processes import pool as processes
from anabranch.runtime.processes.child import Work
from anabranch.runtime.processes.messages import Lists
from anabranch.runtime.recording import Recording
from anabranch.runtime.stage.ahead import Loops
from anabranch.runtime.stage.double_check import Doubts
from anabranch.runtime.stage.runners import Runner

T = TypeVar("T")


def run(plan: Plan, items: dict[str, Iterable[object]], emit: Emit, limit: int | None = None, *,
        workers: int | None = None, report: Callable[[list[StageMetrics]], None] | None = None,
        recording: Recording | None = None, late: ReportLate = lambda row: None, **knobs: object
        ) -> None:
    """Plans a run of so many workers, and executes it: `emit` is given items one after another, or
    columns as well where it can take them."""
    physical = multicore_plan(plan, tuning_of(workers, **knobs), limit,
                              writing(plan.graph) if isinstance(emit, Emitter) else ONE_BY_ONE)
    execute(physical, items, emit, limit, report, recording, late)


def execute(physical: MulticorePlan, items: dict[str, Iterable[object]], emit: Emit,
            limit: int | None = None, report: Callable[[list[StageMetrics]], None] | None = None,
            recording: Recording | None = None, late: ReportLate = lambda row: None) -> None:
    """Executes a plan over the items of its sources; `emit` is given what the sequential engine
    would give it, in the same order, and at the end `report` what was measured; `recording` takes
    down what happens over time, and late items that are no errors go to `late`.

    A failing function stops the run with the error of the sequential engine; what was emitted
    before is the beginning of the sequential output. So it is when the run is interrupted.
    """
    one = Run(physical, emit, late)
    if recording is not None:
        one.intake.took = recording.latencies.add
        recording.watch(one.now)
    try:
        with tuned():
            one.go(items, limit)
    finally:
        if report is not None:
            report(one.metrics())


class Run:
    """One run of a physical plan."""

    def __init__(self, physical: MulticorePlan, emit: Emit, late: ReportLate = lambda row: None):
        self.physical, tuning, ahead = physical, physical.tuning, physical.ahead
        self.graph, self.stages = physical.graph, physical.stages
        doubts = Doubts(physical.plan) if tuning.double_check == "first rows" else None
        self.compilation = Compilation(self.graph, kernels_of(physical.tiers), ahead.at_once,
                                       patient=tuning.kernels == "always",
                                       dealt=any(map(is_deal, physical.stages)))
        self.late = LateKernels(self.graph, rows_for_now(physical, ahead), ahead,
                                lambda: kernels_of(stages_always_compiled(physical).tiers))
        self.crew = Crew(tuning.workers)
        self.intake = self._new_intake(ahead.rows)
        self.pool: processes.Pool | None = None
        self.dispatcher: Dispatcher | None = None
        self.gangs = Gangs(self.graph, tuning.workers, tuning.processes,
                           long=self.compilation.at_once)
        self.loops = Loops(physical.logical, tuning)
        self.lines = Lines(physical, emit, self.compilation, self.late, doubts)
        self.services = Services(physical, emit, self.crew, self.gangs, self.loops, late)

    def _new_intake(self, coming: int | None) -> Intake:
        physical, knobs = self.physical, self.physical.tuning
        divided = knobs.workers if any(map(physical.is_shared_out, self.stages)) else 1
        light = self.compilation.at_once and self.compilation.is_saved and physical.is_light
        dealt = physical.each_slice_is_shared_out and any(map(is_deal, self.stages))
        # Where a slice is for one worker, or done soon, large ones would take much memory.
        parts = divided if dealt and not physical.is_light else 1
        size = 1 if physical.in_step else knobs.slice_size
        share = costs().rows_of_share * (CALLS_OF_A_DEALT_SHARE if dealt else 1)
        sizing = Sizing(size or costs().most_rows_of_slice * divided, size or largest(parts),
                        divided, knobs.workers, light, share,
                        1 if in_blocks(self.graph) else costs().first_rows)
        return Intake(self.crew, sizing, knobs.slice_ms / 1000, physical.slices_under_way, divided,
                      coming)

    def go(self, items: dict[str, Iterable[object]], limit: int | None) -> None:
        runners = {stage.index: self.lines.of(stage) for stage in self.stages
                   if stage.sharing is not Sharing.TOGETHER}
        try:
            lists = lists_of(items, self.physical.inherited())
            warm_forms(self.graph)
            # Processes are forked before there are threads.
            self._start_processes(runners, lists)
            self._prepare_gangs()
            for stage in self.stages:
                self.loops.prepare(stage)
            self._start(self._network(runners))
            self._read(items, limit, lists)
        except BaseException as error:
            self._clean_up(in_order=False, interrupted=isinstance(error, KeyboardInterrupt))
            raise
        self._clean_up(in_order=self.crew.error is None)
        if self.crew.error is not None and not isinstance(self.crew.error, SinksFull):
            raise self.crew.error

    def _network(self, runners: Mapping[int, Runner]) -> Network:
        network = Network(self.graph, self.stages, partial(self.services.of, runners, self.pool),
                          self._left)
        for stage in self.stages:
            if following := self.physical.following(stage):
                network.services[stage.index].leads_to({
                    output: network.services[s.index] for output, s in following.items()})
        return network

    def _start(self, network: Network) -> None:
        self.late.watch(network.services)
        scheduler = Scheduler(network.shapes(), self.physical.tuning.heuristic)
        self.crew.start(network, scheduler, self.intake.cut_old, self._waker())
        if self.dispatcher:
            self.dispatcher.start([s for s in network.services if isinstance(s, Remote)])
        if self.compilation.at_once:
            self.compilation.begin()

    def _left(self, slice_: Slice) -> None:
        self.intake.emitted(slice_)
        self.late.left(slice_.rows)

    def metrics(self) -> list[StageMetrics]:
        """How every stage does, now or at the end."""
        return [self._with_tier(stage, metrics) for stage, metrics in zip(self.stages, self.now())]

    def now(self) -> list[StageMetrics]:
        """The same without the tiers; nothing before the crew has started."""
        return measured(self.crew, self.services.merges) if self.crew.threads else []

    def _with_tier(self, stage: Stage, metrics: StageMetrics) -> StageMetrics:
        physical, tier = self.physical, self.physical.tiers.get(stage.index)
        service = self.crew.network.services[stage.index]
        work = physical.work(stage, service.most_elsewhere > 0)
        if tier is None:
            return replace(metrics, work=work)
        lines = getattr(getattr(service, "runner", None), "lines", ())
        return replace(metrics, work=work, **tier.done(lines, metrics.rows_in))

    def _read(self, items: dict[str, Iterable[object]], limit: int | None, lists: Lists) -> None:
        try:
            with closing(fed(self.graph, self._narrowed(items), limit, lists)) as tuples:
                self.intake.taken(self._in_step(tuples) if self.physical.in_step else tuples)
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

    def _in_step(self, tuples: Iterable[T]) -> Iterator[T]:
        """A source is asked for the next tuple when nobody is busy with the one before."""
        for given in tuples:
            yield given
            self.intake.wait_until_all_emitted()

    def _narrowed(self, items: dict[str, Iterable[object]]) -> dict[str, Iterable[object]]:
        """The same items; of files only the columns that are needed are read."""
        wanted = columns_wanted(self.graph, self.stages, self.physical.tiers)
        return {name: given.only(wanted.get(name), coders(self.physical.tuning.workers))
                if isinstance(given, Reading) else given for name, given in items.items()}

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
                    if self.physical.overtaking:
                        # The end is behind everything, also behind what goes on as it finishes.
                        self.intake.wait_until_all_emitted()
                    self.intake.finish(op.name)
        except Stopped:
            return
        self.intake.wait_until_all_emitted()

    def _clean_up(self, in_order: bool, interrupted: bool = False) -> None:
        self.intake.leave()
        self.crew.stop()
        if self.pool and not in_order:
            self.pool.kill()
        if not in_order:
            self.loops.kill()
        try:
            self.crew.join(interrupted)
        finally:
            if self.dispatcher:
                self.dispatcher.close()
            self.gangs.close()
            self.loops.close()
            if self.pool:
                self.pool.close()
            self.late.close(in_order)

    def _start_processes(self, runners: Mapping[int, Runner], lists: Lists) -> None:
        lines = {(stage.index, bucket): line
                 for stage in filter(self.physical.in_processes, self.stages)
                 for bucket, line in enumerate(runners[stage.index].lines)}
        if lines:
            work = Work(lines, self.physical.routes(), self.physical.columns(), lists)
            self.pool = processes.Pool(self.physical.tuning.workers, work)
            self.dispatcher = Dispatcher(self.pool, lambda: self.crew.stopped, self.crew.fail)
            self.crew.listener = self.dispatcher.wake

    def _prepare_gangs(self) -> None:
        for stage in self.stages:
            if stage.sharing is Sharing.PLAN:
                self.gangs.prepare(stage, lambda stage=stage: self.lines.of(stage).lines[0],
                                   native=self.physical.kernel(stage) is not None)
