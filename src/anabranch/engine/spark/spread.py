"""Programs whose language cuts them into pieces that need nothing of each other: see `ir.whole`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial

from anabranch.engine.ends import opened_sinks
from anabranch.engine.spark.computing import all_of, each
from anabranch.engine.spark.run import context_of
from anabranch.errors import AnabranchError, RunError
from anabranch.ir.whole import whole_of
from anabranch.plan import Execution, Plan, overall

PIECES_PER_CORE = 3
NOT_SEEN = "the executors do not find the files at these paths: the driver reads them, in rows"


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
    from anabranch.engine.spark.files import seen_by_executors
    with ExitStack() as stack:
        context = context_of(stack, options.master, options.session)
        if not seen_by_executors(context, whole.files(plan.program)):
            report.note = NOT_SEEN
            return False
        emit = stack.enter_context(opened_sinks(plan.program, report.written))
        pieces = whole.pieces(plan.program, options, PIECES_PER_CORE * context.defaultParallelism)
        results = (all_of if whole.at_once else each)(
            context, partial(_attempted, whole.compute), pieces)
        report.read.update(whole.take(plan.program, emit, map(_checked, results)))
    report.tier = overall(stage.tier for stage in whole.stages(plan.program))
    return True


def _checked(result: object) -> object:
    if isinstance(result, AnabranchError):
        raise result
    return result


def _attempted(compute: Callable, piece: object) -> object:
    """What a piece gives, or our error, which Spark would wrap into its own."""
    try:
        return compute(piece)
    except AnabranchError as error:
        return error
    except OSError as error:
        return RunError(f"an executor cannot read its piece: {error}",
                        help="put the file where every executor finds it")
