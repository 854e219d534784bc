"""The tier of every stage: a kernel, whole columns, or rows, and then why.

A kernel takes time to compile, and to load when it has been compiled before. So a run begins with
kernels where so many rows are known to come that they pay, or where nobody knows how many; until
they are ready, rows flow. Unions by a time and splits are no straight line of one stream, and stay
in columns all the same.

A language may make machine code of a function itself, which then is all of an operator's code: it
is taken where there is enough to read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from anabranch.batch.items import has_columns
from anabranch.batch.record_batch import is_opaque
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import CompiledForm, FormChoice, Kind, Split, Union
from anabranch.ir.types import FLOAT, INT, TIMESTAMP, AnyOf, RecordOf, Type
from anabranch.plan.logical.plan import Plan, Reason
from anabranch.plan.physical.cost import Prospect, has_loop, pays_to_compile
from anabranch.plan.physical.stages import Sharing, Stage

if TYPE_CHECKING:
    from anabranch.kernels import Kernel


@dataclass(frozen=True)
class Tier:
    """How a stage runs: its kernel, or None for rows; `reason` says why not faster. A stage that
    `passes` only hands items on, as they are; one that `merges` does so in the order of a time, and
    the kernel of one that `divides` gives the numbers of their ports. One `in_form` is compiled by
    the program's language."""

    kernel: Kernel | None
    reason: Reason | None = None
    passes: bool = False
    merges: bool = False
    divides: bool = False
    in_form: bool = False

    @property
    def name(self) -> str:
        if self.in_form:
            return "native"
        in_columns = self.passes or self.merges
        return "columns" if in_columns else self.kernel.tier if self.kernel else "rows"

    @property
    def has_loops(self) -> bool:
        """Whether some function of the user's that runs as native code has a loop in it."""
        return self.kernel is not None and self.name == "native" and any(
            has_loop(op) for op in self.kernel.rows.operators)

    @property
    def has_containers(self) -> bool:
        """Whether a state in native code has lists, dicts or sets in it."""
        return self.kernel is not None and self.name == "native" and any(table.has_containers
                                             for table in self.kernel.stage.tables)

    def done(self, lines: Sequence, rows: int) -> dict[str, object]:
        """What happened in a stage of so many rows: in which tier it ran, why, and how many."""
        why = self.reason.text if self.reason else ""
        by_tier = sum((Counter(getattr(line, "done", {})) for line in lines), Counter())
        if self.kernel is None and (late := by_tier["native"]):
            return {"tier": "native", "reason": "",
                    "rows_by_tier": {"rows": rows - late, "native": late}}
        if self.kernel is None and not self.merges:
            return {"tier": self.name, "reason": why, "rows_by_tier": {self.name: rows}}
        if by_tier[self.name] or not rows:
            return {"tier": self.name, "reason": why, "rows_by_tier": dict(by_tier)}
        failure = self.kernel.failure if self.kernel else None
        why = f"it cannot be compiled: {failure}" if failure else (
            "the input ended before its kernel was compiled, or did not fit into columns")
        return {"tier": "rows", "reason": why, "rows_by_tier": {"rows": rows}}


def kernels_of(tiers: Mapping[int, Tier]) -> list[Kernel]:
    """The kernels that some stages have."""
    return [tier.kernel for tier in tiers.values() if tier.kernel]


def tiers(graph: Graph, stages: Sequence[Stage], why: Reason | None = None,
          choose: Callable[[Graph, Stage], Tier] | None = None) -> dict[int, Tier]:
    """The tier of each stage but that of the sinks. `why` is the reason why kernels are not wanted
    at all, if they are not, and `choose` an engine's own way to choose.

    The graph is one whose operators are unfused, with its sources bound.
    """
    choose = choose or tier_of
    return {stage.index: form_tier(stage) or (Tier(None, why) if why else choose(graph, stage))
            for stage in stages if not stage.is_sink}


def with_forms_chosen(plan: Plan, kernels: str = "where it pays") -> Plan:
    """The plan whose operators run in their compiled forms, where these are wanted and pay."""
    def chosen(op: Operator) -> Operator:
        form = op.kind.form
        return op if form is None or isinstance(form, FormChoice) else replace(
            op, kind=_chosen(op.kind, form, kernels))
    if not any(op.kind.form is not None for op in plan.program or plan.graph):
        return plan
    return plan.with_graphs(lambda graph: graph.with_operators(map(chosen, graph)))


def _chosen(kind: Kind, form: CompiledForm, kernels: str) -> Kind:
    why = form.why_not or ("kernels are not wanted" if kernels == "never" else "")
    if not why and kernels != "always" and not pays_to_compile(form.size(), form.is_saved):
        why = "there is too little to read to be worth compiling"
    if why:
        return replace(kind, form=FormChoice(why, form.span))
    return replace(kind, function=form.function, form=FormChoice(warm=form.warm))


def form_tier(stage: Stage) -> Tier | None:
    """The tier of a stage whose first operator may have a compiled form."""
    choice = stage.operators[0].kind.form
    if not isinstance(choice, FormChoice):
        return None
    return Tier(None, Reason(choice.why_not, choice.span)) if choice.why_not else \
        Tier(None, in_form=True)


def warm_forms(graph: Graph) -> None:
    """Compiles the forms that are taken, so that processes that are forked later have them."""
    for op in graph:
        choice = op.kind.form
        if isinstance(choice, FormChoice) and choice.warm is not None:
            choice.warm()


def unwanted(graph: Graph, kernels: str, ahead: Prospect) -> Reason | None:
    """Why a run with this ahead of it is to begin without any kernels; `kernels` are wanted always,
    never, or where it pays."""
    if kernels == "never":
        return Reason("kernels are not wanted")
    if kernels == "always" or ahead.rows is None or ahead.at_once:
        return None
    counted = "1 row is" if ahead.rows == 1 else f"{ahead.rows:,} rows are"
    return Reason(f"{counted} too few to be worth compiling unless they take long",
                  graph.sources[0].span)


def passes(op: Operator) -> bool:
    """Whether the operator hands on its items as they are, in the order of their arrival."""
    return isinstance(op.kind, Union) and op.kind.on is None


def tier_of(graph: Graph, stage: Stage) -> Tier:
    """The tier of a stage, whatever the size of its input."""
    if (formed := form_tier(stage)) is not None:
        return formed
    if stage.sharing is not Sharing.TOGETHER and all(map(passes, stage.operators)):
        return Tier(None, passes=True)
    if obstacle := _not_a_line(stage) or _no_columns(graph, stage):
        return Tier(None, obstacle)
    # Numba takes half a second to import.
    from anabranch.kernels import compile_stage

    given, made = _types(graph, stage)
    kernel = compile_stage(stage.operators, given, made,
                           {v.name: v.initial for v in graph.variables})
    obstacle = kernel.reason if kernel.tier == "rows" else _widened(graph, stage, kernel)
    return Tier(None, obstacle) if obstacle else Tier(kernel, kernel.reason)


def _types(graph: Graph, stage: Stage) -> tuple[Type, Type]:
    return graph.queue(stage.inputs[0]).type, graph.queue(stage.outputs[0]).type


def _no_columns(graph: Graph, stage: Stage) -> Reason | None:
    """Why items cannot come in columns, or leave in them; a kernel may make lists and records."""
    given, made = _types(graph, stage)
    for item, op in ((given, stage.operators[0]), (made, stage.operators[-1])):
        if isinstance(item, AnyOf):
            return Reason(f"the type of the items at {op.name} is not known: "
                          f"{item.reason}", op.span)
        if not has_columns(item) and (item is given or is_opaque(item)):
            return Reason(f"the {item} at {op.name} has more than single values in it", op.span)
    return None


def _widened(graph: Graph, stage: Stage, kernel: Kernel) -> Reason | None:
    """Why its outputs would be other values: 1.0 where the program gives 1."""
    last, queue = stage.operators[-1], stage.outputs[0]
    if not kernel.widens or _only_written(graph, queue):
        return None
    return Reason(f"{last.name} gives ints or bools where {graph.queue(queue).type} has floats "
                  "or ints", last.span)


def _not_a_line(stage: Stage) -> Reason | None:
    first = stage.operators[0]
    if stage.sharing is Sharing.TOGETHER:
        return Reason(f"{first.name} runs tuple by tuple: it is on a loop or shares a variable",
                      first.span)
    for op in stage.operators:
        if len(op.inputs) != 1 or len(op.outputs) != 1:
            return Reason(f"{op.name} is a {op.kind.label} of several streams", op.span)
    return None


def _only_written(graph: Graph, queue: str) -> bool:
    """Whether only files read the queue, which hold the declared types whatever they are given."""
    return all(op.is_sink and op.kind.spec is not None and op.kind.spec.writer.takes_columns
               for op in graph.readers(queue))


def tier_here(graph: Graph, stage: Stage) -> Tier:
    """The tier of a stage on this engine, whatever the size of its input."""
    first, *more = stage.operators
    if more or stage.sharing is Sharing.TOGETHER:
        return tier_of(graph, stage)
    if merges(graph, first) and stage.sharing is Sharing.ONE:
        return Tier(None, merges=True)
    if divides(graph, first):
        return _divided(graph, stage)
    return tier_of(graph, stage)


def merges(graph: Graph, op: Operator) -> bool:
    """Whether the operator merges streams of columns by a time that columns have."""
    if not isinstance(op.kind, Union) or op.kind.on is None:
        return False
    given, made = {graph.queue(q).type for q in op.inputs}, graph.queue(op.outputs[0]).type
    return given == {made} and isinstance(made, RecordOf) and has_columns(made) and (
        made.fields.get(op.kind.on) in (INT, FLOAT, TIMESTAMP))


def divides(graph: Graph, op: Operator) -> bool:
    """Whether the operator divides a stream of columns."""
    return isinstance(op.kind, Split) and has_columns(graph.queue(op.inputs[0]).type)


def _divided(graph: Graph, stage: Stage) -> Tier:
    # Numba takes half a second to import.
    from anabranch.kernels import compile_stage

    kernel = compile_stage(stage.operators, graph.queue(stage.inputs[0]).type, INT)
    return Tier(kernel, divides=True) if kernel.tier == "native" else Tier(None, kernel.reason)
