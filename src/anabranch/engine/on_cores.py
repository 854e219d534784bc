"""The multicore engine as a run asks for it."""

from __future__ import annotations

from anabranch.batch.failure import ReportLate
from anabranch.core.errors import UsageError
from anabranch.engine import multicore
from anabranch.engine.contract import DEFAULTS, Engine, no_spark
from anabranch.engine.directives import check_stages
from anabranch.engine.whole import run_whole, whole_execution
from anabranch.plan.logical.plan import Plan
from anabranch.plan.physical.ends import writing
from anabranch.plan.physical.multicore import MulticorePlan
from anabranch.plan.physical.stages import Sharing
from anabranch.runtime.ends.emitting import Emit
from anabranch.runtime.options import RunOptions


def _run(plan: Plan, items: dict, emit: Emit, options: RunOptions, measured: list,
         late: ReportLate) -> None:
    multicore.execute(_planned(plan, options), items, emit, options.limit, measured.extend,
                      options.recording, late)


def _planned(plan: Plan, options: RunOptions) -> MulticorePlan:
    """The plan that `run` executes and `explain` shows."""
    physical = multicore.multicore_plan(plan, _tuning(options), options.limit,
                                        writing(plan.graph))
    check_stages(plan, physical.stages, "the multicore engine")
    _check_queue(physical, options)
    return physical


def _tuning(options: RunOptions) -> multicore.Knobs:
    return multicore.tuning_of(options.workers, **multicore.Knobs.read(options.tune or {}))


def _check_queue(physical: MulticorePlan, options: RunOptions) -> None:
    """Worker processes have a queue each: no other is used where they may serve all keyed stages.
    """
    keyed = [stage for stage in physical.stages if stage.sharing is Sharing.BUCKETS]
    if "queue" in (options.tune or {}) and keyed and all(map(physical.in_processes, keyed)):
        raise UsageError(f"queue={options.tune['queue']} changes nothing here: {keyed[0].name} may "
                         "be served by worker processes, each of which has a queue of its own",
                         keyed[0].operators[0].span,
                         help="turn processes=never too: then threads serve it")


ENGINE = Engine(
    _run,
    refuses=no_spark("it runs on this machine"),
    execution=lambda plan, options=DEFAULTS: (
        whole_execution("multicore", plan) or multicore.execution(_planned(plan, options))),
    # A language that runs its program as a whole has none of these knobs.
    from_files=lambda plan, options, report: not options.tune and run_whole(plan, options, report),
    threads=lambda options: multicore.tuning_of(options.workers).workers,
    tuned=_tuning)
