"""Programs that their language runs as a whole: see `ir.whole`."""

from __future__ import annotations

from anabranch.engine.ends import opened_sinks
from anabranch.ir.whole import whole_of
from anabranch.plan import Execution, Plan, overall


def run_whole(plan: Plan, options, report) -> bool:
    """Lets the language run its program; False, with nothing done, when it does not."""
    whole = whole_of(plan.program)
    if whole is None or not whole.runs_on(plan.program, options):
        return False
    with opened_sinks(plan.program, report.written) as emit:
        whole.run(plan.program, emit, options, report)
    return True


def whole_execution(engine: str, plan: Plan) -> Execution | None:
    """How the program runs as a whole; None when it does not."""
    whole = whole_of(plan.program)
    if whole is None or not whole.is_in_step:
        return None
    stages = whole.stages(plan.program)
    return Execution(engine, overall(stage.tier for stage in stages), stages)
