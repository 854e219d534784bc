"""A stream at work: one batch after another, each of which happens once.

A batch reads what has arrived, runs the program's job from one version of the state to the next,
and leaves part files. When its manifest is written it has happened, and only then its part files
appear. A batch that was interrupted before is done again, from the same files and the same state;
one that was interrupted after is not. Kernels are compiled beside the batches, if these are large
enough to gain by it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from typing import TYPE_CHECKING
from uuid import uuid4

from anabranch.core.errors import RunError
from anabranch.core.threads import start_thread
from anabranch.engine.spark.gang.planner import Planner
from anabranch.engine.spark.job.driver import emitted, program_of, slices_out
from anabranch.engine.spark.job.metrics import Timeline
from anabranch.engine.spark.job.pieces import SlicePiece
from anabranch.engine.spark.job.sources import ends
from anabranch.engine.spark.session.workers import with_variables
from anabranch.engine.spark.stream.arrivals import Arrived, portion
from anabranch.engine.spark.stream.checkpoint import Checkpoint, Manifest
from anabranch.engine.spark.stream.sinks import StreamSinks
from anabranch.engine.spark.stream.sources import BatchInput, StreamSources
from anabranch.engine.spark.stream.state import SavedStates
from anabranch.plan.physical.spark.plan import SparkPlan
from anabranch.plan.physical.tiers import Tier

if TYPE_CHECKING:
    from pyspark import SparkContext


OWN_WORKER = {"ANABRANCH_BATCHES": "small"}
"""Python workers with other variables are others. Small batches have one of their own, which then
knows the state; of those that share large batches Spark would take each in turn."""


class RunningStream:
    """A plan that goes on from batch to batch, each of at most so many `files` of a source.

    `done` is called behind each batch, which `took` so many rows and seconds. The `timeline` has
    what its stages did.
    """

    def __init__(self, context: SparkContext, physical: SparkPlan, checkpoint: Checkpoint,
                 intake: StreamSources, outputs: StreamSinks, files: int | None,
                 done: Callable[[Manifest], None]):
        self.context, self.physical, self.checkpoint = context, physical, checkpoint
        self.intake, self.outputs, self.files, self.done = intake, outputs, files, done
        self.stages, self.run = physical.stages, uuid4().hex[:8]
        self.compiling, self.in_kernels = Compiling(physical), False
        self.planner, self.timeline = Planner(physical.tuning), Timeline(physical, {})
        self.manifest, self.took = checkpoint.latest(), (0, 0.0)

    @property
    def tiers(self) -> list[str]:
        """How the stages run now."""
        kernels = self.compiling.kernels if self.in_kernels else {}
        return [kernels[stage.index].tier if stage.index in kernels else "rows"
                for stage in self.stages.before]

    @property
    def is_full(self) -> bool:
        """Whether as many rows have gone on as are asked for."""
        return self.intake.limit is not None and self.manifest.taken >= self.intake.limit

    def begin(self, start_over: bool) -> None:
        """Completes what the last batch had still to do when it was interrupted."""
        self.checkpoint.check_latest(self.manifest)
        self.outputs.begin(self.manifest, start_over)
        self._states().clean(self.manifest.chains)

    def batch(self, spark: int, arrived: Iterable[Arrived]) -> None:
        """Spark's batch of this number, as far as it has not happened already; it may be several of
        ours."""
        arrived = list(arrived) if spark > self.manifest.spark else []
        while arrived and spark > self.manifest.spark and not self.is_full:
            chosen, done = portion(arrived, self.manifest.begun, self.files,
                                   self.physical.tuning.bytes_of_a_batch)
            if sum(done.values()) == len(arrived):
                self._happen(chosen, {"spark": spark})
            else:
                self._happen(chosen, {"spark": self.manifest.spark, "begun": done})

    def end(self) -> None:
        """Tells the operators that the input has ended."""
        if not self.manifest.ended:
            self._happen([], {"spark": self.manifest.spark, "ended": True})

    def _happen(self, arrived: list[Arrived], progress: dict[str, object]) -> None:
        before, ending = self.manifest, "ended" in progress
        began = time.perf_counter()
        with self._prepared():
            given = self.intake.given(before, arrived, lambda size: bool(self._kernels(size)),
                                      ending)
            kernels, states = self._kernels(given.size), self._states()
            self._run(given, kernels, states, ending)
            shown = self.outputs.flush()
        self.manifest = Manifest(before.number + 1, chains=states.after(),
                                 parts=shown, delivered=self.outputs.delivery.total,
                                 kernels=bool(kernels), of=before.of, **progress, **given.after())
        self.checkpoint.commit(self.manifest)
        self.outputs.publish(self.manifest)
        states.forget(before.chains, self.manifest.chains)
        self.took = (self.manifest.taken - before.taken, time.perf_counter() - began)
        self.done(self.manifest)

    @contextmanager
    def _prepared(self) -> Iterator[None]:
        self.outputs.prepare(self.manifest.number)
        try:
            yield
        except BaseException:
            self.outputs.abort()
            raise

    def _kernels(self, size: int) -> dict[int, object]:
        kernels = self.compiling.kernels_for(size, self.manifest.kernels)
        if kernels and not self.in_kernels:
            # What workers keep has no kernels: they begin anew, from the pages.
            self.run, self.in_kernels = uuid4().hex[:8], True
            self.timeline.tiers = {index: Tier(kernel) for index, kernel in kernels.items()}
        return kernels

    def _run(self, given: BatchInput, kernels: dict[int, object], states: SavedStates, ending: bool
             ) -> None:
        physical = self.physical
        data = [*given.data, *(ends(physical.told_of_end) if ending else ())]
        sinks = self.outputs.part_sinks(physical.part_sinks)
        layout = physical.stream_layout(given.numbers, given.size, sum(map(len, given.data)),
                                        self.checkpoint.buckets)
        program = program_of(physical, layout, sinks, kernels, states)
        small = given.size < physical.tuning.small_batch
        slices = slices_out(self.context, physical, program, data,
                            physical.is_alone(len(given.numbers), given.size), self.planner)

        def seen(piece: SlicePiece) -> None:
            given.seen(piece)
            self.timeline.note(piece)
            for name, _, count in piece.written:
                self.outputs.written[name] += count
        own = with_variables(self.context.environment, OWN_WORKER if small else {})
        with own, _blaming(states):
            emitted(self.stages, sinks, slices, self.outputs.emit, seen, states,
                    self.intake.bad.report_late)

    def _states(self) -> SavedStates:
        return SavedStates(self.checkpoint.state, self.run, self.manifest.number + 1,
                           self.manifest.chains, self.physical.tuning)


@contextmanager
def _blaming(states: SavedStates) -> Iterator[None]:
    """Of a job that fails Spark tells one line: if it was damaged state, say so, and where."""
    try:
        yield
    except RunError:
        states.check()
        raise


class Compiling:
    """Gives each batch the kernels that it has."""

    def __init__(self, physical: SparkPlan):
        self.physical = physical
        self.kernels: dict[int, object] = {}
        self.thread: Thread | None = None

    def kernels_for(self, size: int, needed: bool) -> dict[int, object]:
        """The kernels for a batch of so many bytes, by stage; none as long as they are compiled,
        unless they are `needed` because the state is in their form."""
        knobs = self.physical.tuning
        if self.thread is None and (needed or size >= knobs.worth_kernels):
            self.thread = start_thread(self._compile, name="compiler")
        if self.thread is not None and (needed or size >= knobs.worth_waiting):
            self.thread.join()
        return self.kernels

    def _compile(self) -> None:
        found = self.physical.kernels
        # Each batch leaves a page with the keys that it has touched.
        kernels = {stage: kernel.tracking() for stage, kernel in found.items()}
        for kernel in kernels.values():
            # If it fails, the first slice says so in its own way.
            with suppress(Exception):
                kernel.warm()
        self.kernels = kernels
