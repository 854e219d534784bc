"""Runs a plan as a stream, from the user's options to the report."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from anabranch.core.errors import AnabranchError, RunError, UsageError
from anabranch.engine.spark.job.sources import seen_by_executors
from anabranch.engine.spark.run import cluster_of, context_of, planned
from anabranch.engine.spark.session.computation import tasks_of
from anabranch.engine.spark.session.connect import ConnectContext
from anabranch.engine.spark.stream import checkpoint
from anabranch.engine.spark.stream.arrivals import FolderListing, FolderScan
from anabranch.engine.spark.stream.batches import RunningStream
from anabranch.engine.spark.stream.pipes import Pipe, as_folder
from anabranch.engine.spark.stream.query import Query, Watch
from anabranch.engine.spark.stream.settings import Settings, check
from anabranch.engine.spark.stream.sinks import Delivery, StreamSinks, bad_rows
from anabranch.engine.spark.stream.sources import StreamSources
from anabranch.engine.spark.stream.upgrade import noted_of, told, upgraded
from anabranch.io.stdio import is_pipe
from anabranch.ir.graph import Operator
from anabranch.plan.logical.plan import Plan
from anabranch.plan.physical.plan import overall
from anabranch.plan.physical.spark.capabilities import refuse_endless
from anabranch.plan.physical.spark.plan import SparkPlan
from anabranch.plan.physical.spark.reading import grows
from anabranch.plan.physical.spark.segments import Stages
from anabranch.runtime.options import RunOptions, RunReport

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    from anabranch.engine.spark.stream.checkpoint import Checkpoint, Manifest


ENDED = "the stream of this checkpoint has ended: nothing was done (--start-over begins anew)"
AGAIN = ("the batch was not done. The same command does it again, also when the input or a "
         "function has been corrected")


def run_stream(plan: Plan, options: RunOptions, report: RunReport) -> bool:
    """Runs the plan over what its sources have and will have."""
    settings, bad = Settings.of(options), bad_rows(options.on_error)
    check(plan.program)
    refuse_endless(plan.program, options.limit)
    with ExitStack() as stack:
        if options.progress is not None:
            options.progress.phase("starting Spark")
        context = context_of(stack, options.master, options.session, report,
                             bool(options.keep_spark))
        if options.progress is not None:
            options.progress.phase("streaming", tasks_of(context))
        physical = planned(plan, options).on(cluster_of(context))
        noted = noted_of(plan.program, _layout(physical.stages))
        opened = stack.enter_context(checkpoint.opened(settings.checkpoint, noted, physical.buckets,
                                                       settings.start_over))
        changes = upgraded(opened, plan.program, noted)
        physical, pipes = _without_pipes(physical, opened)

        def done(manifest: Manifest) -> None:
            report.batches += 1
            if options.recording is not None:
                options.recording.latencies.add(*stream.took)
            if options.progress is not None:
                options.progress(report.read, report.batches)
        intake = StreamSources(physical, bad, report.read)
        outputs = StreamSinks(physical.graph, report.written, bad, Delivery(opened.delivered))
        stack.callback(outputs.close)
        stream = RunningStream(context, physical, opened, intake, outputs, settings.files, done)
        if options.recording is not None:
            options.recording.watch_behind(stream.timeline.at)
        stream.begin(settings.start_over)
        if changes:
            report.note = f"went on from the checkpoint with {told(changes)}"
        if stream.manifest.ended:
            report.note = ENDED
        _run(_looking(options, context, opened), stream, settings, pipes)
        report.tier, report.stages = overall(stream.tiers), stream.timeline.metrics()
        stream.timeline.read_here(intake.on_driver, report.read)
        stream.timeline.written_here(report.written)
        report.execution = stream.timeline.recorded()
        report.bad_rows = bad.summary()
    return True


def _without_pipes(physical: SparkPlan, opened: Checkpoint
                   ) -> tuple[SparkPlan, dict[str, Pipe]]:
    """The plan with folders in place of pipes, and what fills these folders."""
    pipes: dict[str, Pipe] = {}
    stages = physical.stages

    def replaced(op: Operator) -> Operator:
        if not (op.is_source and is_pipe(op.kind.spec)):
            return op
        folder = os.path.join(opened.inputs, str(stages.graph.position(op)))
        spec = as_folder(op.kind.spec, folder)
        pipes[op.name] = Pipe(op, folder, physical.tuning.gathered_ms / 1000)
        return replace(op, kind=replace(op.kind, spec=spec))
    graph = stages.graph.with_operators(map(replaced, stages.graph))
    return replace(physical, stages=replace(stages, graph=graph)), pipes


Looking = Callable[[list[Operator], set[str], RunningStream, Settings, list[Pipe]], Query]
"""Makes what looks for files: of these sources, those of the named ones to be removed."""


def _looking(options: RunOptions, context: SparkContext | ConnectContext, opened: Checkpoint
             ) -> Looking:
    if os.path.exists(opened.spark if isinstance(context, ConnectContext) else opened.arrived):
        raise UsageError("a stream on Spark Connect and one that is not cannot go on from each "
                         "other's checkpoint", opened.folder, help=checkpoint.START_OVER)
    if not isinstance(context, ConnectContext):
        session = _session(options, context)
        return lambda growing, passing, *rest: Query(
            FolderListing(session, growing, passing), *rest)
    if not seen_by_executors(context, [os.path.join(opened.folder, "program")]):
        raise UsageError("the server of Spark Connect does not see the checkpoint", opened.folder,
                         help="name a folder of a file system that it shares with this machine")
    return lambda growing, passing, *rest: Watch(
        FolderScan(opened.arrived, growing, passing), *rest)


def _run(looking: Looking, stream: RunningStream, settings: Settings,
         pipes: dict[str, Pipe]) -> None:
    # What waits for other sources is read again after an interruption.
    passing = {name for name in pipes if not stream.stages.graph[name].kind.time}
    growing = [op for op in stream.stages.graph.sources if grows(op)]
    with ExitStack() as stack:
        if not stream.manifest.ended:
            for pipe in pipes.values():
                pipe.start()
                stack.callback(pipe.close)
        _go(looking(growing, passing, stream, settings, list(pipes.values())), settings)


def _go(query: Query, settings: Settings) -> None:
    try:
        query.run()
    except AnabranchError as error:
        if isinstance(error, RunError) and settings.checkpoint and not error.help:
            error.help = AGAIN
        raise


def _layout(stages: Stages) -> list:
    """How the operators are put into stages, which is how their state is stored."""
    return [[stage.sharing.value, [op.name for op in stage.operators]]
            for stage in (*stages.before, stages.sinks)]


LOGS = "spark.sql.streaming.checkpointFileManagerClass"
RENAMING = ("org.apache.spark.sql.execution.streaming.checkpointing."
            "FileSystemBasedCheckpointFileManager")
"""Writes the query's logs by renaming files. On a local path Spark's own choice does so too, but
starts a process for each of them to ask for permissions, some 150 ms for a batch."""


def _session(options: RunOptions, context: SparkContext) -> SparkSession:
    """A session of its own, so that its settings are nobody else's."""
    from pyspark.sql import SparkSession

    session = (options.session or SparkSession(context)).newSession()
    if session.conf.get(LOGS, None) is None:
        session.conf.set(LOGS, RENAMING)
    return session
