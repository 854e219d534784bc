"""The compilation of a run's kernels: beside the run, and for short runs behind it."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from anabranch.engine.multicore import background
from anabranch.engine.multicore.tiers import is_long, least_rows, rows_known, rows_to_come
from anabranch.ir.graph import Graph
from anabranch.kernels.known import in_background, kernels_known, note_kernels

if TYPE_CHECKING:
    from anabranch.kernels import Kernel

WORTH_WAITING = 0.3
"""So many seconds the first slice waits for a kernel that has to be compiled."""

LONGEST_LOAD = 3.0
"""So many it waits for one that is on disk, which takes half a second on a machine at rest."""

LONG = 0.5
"""A stage that has computed for so many seconds has a long input."""

WORTH_KNOWING = 20_000
"""A run of so many rows is worth a compilation behind it, for the next time."""


class Compilation:
    """Gets kernels ready in a thread of its own, one after another, once `begin` is called. What
    has to be compiled for it is compiled in another process, so that rows are not held up.

    One that is `patient` waits for a kernel as long as it takes, and compiles here.
    """

    def __init__(self, graph: Graph, kernels: Sequence[Kernel], patient: bool = False):
        self.graph, self.kernels, self.patient = graph, list(kernels), patient
        self.at_once = patient or is_long(graph) or rows_known(graph) >= least_rows(graph)
        self.ready = {id(kernel): threading.Event() for kernel in kernels}
        self.lock, self.begun, self.process = threading.Lock(), 0.0, None
        self.waits: float | None = None

    def begin(self) -> None:
        with self.lock:
            if self.begun or not self.kernels:
                return
            self.begun, saved = time.monotonic(), all(k.is_saved for k in self.kernels)
            self.waits = None if self.patient else LONGEST_LOAD if saved else WORTH_WAITING
            if not (saved or self.patient) and in_background() and background.is_possible():
                self.process = background.compiled_apart(self.graph, lambda: self.kernels)
        threading.Thread(target=self._prepare, daemon=True, name="anabranch compiler").start()

    def is_ready(self, kernel: Kernel, computed: float, in_bulk: bool) -> bool:
        """Whether the kernel can be used by a stage that has computed for so many seconds. Rows
        that come one by one may be awaited somewhere: only those `in_bulk` wait for a kernel."""
        if self.at_once or computed > LONG:
            self.begin()
        if not self.begun:
            return False
        return self.ready[id(kernel)].wait(self._left(in_bulk))

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
        if all(kernel.is_saved for kernel in self.kernels):
            note_kernels(self.graph, len(self.kernels))


def compile_later(graph: Graph, limit: int | None, make: background.Make) -> None:
    """After a run that was too short for kernels: has them compiled for the next one, behind its
    back, unless that is known to be of no use."""
    rows = rows_to_come(graph, limit)
    worth = rows is not None and WORTH_KNOWING <= rows < least_rows(graph)
    if worth and in_background() and kernels_known(graph) is None and background.is_possible():
        background.compiled_apart(graph, make, background.LOWEST)
