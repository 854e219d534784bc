"""The sequential engine as a run asks for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from anabranch.batch.failure import ReportLate
from anabranch.core.errors import UsageError
from anabranch.core.lazy import Lazy
from anabranch.engine.contract import Engine, EnginePlan, no_spark, over_items
from anabranch.engine.sequential import run as sequential
from anabranch.engine.sequential.straight import is_straight
from anabranch.io.files.sinks import FileSink
from anabranch.io.files.sources import FileSource
from anabranch.ir.graph import Graph, Operator
from anabranch.plan.logical.plan import Plan, Reason
from anabranch.plan.logical.whole import whole_of
from anabranch.plan.physical.cost import rows_about, rows_known
from anabranch.plan.physical.ends import (
    NOT_PLAIN,
    Form,
    few_at_a_time,
    reading,
    rows_worth_columns,
    unless,
    writing,
)
from anabranch.plan.physical.plan import Execution, StageTier, overall
from anabranch.plan.tuning import knobs_among
from anabranch.runtime.ends.emitting import Emit
from anabranch.runtime.options import RunOptions

tiers = Lazy("anabranch.plan.physical.tiers")
one_loop, whole = Lazy("anabranch.engine.one_loop"), Lazy("anabranch.engine.whole")


def _plan_for(plan: Plan, options: RunOptions) -> EnginePlan:
    """As its language runs it, if it is long; as one loop; or row by row."""
    by_rows, found = partial(_by_rows, plan, options), None
    if whole_of(plan.program) is not None and whole.is_long(plan):
        found = whole.whole_plan("sequential", plan, replace(options, workers=1))
    return found or _as_one_loop(plan, options, by_rows) or by_rows()


def _as_one_loop(plan: Plan, options: RunOptions, otherwise: Callable[[], EnginePlan]
                 ) -> EnginePlan | None:
    """As one loop, which is from a file to a file: for other ends nothing more need be known."""
    ends = [op.kind.spec for op in (*plan.program.sources, *plan.program.sinks)]
    if not all(isinstance(spec, (FileSource, FileSink)) for spec in ends):
        return None
    return one_loop.loop_plan("sequential", plan, options, otherwise)


def _by_rows(plan: Plan, options: RunOptions) -> EnginePlan:
    if any(op.kind.form is not None for op in plan.program):
        plan = tiers.with_forms_chosen(plan)
    return EnginePlan(partial(_told, plan), lambda report: over_items(
        plan, options, report, partial(_run, plan, options)))


def _run(plan: Plan, options: RunOptions, items: dict, emit: Emit, measured: list,
         late: ReportLate) -> None:
    if options.recording is None:
        sequential.run(plan.program, items, emit, options.limit, late)
        return
    from anabranch.engine.sequential import watched

    watched.run(plan.program, items, emit, options.limit, options.recording, measured, late)


def _told(plan: Plan) -> Execution:
    """In rows, which come from columns and go into columns where there are many of them."""
    graph, worth = plan.program, rows_worth_columns()
    straight = is_straight(graph)
    appears_whole = straight and rows_known(graph) >= worth and len(graph.sinks) == 1 and (
        isinstance(graph.sinks[0].kind.spec, FileSink))
    writes = {name: Form.COLUMNS if appears_whole and form is not Form.ROWS else Form.ROWS
              for name, form in writing(graph).items()}
    few = f"the first {worth:,}" if worth else few_at_a_time()
    reads = {op.name: reading(op) if straight and _is_read_in_bulk(graph, op) else Form.ROWS
             for op in graph.sources}
    stages = _stages(graph)
    return Execution("sequential", overall(stage.tier for stage in stages), stages,
                     reads={name: unless(f, NOT_PLAIN) for name, f in reads.items()},
                     writes={name: unless(f, few) for name, f in writes.items()})


def _stages(graph: Graph) -> tuple[StageTier, ...]:
    """Those of a graph some of whose operators may have compiled forms; else all is in rows."""
    formed = {op.name: op.kind.form for op in graph if op.kind.form is not None}
    if not formed:
        return ()
    others = tuple(op.name for op in graph
                   if not (op.is_source or op.is_sink or op.name in formed))
    found = [StageTier((name,), "rows" if form.why_not else "native",
                       Reason(form.why_not, form.span) if form.why_not else None)
             for name, form in formed.items()]
    return (*found, *([StageTier(others, "rows")] if others else []))


def _is_read_in_bulk(graph: Graph, op: Operator) -> bool:
    """Whether a source has many rows, which are not merged with those of others by their time."""
    timed = [other for other in graph.sources if other.kind.time]
    alone = op not in timed or len(timed) == 1
    return alone and op.kind.heartbeats is None and (
        rows_about(op.kind.spec) or 0) >= rows_worth_columns()


def _check_knobs(options: RunOptions) -> None:
    for name in knobs_among(options.tune):
        raise UsageError(f"the sequential engine has no knob '{name}'",
                         help="it takes what things cost, such as rows_worth_arrow")


ENGINE = Engine(
    _plan_for,
    refuses={"workers": "it uses one core", **no_spark("it runs in this process"),
             "rules": "it runs the program as it is written"},
    tuned=_check_knobs)
