"""Kernels for a run that began without them, as its rows were few: once they are seen to take long,
another process compiles the kernels while rows go on, this one loads them, and stages take over.

    rows --(what is left takes longer than kernels take to be there)--> begun --> kernels
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from anabranch.engine.multicore import background
from anabranch.engine.multicore.compilation import THREAD
from anabranch.engine.multicore.parted import LINES
from anabranch.engine.multicore.placement import Placement
from anabranch.engine.multicore.service import Service
from anabranch.engine.multicore.stages import Stage
from anabranch.engine.multicore.texts import is_text
from anabranch.engine.multicore.tiers import tier_of, unwanted
from anabranch.engine.multicore.worth import Prospect
from anabranch.ir.graph import Graph
from anabranch.kernels.known import in_background, kernels_known, note_cost

if TYPE_CHECKING:
    from anabranch.kernels import Kernel


def rows_for_now(placement: Placement, ahead: Prospect) -> list[Stage]:
    """The stages that begin without a kernel and may have one as soon as that pays."""
    graph, kernels = placement.graph, placement.knobs.kernels
    if kernels != "where it pays" or not unwanted(graph, kernels, ahead) or (
            kernels_known(graph) == 0):
        return []
    return [stage for stage in placement.stages
            if stage.sharing in LINES and not stage.is_sink and not is_text(stage)]


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
        threading.Thread(target=self._prepare, args=(process,), daemon=True,
                         name=THREAD).start()

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
        if not (in_background() and background.is_possible()):
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
        return {index: tier.kernel for index, tier in found.items() if tier.name == "native"}
