"""Which stages have their hot keys split, and what then stands in front of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from anabranch.engine.multicore.exact_joins import joins_exactly
from anabranch.engine.multicore.hot_keys import InParts, OfParts
from anabranch.engine.multicore.stages import Sharing, Stage
from anabranch.engine.multicore.tiers import Tier
from anabranch.ir.graph import Graph, Operator, Queue
from anabranch.ir.operators.keyed import WHOLE_ITEM
from anabranch.ir.synchronized import Synchronized
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
    return tier is not None and _has_keys(stage) and why_whole(graph, stage, tier) is None


def hot_keys_told(graph: Graph, stage: Stage, tier: Tier) -> str:
    """What `explain` says of a stage with keys, some of which may be hot."""
    if tier.kernel is None or not any(isinstance(op.kind, Synchronized) and op.kind.by
                                      for op in stage.operators):
        return windows_told(graph, stage, tier)
    if stage.sharing is Sharing.PLAN:
        return "hot keys are split where that pays, and workers meet for them in compiled code"
    return f"hot keys are not split: {why_not_split(graph, stage)}" if tier.has_loops else \
        "all keys in one place: to take columns apart by keys takes longer than most updates"


def why_not_split(graph: Graph, stage: Stage) -> str | None:
    """Why the keys of a compiled synchronized stage go by buckets; None if hot ones are split."""
    # Numba takes half a second to import.
    from anabranch.kernels.native.team import team_kernel

    op, *others = stage.operators
    if others:
        return "the operators that it goes together with have to see whole keys"
    if not op.kind.splits_keys:
        return "what keys emit at the end comes in the order in which they came first"
    if op.kind.by == WHOLE_ITEM:
        return "the whole item is the key"
    return "its fork or its join has no compiled form" if team_kernel(graph, op) is None else None


def windows_told(graph: Graph, stage: Stage, tier: Tier) -> str:
    """The same of windows alone."""
    why = why_whole(graph, stage, tier) if _has_keys(stage) else None
    return f"hot keys are not split: {why}" if why else ""


def _has_keys(stage: Stage) -> bool:
    kind = stage.operators[0].kind
    return isinstance(kind, AggregateWindow) and type(kind) is not OfParts and bool(kind.by)


def why_whole(graph: Graph, stage: Stage, tier: Tier) -> str | None:
    """Why each key of a stage of windows stays with one worker; None if hot ones are split."""
    op = stage.operators[0]
    if tier.kernel is not None or stage.sharing is not Sharing.BUCKETS:
        return "its rows take less time than it would take to put parts together"
    if op.kind.by == WHOLE_ITEM:
        return "the whole item is the key"
    if op.kind.tolerant:
        return "items that come late are told one by one"
    if not op.kind.window.by_time:
        return "where windows end by count, all items of a key must be counted by one"
    inexact = [name for name, call in op.kind.calls
               if not joins_exactly(call, graph.input_types(op)[0])]
    return f"parts of {', '.join(inexact)} joined would not be what one fold gives, as there is " \
           "no join, or there may be floats" if inexact else None


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
