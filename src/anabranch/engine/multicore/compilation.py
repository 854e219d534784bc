"""The kernels of a run: compiled beside it while rows flow, where that pays."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from anabranch.core.threads import can_fork, start_thread
from anabranch.engine.multicore.service import Service
from anabranch.ir.graph import Graph
from anabranch.kernels.folder import in_background, kernels_known, note_cost, note_kernels
from anabranch.plan.physical.cost import Prospect
from anabranch.plan.physical.cut import LINES
from anabranch.plan.physical.multicore import MulticorePlan
from anabranch.plan.physical.stages import Stage
from anabranch.plan.physical.tiers import tier_of, unwanted
from anabranch.plan.tuning import costs
from anabranch.runtime.processes import background

if TYPE_CHECKING:
    from anabranch.kernels import Kernel
    from anabranch.kernels.native.deal import DealLoops


WORTH_WAITING = 0.3
"""So many seconds the first slice waits for a kernel that has to be compiled."""

LONGEST_LOAD = 3.0
"""So many it waits for one that is on disk, which takes half a second on a machine at rest."""

THREAD = "compiler"


class Compilation:
    """Gets kernels ready in a thread of its own, one after another: `at_once`, or when a stage has
    computed for as long as they cost the run. What has to be compiled is compiled in another
    process, so that rows are not held up.

    One that is `patient` waits for a kernel as long as it takes, and compiles here. Where rows are
    `dealt` to kernels, the loops that do it are made ready with them.
    """

    def __init__(self, graph: Graph, kernels: Sequence[Kernel], at_once: bool,
                 patient: bool = False, dealt: bool = False):
        self.loops = _loops() if dealt else None
        kernels = [*kernels, *([self.loops] if dealt else [])]
        self.graph, self.kernels, self.patient = graph, kernels, patient
        self.at_once = patient or at_once
        self.price = costs().kernel_loading if self.is_saved else costs().numba_loading
        self.ready = {id(kernel): threading.Event() for kernel in kernels}
        self.lock, self.begun, self.process = threading.Lock(), 0.0, None
        self.waits: float | None = None

    def begin(self) -> None:
        with self.lock:
            if self.begun or not self.kernels:
                return
            self.begun, saved = time.monotonic(), self.is_saved
            self.waits = None if self.patient else LONGEST_LOAD if saved else WORTH_WAITING
            if not (saved or self.patient) and in_background() and can_fork():
                self.process = background.compiled_apart(self.graph, lambda: self.kernels)
        if all(kernel.is_here for kernel in self.kernels):
            self._finish()
            return
        start_thread(self._prepare, name=THREAD)

    @property
    def is_saved(self) -> bool:
        """Whether all kernels have been compiled, and only have to be loaded."""
        return all(kernel.is_saved for kernel in self.kernels)

    def is_ready(self, kernel: Kernel, computed: float, in_bulk: bool) -> bool:
        """Whether the kernel can be used by a stage that has computed for so many seconds. Rows
        that come one by one may be awaited somewhere: only those `in_bulk` wait for a kernel."""
        if self.at_once or computed > self.price:
            self.begin()
        if not self.begun:
            return False
        return self.ready[id(kernel)].wait(self._left(in_bulk))

    def has_loops(self) -> bool:
        """Whether rows can be dealt in native code."""
        return self.is_ready(self.loops, 0.0, True)

    def _left(self, in_bulk: bool) -> float | None:
        """For how many seconds one still waits; None for as long as it takes."""
        if self.waits is None:
            return None
        return max(0.0, self.begun + self.waits - time.monotonic()) if in_bulk else 0.0

    def _prepare(self) -> None:
        if self.process is not None:
            self.process.join()
        for kernel in self.kernels:
            # If it fails, the first slice falls to rows.
            with suppress(Exception):
                kernel.warm()
            self.ready[id(kernel)].set()
        self._finish()

    def _finish(self) -> None:
        for ready in self.ready.values():
            ready.set()
        if self.is_saved and kernels_known(self.graph) != len(self.kernels):
            note_kernels(self.graph, len(self.kernels))


def _loops() -> DealLoops:
    # Numba takes half a second to import.
    from anabranch.kernels.native.deal import DealLoops

    return DealLoops()


def rows_for_now(physical: MulticorePlan, ahead: Prospect) -> list[Stage]:
    """The stages that begin without a kernel and may have one as soon as that pays."""
    graph, kernels = physical.graph, physical.tuning.kernels
    if kernels != "where it pays" or not unwanted(graph, kernels, ahead) or (
            kernels_known(graph) == 0):
        return []
    return [stage for stage in physical.stages
            if stage.sharing in LINES and not stage.is_sink and not stage.is_step]


class LateKernels:
    """Those of some `stages`, by their index. What another process compiles it compiles `also` for
    later runs, which may begin with their stages put together."""

    def __init__(self, graph: Graph, stages: Sequence[Stage], prospect: Prospect,
                 also: Callable[[], Iterable[Kernel]]):
        self.graph, self.stages, self.prospect, self.also = graph, stages, prospect, also
        self.kernels: Mapping[int, Kernel] = {}
        self.services: Sequence[Service] = ()
        self.rows, self.cost, self.begun, self.over = 0, 0.0, not stages, False
        self.lock = threading.Lock()

    def watch(self, services: Iterable[Service]) -> None:
        """From now on these are measured, as far as kernels are looked for."""
        wanted = {stage.index for stage in self.stages}
        self.services = [service for service in services if service.stage.index in wanted]

    def left(self, rows: int) -> None:
        """So many more source rows have left the run. Begins when kernels pay for the others."""
        if self.begun:
            return
        with self.lock:
            self.rows += rows
            if self.begun or not self.prospect.after(self.rows, self._seconds()):
                return
            self.begun, self.cost = True, self._seconds() / max(1, self.rows)
        process = self._compiled_apart() if self.prospect.compiling else None
        start_thread(self._prepare, process, name=THREAD)

    def close(self, ended_well: bool) -> None:
        """The run is over. Where loading would have paid, what rows took is noted, and kernels are
        compiled behind it."""
        self.over, seconds = True, self._seconds()
        if not (ended_well and self.rows and seconds >= self.prospect.loading):
            return
        note_cost(self.graph, self.cost or seconds / self.rows)
        if not self.begun and kernels_known(self.graph) is None:
            self._compiled_apart(background.LOWEST)

    def _seconds(self) -> float:
        """How long the stages have held up the run; processes that share one do so less."""
        return sum(sum(step.seconds for step in service.meter.steps)
                   / max(1, service.most_elsewhere) for service in self.services)

    def _compiled_apart(self, nice: int = 0) -> threading.Thread | None:
        if not (in_background() and can_fork()):
            return None
        return background.compiled_apart(
            self.graph, lambda: [*self._made().values(), *self.also()], nice)

    def _prepare(self, process: threading.Thread | None) -> None:
        # Numba is loaded here while it compiles there.
        kernels = self._made()
        if process is not None:
            process.join()
        if self.over:
            return
        for kernel in kernels.values():
            # If it fails, the first slice falls to rows.
            with suppress(Exception):
                kernel.warm()
        self.kernels = kernels
        for service in self.services:
            if service.stage.index in kernels:
                service.come_home()

    def _made(self) -> dict[int, Kernel]:
        found = {stage.index: tier_of(self.graph, stage) for stage in self.stages}
        return {index: tier.kernel for index, tier in found.items()
                if tier.kernel is not None and tier.name == "native"}
