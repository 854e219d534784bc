"""Runs a plan: forks the processes, starts the crew, reads the sources, and cleans up."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from anabranch.engine.emitting import Emitter
from anabranch.engine.multicore import processes
from anabranch.engine.multicore.balance import BALANCES
from anabranch.engine.multicore.child import Work
from anabranch.engine.multicore.columns_wanted import columns_wanted
from anabranch.engine.multicore.compilation import Compilation
from anabranch.engine.multicore.crew import Crew
from anabranch.engine.multicore.dispatcher import Dispatcher
from anabranch.engine.multicore.feed import fed
from anabranch.engine.multicore.inherited import lists_of
from anabranch.engine.multicore.intake import Intake, Stopped
from anabranch.engine.multicore.interpreter import tuned
from anabranch.engine.multicore.joined import staged
from anabranch.engine.multicore.knobs import Knobs
from anabranch.engine.multicore.late import LateKernels
from anabranch.engine.multicore.late_line import LateLine
from anabranch.engine.multicore.line import Line
from anabranch.engine.multicore.loops.crew import Loops
from anabranch.engine.multicore.merge_line import MergeLine
from anabranch.engine.multicore.messages import Lists
from anabranch.engine.multicore.metrics import Reorder, StageMetrics, measured
from anabranch.engine.multicore.network import Network
from anabranch.engine.multicore.owned import Owned
from anabranch.engine.multicore.parted import LINES
from anabranch.engine.multicore.partitioned import Partitioned
from anabranch.engine.multicore.placement import Placement
from anabranch.engine.multicore.remote import Remote, RemoteStateless
from anabranch.engine.multicore.reorder import REORDERINGS
from anabranch.engine.multicore.rounds import Emission, Rounds
from anabranch.engine.multicore.runners import ByWorker, Here
from anabranch.engine.multicore.scheduler import Scheduler
from anabranch.engine.multicore.service import HandOn, InOrder, Service, Stateless, Together
from anabranch.engine.multicore.sizing import CHUNK, Sizing
from anabranch.engine.multicore.slices import Slice
from anabranch.engine.multicore.splitting import split
from anabranch.engine.multicore.stages import Sharing, Stage, finishes
from anabranch.engine.multicore.synchronization.gangs import Gangs
from anabranch.engine.multicore.texts import Texts, is_text, with_texts
from anabranch.engine.multicore.tiers import kernels_of, unwanted
from anabranch.engine.multicore.turns import overlapping
from anabranch.engine.multicore.unfused import unfused
from anabranch.engine.multicore.waves import Waves
from anabranch.engine.multicore.worklists import QUEUES
from anabranch.engine.multicore.worth import prospect
from anabranch.engine.reading import Reading
from anabranch.engine.sequential import Emit
from anabranch.ir.graph import Graph, Operator
from anabranch.kernels.known import kernels_known
from anabranch.plan import Plan
from anabranch.report.recording import Recording

ROWS_OF_A_SLICE = 2048


def run(plan: Plan, items: dict[str, Iterable[object]], emit: Emit, limit: int | None = None, *,
        workers: int | None = None, report: Callable[[list[StageMetrics]], None] | None = None,
        recording: Recording | None = None, **knobs: object) -> None:
    """Runs the plan over the items of its sources; `emit` is given what the sequential engine
    would give it, in the same order, and at the end `report` what was measured; `recording` takes
    down what happens over time.

    A failing function stops the run with the error of the sequential engine; what was emitted
    before is the beginning of the sequential output. So it is when the run is interrupted.
    """
    workers = os.cpu_count() or 1 if workers is None else workers
    one = Run(plan, emit, Knobs(workers, **knobs), limit)
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
    """One run of a plan."""

    def __init__(self, plan: Plan, emit: Emit, knobs: Knobs, limit: int | None = None):
        self.plan, self.emit, self.knobs = unfused(plan), emit, knobs
        self.graph: Graph = self.plan.graph
        ahead = prospect(self.graph, limit)
        self.stages, self.tiers = staged(self.plan, knobs.kernels, (knobs.kernel_buckets or 1) > 1,
                                         limit)
        if knobs.workers > 1 and knobs.processes != "never" and processes.are_worthwhile():
            self.graph, self.stages, self.tiers = split(self.graph, self.stages, self.tiers,
                                                        knobs.workers)
        if isinstance(emit, Emitter) and all(op.is_sink for op in self.stages[-1].operators):
            self.stages = with_texts(self.stages, emit.makes_text)
        self.compilation = Compilation(self.graph, kernels_of(self.tiers), ahead.at_once,
                                       patient=knobs.kernels == "always")
        self.late = LateKernels(self.graph, self._rows_for_now(limit), ahead,
                                lambda: kernels_of(staged(self.plan, "always")[1]))
        self.placement = Placement(self.graph, tuple(self.stages), self.tiers, knobs, emit)
        self.crew = Crew(knobs.workers)
        divided = knobs.workers if any(map(self.placement.is_shared_out, self.stages)) else 1
        light = self.compilation.at_once and self.compilation.is_saved and self.placement.is_light
        sizing = Sizing(knobs.slice_size or ROWS_OF_A_SLICE * divided, knobs.slice_size or CHUNK,
                        divided, knobs.workers, light)
        self.intake = Intake(self.crew, sizing, knobs.slice_ms / 1000,
                             self.placement.slices_under_way, divided)
        self.pool: processes.Pool | None = None
        self.buffers: dict[int, Reorder] = {}
        self.dispatcher: Dispatcher | None = None
        self.gangs = Gangs(self.graph, knobs.workers, knobs.processes,
                           long=self.compilation.at_once)
        self.loops = Loops(self.plan, knobs)

    def go(self, items: dict[str, Iterable[object]], limit: int | None) -> None:
        here = {stage.index: self._lines(stage) for stage in self.stages
                if stage.sharing is not Sharing.TOGETHER}
        make = partial(self._service, here)
        try:
            lists = lists_of(items, self.placement.inherited())
            self._start_processes(here, lists)
            self._prepare_gangs()
            for stage in self.stages:
                self.loops.prepare(stage)
            network = Network(self.graph, self.stages, make, self._left)
            self.late.watch(network.services)
            for stage in self.stages:
                if following := self.placement.following(stage):
                    network.services[stage.index].leads_to({
                        output: network.services[s.index] for output, s in following.items()})
            scheduler = Scheduler(network.shapes(), self.knobs.heuristic)
            self.crew.start(network, scheduler, self.intake.cut_old, self._waker())
            if self.dispatcher:
                self.dispatcher.start([s for s in network.services if isinstance(s, Remote)])
            if self.compilation.at_once:
                self.compilation.begin()
            self._read(items, limit, lists)
        except BaseException:
            self._clean_up(in_order=False)
            raise
        self._clean_up(in_order=self.crew.error is None)
        if self.crew.error is not None:
            raise self.crew.error

    def _rows_for_now(self, limit: int | None) -> list[Stage]:
        """The stages without kernels for which there may be some as soon as that pays."""
        waits = self.knobs.kernels == "where it pays" and kernels_known(self.graph) != 0 and (
            unwanted(self.graph, self.knobs.kernels, limit) is not None)
        return [stage for stage in self.stages if waits and stage.sharing in LINES
                and not stage.is_sink and not is_text(stage)]

    def _left(self, slice_: Slice) -> None:
        self.intake.emitted(slice_)
        self.late.left(slice_.rows)

    def metrics(self) -> list[StageMetrics]:
        """How every stage does, now or at the end."""
        return [self._with_tier(stage, metrics) for stage, metrics in zip(self.stages, self.now())]

    def now(self) -> list[StageMetrics]:
        """The same without the tiers; nothing before the crew has started."""
        return measured(self.crew, self.buffers) if self.crew.threads else []

    def _with_tier(self, stage: Stage, metrics: StageMetrics) -> StageMetrics:
        if stage.index not in self.tiers:
            return metrics
        service = self.crew.network.services[stage.index]
        runner = getattr(service, "runner", None) or getattr(service, "here", None)
        lines = getattr(runner, "lines", ())
        return replace(metrics, **self.tiers[stage.index].done(lines, metrics.rows_in))

    def _read(self, items: dict[str, Iterable[object]], limit: int | None, lists: Lists) -> None:
        try:
            self.intake.taken(fed(self.graph, self._narrowed(items), limit, lists))
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

    def _narrowed(self, items: dict[str, Iterable[object]]) -> dict[str, Iterable[object]]:
        """The same items; of files only the columns that are needed are read."""
        wanted = columns_wanted(self.graph, self.stages, self.tiers)
        return {name: given.only(wanted.get(name), self.knobs.workers)
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
                    self.intake.finish(op.name)
        except Stopped:
            return
        self.intake.wait_until_all_emitted()

    def _clean_up(self, in_order: bool) -> None:
        self.crew.stop()
        if self.pool and not in_order:
            self.pool.kill()
        if not in_order:
            self.loops.kill()
        try:
            self.crew.join()
        finally:
            if self.dispatcher:
                self.dispatcher.close()
            self.gangs.close()
            self.loops.close()
            if self.pool:
                self.pool.close()
            self.late.close(in_order)

    def _lines(self, stage: Stage) -> Here:
        if is_text(stage):
            return Texts(self.emit, self._sink_of(stage))
        buckets = self.placement.buckets(stage)
        if stage.index in self.tiers and self.tiers[stage.index].merges:
            return Here([MergeLine(self.graph, stage.operators[0])])
        if (kernel := self.placement.kernel(stage)) is None:
            return self._plain(stage, buckets)
        # Numba takes half a second to import.
        from anabranch.engine.multicore.kernel_line import KernelLine
        from anabranch.engine.multicore.split_line import SplitLine

        kind = SplitLine if self.tiers[stage.index].divides else KernelLine
        make = partial(kind, self.graph, stage.operators, kernel, buckets > 1,
                       partial(self.compilation.is_ready, kernel))
        if stage.sharing is Sharing.ANY:
            return ByWorker([make() for _ in range(self.crew.workers)])
        return Here([make() for _ in range(buckets)])

    def _plain(self, stage: Stage, buckets: int) -> Here | ByWorker:
        """Lines of plain Python, for good or for now."""
        if stage not in self.late.stages:
            return Here([Line(self.graph, stage.operators, buckets > 1) for _ in range(buckets)])
        make = partial(LateLine, self.graph, stage.operators, buckets > 1,
                       lambda: self.late.kernels.get(stage.index))
        if stage.sharing is Sharing.ANY:
            return ByWorker([make() for _ in range(self.crew.workers)])
        return Here([make() for _ in range(buckets)])

    def _sink_of(self, text: Stage) -> Operator:
        """The sink whose text the stage makes."""
        return next(op for op in self.stages[-1].operators if op.inputs == text.outputs)

    def _start_processes(self, here: dict[int, Here], lists: Lists) -> None:
        lines = {(stage.index, bucket): line
                 for stage in filter(self.placement.in_processes, self.stages)
                 for bucket, line in enumerate(here[stage.index].lines)}
        if lines:
            work = Work(lines, self.placement.routes(), self.placement.columns(), lists)
            self.pool = processes.Pool(self.knobs.workers, work)
            self.dispatcher = Dispatcher(self.pool, lambda: self.crew.stopped, self.crew.fail)
            self.crew.listener = self.dispatcher.wake

    def _prepare_gangs(self) -> None:
        for stage in self.stages:
            if stage.sharing is Sharing.PLAN:
                self.gangs.prepare(stage, lambda stage=stage: self._lines(stage).lines[0],
                                   native=self.placement.kernel(stage) is not None)

    def _service(self, here: dict[int, Here], stage: Stage, hand_on: HandOn) -> Service:
        if stage.sharing is Sharing.TOGETHER:
            return Together(stage, hand_on, self.crew.measure, self._rounds(stage), self.crew.fail)
        runner = here[stage.index]
        reorder = partial(self._buffer, stage)
        if stage.sharing is Sharing.PLAN:
            return self.gangs.service(stage, hand_on, self.crew, runner)
        if self.placement.in_processes(stage):
            return self._remote(stage, hand_on, runner, reorder)
        if stage.sharing is Sharing.ONE or (stage.sharing is Sharing.BUCKETS
                                            and self.placement.buckets(stage) == 1):
            return InOrder(stage, hand_on, self.crew.measure, runner)
        if stage.sharing is Sharing.ANY:
            return Stateless(stage, hand_on, self.crew.measure, runner, reorder)
        return Partitioned(stage, hand_on, self.crew.measure, runner, reorder,
                           QUEUES[self.knobs.queue], self.placement.buckets(stage))

    def _buffer(self, stage: Stage, hand_on: HandOn):
        buffer = REORDERINGS[self.knobs.reorder](hand_on, self.knobs.bound)
        self.buffers[stage.index] = buffer
        return buffer

    def _remote(self, stage: Stage, hand_on: HandOn, here: Here, reorder: Callable) -> Remote:
        given = (stage, hand_on, self.crew.measure, self.pool, here, self.crew.tell,
                 self.knobs.processes == "always", reorder)
        if stage.sharing is Sharing.ANY:
            return RemoteStateless(*given)
        balance = BALANCES[self.knobs.moves](self.placement.buckets(stage), self.knobs.workers)
        return Owned(*given, self.placement.route(stage), balance)

    def _rounds(self, stage: Stage) -> Emission | Rounds | Waves:
        given = self.graph, stage, self.emit, lambda: self.crew.stopped
        if all(op.is_sink for op in stage.operators):
            return Emission(*given)
        rounds = Rounds(*given)
        rounds.ahead = self.loops.ahead(stage, rounds)
        several = self.knobs.workers > 1 and overlapping(self.plan, stage)
        return Waves(rounds, self.knobs.workers) if several else rounds
