"""Programs that take too long tuple by tuple: their language runs them, with one worker."""

from __future__ import annotations

from dataclasses import replace

from anabranch.engine.whole import run_whole, whole_execution
from anabranch.ir.whole import whole_of
from anabranch.plan import Execution, Plan


def run_long(plan: Plan, options, report) -> bool:
    """Lets the language run its program; False, with nothing done, when it is short."""
    return _is_long(plan) and run_whole(plan, replace(options, workers=1), report)


def long_execution(engine: str, plan: Plan) -> Execution | None:
    """How the program runs then; None when it runs tuple by tuple."""
    return whole_execution(engine, plan) if _is_long(plan) else None


def _is_long(plan: Plan) -> bool:
    """Whether the language says so; one that does not tell has programs that are fast enough."""
    is_long = getattr(whole_of(plan.program), "is_long", None)
    return is_long is not None and is_long(plan.program)
