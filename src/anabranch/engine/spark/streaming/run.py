"""Runs a plan as a stream, from the user's options to the report."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from anabranch.engine.spark.program import Stages
from anabranch.engine.spark.run import context_of
from anabranch.engine.spark.streaming import checkpoint
from anabranch.engine.spark.streaming.fingerprint import fingerprint
from anabranch.engine.spark.streaming.intake import Intake
from anabranch.engine.spark.streaming.parts import Outputs
from anabranch.engine.spark.streaming.query import Query
from anabranch.engine.spark.streaming.settings import Settings, check
from anabranch.engine.spark.streaming.stream import Stream
from anabranch.errors import AnabranchError, RunError
from anabranch.plan import Plan, overall

if TYPE_CHECKING:
    from anabranch.engine.spark.streaming.manifest import Manifest

BUCKETS = 16
"""How many buckets a checkpoint has at least: it never has more cores to share its keys among."""

ENDED = "the stream of this checkpoint has ended: nothing was done (--start-over begins anew)"
AGAIN = ("the batch was not done. The same command does it again, for instance when the input has "
         "been corrected; a changed program needs --start-over")


def run_stream(plan: Plan, options, report) -> bool:
    """Runs the plan over what its sources have and will have."""
    settings = Settings.of(options)
    check(plan.program, options)
    stages = Stages.of(plan)
    with ExitStack() as stack:
        context = context_of(stack, options.master, options.session)
        opened = stack.enter_context(checkpoint.opened(
            settings.checkpoint, plan.program, _layout(stages), fingerprint(plan.program),
            max(BUCKETS, 2 * context.defaultParallelism), settings.start_over))
        outputs = Outputs(stages.graph, report.written)
        intake = Intake(stages.graph, options.on_error, report.read)

        def done(manifest: Manifest) -> None:
            report.batches += 1
            if options.progress is not None:
                options.progress(report.read, report.batches)
        stream = Stream(context, stages, opened, intake, outputs, settings.files, done)
        stream.begin(settings.start_over)
        if stream.manifest.ended:
            report.note = ENDED
        _go(Query(_session(options, context), stages.graph, stream, settings), settings)
        report.tier = overall(stream.tiers)
        report.bad_rows = intake.bad.summary()
    return True


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


def _session(options, context):
    from pyspark.sql import SparkSession

    return options.session or SparkSession(context)
