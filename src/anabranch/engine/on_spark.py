"""The Spark engine as a run asks for it."""

from __future__ import annotations

from anabranch.batch.failure import ReportLate
from anabranch.engine import spark
from anabranch.engine.contract import DEFAULTS, Engine
from anabranch.engine.directives import check_on_spark, with_directives
from anabranch.engine.spark import frames
from anabranch.engine.spark.run import run_spread, spread_execution
from anabranch.engine.spark.session.requirements import check_installed
from anabranch.engine.spark.stream import run_stream
from anabranch.plan.logical.plan import Plan
from anabranch.plan.physical.plan import Execution
from anabranch.plan.physical.spark.tuning import SparkKnobs
from anabranch.runtime.ends.emitting import Emit
from anabranch.runtime.options import RunOptions, RunReport


def _run(plan: Plan, items: dict, emit: Emit, options: RunOptions, measured: list,
         late: ReportLate) -> None:
    spark.run(plan, items, emit, options.limit, master=options.master, session=options.session,
              tune=options.tune, late=late)


def _from_files(plan: Plan, options: RunOptions, report: RunReport) -> bool:
    if options.stream:
        return run_stream(plan, options, report)
    return run_spread(plan, options, report) or spark.run_files(plan, options, report)


def _execution(plan: Plan, options: RunOptions = DEFAULTS) -> Execution:
    found = (frames.execution(plan) or (not options.stream and spread_execution(plan))
             or spark.execution(plan, options))
    return with_directives(plan, found)


def _check(plan: Plan, options: RunOptions) -> None:
    check_on_spark(plan, options.session is None and (
        options.master or "local").startswith("local"))


ENGINE = Engine(_run, refuses=spark.REFUSES, execution=_execution, from_files=_from_files,
                tuned=lambda options: SparkKnobs.read(options.tune or {}), check=_check,
                ready=check_installed)
