"""The multicore engine as a run asks for it, imported where workers are needed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from anabranch.batch.failure import ReportLate
from anabranch.core.errors import UsageError
from anabranch.core.lazy import Lazy
from anabranch.engine.contract import DEFAULTS, Engine, no_spark
from anabranch.engine.line import LEAST
from anabranch.engine.one_loop import loop_told, run_one_loop
from anabranch.engine.whole import run_whole, whole_execution
from anabranch.kernels.folder import in_background, kernels_known
from anabranch.plan.logical.plan import Plan
from anabranch.plan.physical.cost import LOADING
from anabranch.plan.physical.ends import writing
from anabranch.plan.physical.plan import Execution
from anabranch.plan.tuning import Knobs, tuning_of
from anabranch.runtime.ends.emitting import Emit
from anabranch.runtime.options import RunOptions, RunReport

if TYPE_CHECKING:
    from anabranch.plan.physical.multicore import MulticorePlan

multicore = Lazy("anabranch.engine.multicore")
directives = Lazy("anabranch.engine.directives")
tiers = Lazy("anabranch.plan.physical.tiers")
background = Lazy("anabranch.runtime.processes.background")


def _run(plan: Plan, items: dict, emit: Emit, options: RunOptions, measured: list,
         late: ReportLate) -> None:
    multicore.execute(_planned(plan, options), items, emit, options.limit, measured.extend,
                      options.recording, late)


def _planned(plan: Plan, options: RunOptions) -> MulticorePlan:
    """The plan that `run` executes and `explain` shows."""
    physical = multicore.multicore_plan(plan, _tuning(options), options.limit,
                                        writing(plan.graph))
    directives.check_stages(plan, physical.stages, "the multicore engine")
    _check_queue(physical, options)
    return physical


def _tuning(options: RunOptions) -> Knobs:
    return tuning_of(options.workers, **Knobs.read(options.tune or {}))


def _check_queue(physical: MulticorePlan, options: RunOptions) -> None:
    """Worker processes have a queue each: no other is used where they may serve all keyed stages.
    """
    keyed = physical.keyed
    if "queue" in (options.tune or {}) and keyed and all(map(physical.in_processes, keyed)):
        raise UsageError(f"queue={options.tune['queue']} changes nothing here: {keyed[0].name} may "
                         "be served by worker processes, each of which has a queue of its own",
                         keyed[0].operators[0].span,
                         help="turn processes=never too: then threads serve it")


def _from_files(plan: Plan, options: RunOptions, report: RunReport) -> bool:
    # A language that runs its program as a whole has none of these knobs.
    if not options.tune and run_whole(plan, options, report):
        return True
    if not run_one_loop(plan, options, report, _tuning(options)):
        return False
    _compile_behind(plan, options, sum(report.read.values()))
    return True


def _compile_behind(plan: Plan, options: RunOptions, rows: int) -> None:
    """A run that kernels would have made shorter has them compiled for the next one."""
    if rows * LEAST >= LOADING and kernels_known(plan.program) is None and (
            in_background() and background.is_possible()):
        always = replace(options, tune={"kernels": "always"})
        physical = _planned(plan, always)
        background.compiled_apart(physical.graph, lambda: tiers.kernels_of(physical.tiers),
                                  background.LOWEST)


def _execution(plan: Plan, options: RunOptions = DEFAULTS) -> Execution:
    return (whole_execution("multicore", plan)
            or loop_told("multicore", plan, options, _tuning(options))
            or multicore.execution(_planned(plan, options)))


ENGINE = Engine(
    _run,
    refuses=no_spark("it runs on this machine"),
    execution=_execution,
    from_files=_from_files,
    threads=lambda options: tuning_of(options.workers).workers,
    tuned=_tuning)
