"""Programs whose language cuts them into pieces that need nothing of each other: see `ir.whole`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial

from anabranch.engine.ends import opened_sinks
from anabranch.engine.spark.computing import each
from anabranch.engine.spark.run import context_of
from anabranch.errors import AnabranchError, RunError
from anabranch.ir.whole import whole_of
from anabranch.plan import Execution, Plan, overall

PIECES_PER_CORE = 3


def spread_execution(plan: Plan) -> Execution | None:
    """How a program runs that is cut into pieces; None when it is not."""
    whole = whole_of(plan.program)
    if whole is None or not whole.is_spread():
        return None
    stages = whole.stages(plan.program)
    return Execution("spark", overall(stage.tier for stage in stages), stages)


def run_spread(plan: Plan, options, report) -> bool:
    """Computes the pieces on the executors and writes them in order; False, with nothing done, when
    the program has none."""
    whole = whole_of(plan.program)
    if whole is None or not whole.pieces(plan.program, options, 1):
        return False
    with ExitStack() as stack:
        emit = stack.enter_context(opened_sinks(plan.program, report.written))
        context = context_of(stack, options.master, options.session)
        count = PIECES_PER_CORE * context.defaultParallelism
        pieces = whole.pieces(plan.program, options, count)
        for result in each(context, partial(_attempted, whole.compute), pieces):
            if isinstance(result, AnabranchError):
                raise result
            whole.take(plan.program, emit, result)
    report.read.update(whole.read(plan.program))
    report.tier = "native"
    return True


def _attempted(compute: Callable, piece: object) -> object:
    """What a piece gives, or our error, which Spark would wrap into its own."""
    try:
        return compute(piece)
    except AnabranchError as error:
        return error
    except OSError as error:
        return RunError(f"an executor cannot read its piece: {error}",
                        help="put the file where every executor finds it")
