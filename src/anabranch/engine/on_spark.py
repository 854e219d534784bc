"""The Spark engine as a run asks for it."""

from __future__ import annotations

from functools import partial

from anabranch.engine import spark
from anabranch.engine.contract import BeginAnew, Engine, EnginePlan
from anabranch.engine.directives import check_on_spark, with_directives
from anabranch.engine.spark import frames
from anabranch.engine.spark.run import run_spread, spread_execution
from anabranch.engine.spark.session.requirements import check_installed
from anabranch.engine.spark.stream import run_stream
from anabranch.plan.logical.plan import Plan
from anabranch.plan.physical.plan import Execution
from anabranch.plan.physical.spark.capabilities import refuse_led
from anabranch.plan.physical.spark.tuning import SparkKnobs
from anabranch.runtime.options import RunOptions, RunReport


def _plan_for(plan: Plan, options: RunOptions) -> EnginePlan:
    """As a stream; in pieces, if its language cuts it into some; or by stages."""
    by_stages = EnginePlan(lambda: _told(plan, options), lambda report: _run(plan, options, report))
    spread = None if options.stream else spread_execution(plan, options)
    return by_stages if spread is None else EnginePlan(
        lambda: with_directives(plan, spread), partial(_spread, plan, options), lambda: by_stages)


def _told(plan: Plan, options: RunOptions) -> Execution:
    return with_directives(plan, frames.execution(plan) or spark.execution(plan, options))


def _run(plan: Plan, options: RunOptions, report: RunReport) -> None:
    (run_stream if options.stream else spark.run_files)(plan, options, report)


def _spread(plan: Plan, options: RunOptions, report: RunReport) -> None:
    if not run_spread(plan, options, report):
        raise BeginAnew


def _check(plan: Plan, options: RunOptions) -> None:
    refuse_led(plan)
    check_on_spark(plan, options.session is None and (
        options.master or "local").startswith("local"))


ENGINE = Engine(_plan_for, refuses=spark.REFUSES,
                tuned=lambda options: SparkKnobs.read(options.tune or {}), check=_check,
                ready=check_installed)
