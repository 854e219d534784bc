"""The kernels of a stream: compiled beside its batches, if these are large enough to gain by it."""

from __future__ import annotations

from contextlib import suppress
from threading import Thread

from anabranch.engine.spark.kernels import kernels_of, tiers_of
from anabranch.engine.spark.program import Stages

WORTH_COMPILING = 1 << 16
"""A batch of fewer bytes is done as soon by rows as by a kernel."""

WORTH_WAITING = 1 << 19
"""A batch of so many bytes waits for the compiler: the state that it leaves is then in the form of
kernels, and need not be changed into it later."""


class Compiling:
    """Gives each batch the kernels that it has."""

    def __init__(self, stages: Stages):
        self.stages = stages
        self.kernels: dict[int, object] = {}
        self.thread: Thread | None = None

    def kernels_for(self, size: int, needed: bool) -> dict[int, object]:
        """The kernels for a batch of so many bytes, by stage; none as long as they are compiled,
        unless they are `needed` because the state is in their form."""
        if self.thread is None and (needed or size >= WORTH_COMPILING):
            self.thread = Thread(target=self._compile, daemon=True)
            self.thread.start()
        if self.thread is not None and (needed or size >= WORTH_WAITING):
            self.thread.join()
        return self.kernels

    def _compile(self) -> None:
        found = kernels_of(tiers_of(self.stages.graph, self.stages.segments, many=True))
        # Each batch leaves a page with the keys that it has touched.
        kernels = {stage: kernel.tracking() for stage, kernel in found.items()}
        for kernel in kernels.values():
            # If it fails, the first slice says so in its own way.
            with suppress(Exception):
                kernel.warm()
        self.kernels = kernels
