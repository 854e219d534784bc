"""What an engine gives: how it runs a plan, and which options mean nothing to it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

from anabranch.batch.failure import ReportLate
from anabranch.io.rows import BadRows
from anabranch.plan.logical.plan import Plan
from anabranch.plan.physical.plan import Execution, overall
from anabranch.plan.tuning import CostModel, costing, costs
from anabranch.runtime.ends.binding import counted_items, opened_sinks
from anabranch.runtime.ends.emitting import Emit
from anabranch.runtime.ends.enough import enough
from anabranch.runtime.options import RunOptions, RunReport

DEFAULTS = RunOptions()


class BeginAnew(Exception):
    """What a plan cannot go on with. Nothing of it is seen, and the program runs otherwise."""


@dataclass(frozen=True)
class EnginePlan:
    """How an engine runs a program whose ends are bound: as `explain` has it `told`, and as `run`
    does it. Where `run` raises `BeginAnew`, another plan is made `otherwise`, which is told, too.
    """

    told: Callable[[], Execution]
    run: Callable[[RunReport], None]
    otherwise: Callable[[], EnginePlan] | None = None

    def go(self, report: RunReport) -> None:
        report.explained = partial(_told_by, costs(), self.told)
        try:
            self.run(report)
            return
        except BeginAnew:
            if self.otherwise is None:
                raise
        # Outside of the handler: an error of that run is no consequence of this one's.
        self.otherwise().go(report)


def _told_by(given: CostModel, told: Callable[[], Execution]) -> Execution:
    with costing(given):
        return told()


@dataclass(frozen=True)
class Engine:
    """An engine: how it runs a plan with some options, as `planned`, which both `explain` and a run
    ask for; and the options that mean nothing to it.

    `tuned(options)` refuses knobs that there are not, `check(plan, options)` what the program asks
    for and the engine cannot do, and `ready()` to begin where something is not installed.
    """

    planned: Callable[[Plan, RunOptions], EnginePlan]
    refuses: dict[str, str]
    tuned: Callable[[RunOptions], object] = lambda options: None
    check: Callable[[Plan, RunOptions], object] = lambda plan, options: None
    ready: Callable[[], object] = lambda: None

    def execution(self, plan: Plan, options: RunOptions = DEFAULTS) -> Execution:
        """How it runs a plan, as `explain` tells it."""
        return self.planned(plan, options).told()


def over_items(plan: Plan, options: RunOptions, report: RunReport,
               run: Callable[[dict, Emit, list, ReportLate], None], threads: int = 1) -> None:
    """Runs a plan whose sources are read here, and whose sinks are written here, where so many
    threads may encode: `run(items, emit, measured, late)` gives each sink's items to `emit`, what
    each stage did to `measured`, and late items to `late`."""
    with ExitStack() as stack:
        rows = stack.enter_context(BadRows.parse(options.on_error))
        # Where malformed rows are kept or counted, all of them are looked for.
        most = enough(plan) if options.on_error == "stop" else {}
        emit = stack.enter_context(opened_sinks(plan.program, report.written, threads=threads,
                                                enough=most))
        items = counted_items(plan.program, rows, report.read, options.progress)
        run(items, emit, report.stages, rows.report_late)
        report.reads = {name: given.form for name, given in items.items()}
        report.writes = emit.told()
    report.tier = overall(stage.tier for stage in report.stages if stage.tier)
    report.bad_rows = rows.summary()


def no_spark(why: str) -> dict[str, str]:
    """Why an engine takes no options of Spark."""
    return {"master": why, "session": why, "keep_spark": why}
