"""Which stages have their hot keys split, and what then stands in front of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from anabranch.analysis.inference import infer_result
from anabranch.analysis.typed import fields_of_class
from anabranch.engine.multicore.hot_keys import InParts, OfParts
from anabranch.engine.multicore.stages import Sharing, Stage
from anabranch.engine.multicore.tiers import Tier
from anabranch.ir import aggregates
from anabranch.ir.aggregates import Call, Mean, Sum
from anabranch.ir.function import Function
from anabranch.ir.graph import Graph, Operator, Queue
from anabranch.ir.operators.keyed import WHOLE_ITEM
from anabranch.ir.types import ANY, BOOL, FLOAT, INT, Type, fields_of
from anabranch.ir.windows import AggregateWindow
from anabranch.plan import Reason


def split(graph: Graph, stages: Sequence[Stage], tiers: dict[int, Tier], workers: int
          ) -> tuple[Graph, list[Stage], dict[int, Tier]]:
    """The same with a stage in front of each whose hot keys can be split."""
    found: list[tuple[Stage, Tier | None]] = []
    for stage in stages:
        tier = tiers.get(stage.index)
        if _can_be_split(graph, stage, tier):
            before, stage = _apart(stage, workers)
            graph = _with(graph, before.operators[0], stage.operators[0])
            found.append((before, Tier(None, Reason(
                f"hot keys of {stage.name}, found while it runs, are put together by all workers",
                stage.operators[0].span))))
        found.append((stage, tier))
    numbered = [(replace(stage, index=index), tier) for index, (stage, tier) in enumerate(found)]
    return (graph, [stage for stage, _ in numbered],
            {stage.index: tier for stage, tier in numbered if tier is not None})


def _can_be_split(graph: Graph, stage: Stage, tier: Tier | None) -> bool:
    kind = stage.operators[0].kind
    # A kernel is faster than what moving its rows would cost; and where windows end by count, only
    # who has counted all items of a key knows in which of them an item is.
    in_rows = tier is not None and tier.kernel is None and stage.sharing is Sharing.BUCKETS
    return (in_rows and isinstance(kind, AggregateWindow) and bool(kind.by)
            and kind.by != WHOLE_ITEM and kind.window.by_time
            and all(_joins_exactly(call, graph.input_types(stage.operators[0])[0])
                    for _, call in kind.calls))


def _joins_exactly(call: Call, item: Type) -> bool:
    """Whether parts joined are what one fold gives: not for floats, whose sums are rounded."""
    if call.aggregate in (Sum, Mean):
        return _value_type(call, item) in (INT, BOOL)
    built_in = call.aggregate.__module__ == aggregates.__name__
    return call.aggregate.can_join() and (built_in or not any(
        kind in (FLOAT, ANY) for kind in fields_of_class(call.aggregate).values()))


def _value_type(call: Call, item: Type) -> Type:
    if isinstance(call.value, Function):
        return infer_result(call.value, [item])
    return (fields_of(item) or {}).get(call.value, ANY) if call.value else item


def _apart(stage: Stage, workers: int) -> tuple[Stage, Stage]:
    first, *others = stage.operators
    name = f"parts of {first.name}"
    before = Operator(name, InParts(first.kind, workers), first.inputs, (name,), span=first.span)
    kind = OfParts(**{f: getattr(first.kind, f) for f in first.kind.__dataclass_fields__})
    joining = replace(first, kind=kind, inputs=(name,))
    return (Stage(stage.index, (before,), Sharing.ANY, first.inputs, (name,)),
            replace(stage, operators=(joining, *others), inputs=(name,)))


def _with(graph: Graph, before: Operator, joining: Operator) -> Graph:
    def operators() -> Iterator[Operator]:
        for op in graph:
            if op.name == joining.name:
                yield before
            yield joining if op.name == joining.name else op
    return graph.with_operators(operators(), [Queue(before.outputs[0])])
