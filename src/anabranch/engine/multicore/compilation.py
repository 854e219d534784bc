"""The compilation of the kernels with which a run begins: beside it, while rows flow."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from anabranch.engine.multicore import background, worth
from anabranch.ir.graph import Graph
from anabranch.kernels.known import in_background, kernels_known, note_kernels

if TYPE_CHECKING:
    from anabranch.kernels import Kernel

WORTH_WAITING = 0.3
"""So many seconds the first slice waits for a kernel that has to be compiled."""

LONGEST_LOAD = 3.0
"""So many it waits for one that is on disk, which takes half a second on a machine at rest."""

THREAD = "anabranch compiler"


class Compilation:
    """Gets kernels ready in a thread of its own, one after another: `at_once`, or when a stage has
    computed for as long as they cost the run. What has to be compiled is compiled in another
    process, so that rows are not held up.

    One that is `patient` waits for a kernel as long as it takes, and compiles here.
    """

    def __init__(self, graph: Graph, kernels: Sequence[Kernel], at_once: bool,
                 patient: bool = False):
        self.graph, self.kernels, self.patient = graph, list(kernels), patient
        self.at_once = patient or at_once
        self.price = worth.LOADED if self.is_saved else worth.LOADING
        self.ready = {id(kernel): threading.Event() for kernel in kernels}
        self.lock, self.begun, self.process = threading.Lock(), 0.0, None
        self.waits: float | None = None

    def begin(self) -> None:
        with self.lock:
            if self.begun or not self.kernels:
                return
            self.begun, saved = time.monotonic(), self.is_saved
            self.waits = None if self.patient else LONGEST_LOAD if saved else WORTH_WAITING
            if not (saved or self.patient) and in_background() and background.is_possible():
                self.process = background.compiled_apart(self.graph, lambda: self.kernels)
        if all(kernel.is_here for kernel in self.kernels):
            self._finish()
            return
        threading.Thread(target=self._prepare, daemon=True, name=THREAD).start()

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
