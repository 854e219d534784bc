"""The multicore engine as a run asks for it, imported where workers are needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

from anabranch.batch.failure import ReportLate
from anabranch.core.errors import UsageError
from anabranch.core.lazy import Lazy
from anabranch.core.threads import can_fork
from anabranch.engine.contract import Engine, EnginePlan, no_spark, over_items
from anabranch.engine.one_loop import loop_plan
from anabranch.engine.whole import whole_plan
from anabranch.kernels.folder import in_background, kernels_known
from anabranch.plan.logical.plan import Plan, Reason
from anabranch.plan.physical.ends import writing
from anabranch.plan.tuning import Knobs, coders, costs, knobs_among, tuning_of
from anabranch.runtime.ends.emitting import Emit
from anabranch.runtime.options import RunOptions

if TYPE_CHECKING:
    from anabranch.plan.physical.multicore import MulticorePlan

multicore = Lazy("anabranch.engine.multicore")
directives = Lazy("anabranch.engine.directives")
tiers = Lazy("anabranch.plan.physical.tiers")
background = Lazy("anabranch.runtime.processes.background")


def _plan_for(plan: Plan, options: RunOptions) -> EnginePlan:
    """As its language runs it, unless it is told how to; as one loop, if it is short; or by stages,
    which workers share."""
    # A language that runs its program as a whole has none of these knobs.
    whole = None if knobs_among(options.tune) else whole_plan("multicore", plan, options)
    planned = cache(partial(_planned, plan, options))
    by_stages = partial(_by_stages, plan, options, planned)
    return (whole or loop_plan("multicore", plan, options, by_stages, _tuning(options),
                              partial(_compile_behind, plan, options), lambda: _in_rows(planned()))
            or by_stages())


def _by_stages(plan: Plan, options: RunOptions, planned: Callable[[], MulticorePlan]) -> EnginePlan:
    physical = planned()

    def run(items: dict, emit: Emit, measured: list, late: ReportLate) -> None:
        multicore.execute(physical, items, emit, options.limit, measured.extend,
                          options.recording, late)
    return EnginePlan(lambda: multicore.execution(physical), lambda report: over_items(
        plan, options, report, run, coders(physical.tuning.workers)))


def _in_rows(physical: MulticorePlan) -> Reason | None:
    """Why some stage runs row by row, if one does."""
    found = (physical.tiers.get(stage.index) for stage in physical.stages)
    return next((tier.reason for tier in found if tier and tier.name == "rows" and tier.reason),
                None)


def _planned(plan: Plan, options: RunOptions) -> MulticorePlan:
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


def _compile_behind(plan: Plan, options: RunOptions, rows: int) -> None:
    """A run that kernels would have made shorter has them compiled for the next one."""
    pays = rows * costs().loop_row >= costs().numba_loading
    if pays and kernels_known(plan.program) is None and in_background() and can_fork():
        always = replace(options, tune={"kernels": "always"})
        physical = _planned(plan, always)
        background.compiled_apart(physical.graph, lambda: tiers.kernels_of(physical.tiers),
                                  background.LOWEST)


ENGINE = Engine(_plan_for, refuses=no_spark("it runs on this machine"), tuned=_tuning)
