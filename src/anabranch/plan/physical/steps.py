"""Steps of the engine's own, without state, which any worker does in front of others.

Before each sink that writes text stands a stage that makes the text of whole slices that come in
columns; what is left to do in order is to write it. Before a compiled stage with keys stands one
that finds the bucket of each row of a slice and puts the rows of each together; what is left is to
give every bucket its part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from anabranch.batch.packs import MOST_BUCKETS
from anabranch.ir.graph import Graph, Operator, Queue
from anabranch.plan.physical.stages import (
    EngineStep,
    Sharing,
    Stage,
    is_wished_parallel,
    with_front,
)
from anabranch.plan.physical.tiers import Tier
from anabranch.plan.tuning import Knobs, costs


@dataclass(frozen=True)
class AsText(EngineStep):
    """It makes the text of a sink, which is `ordered` or not."""

    ordered: bool
    label = "text"


def is_text(stage: Stage) -> bool:
    return isinstance(stage.operators[0].kind, AsText)


def with_texts(stages: Sequence[Stage], makes_text: Callable[[Operator], bool]) -> list[Stage]:
    """The stages, the last of which has the sinks, with a stage for each sink that writes text."""
    *others, last = stages
    texts = [_text_of(op) for op in last.operators if op.is_sink and makes_text(op)]
    made = [Stage(len(others) + n, (op,), Sharing.ANY, op.inputs, op.outputs)
            for n, op in enumerate(texts)]
    now = {op.name: op.outputs for op in texts}
    sinks = tuple(replace(op, inputs=now.get(text_name(op), op.inputs)) for op in last.operators)
    inputs = tuple(dict.fromkeys(q for op in sinks for q in op.inputs))
    return [*others, *made,
            replace(last, index=len(others) + len(made), operators=sinks, inputs=inputs)]


def text_name(sink: Operator) -> str:
    return f"text of {sink.name}"


def _text_of(sink: Operator) -> Operator:
    name = text_name(sink)
    return Operator(name, AsText(sink.kind.ordered), sink.inputs, (name,), span=sink.span)


@dataclass(frozen=True)
class Deal(EngineStep):
    """Tells the rows of a stage apart by their keys."""

    keys: tuple[tuple[str, ...], ...]
    buckets: int
    label = "deal"


def is_deal(stage: Stage) -> bool:
    return isinstance(stage.operators[0].kind, Deal)


def is_worth_sharing(tier: Tier, tuning: Knobs) -> bool:
    """Whether the keys of a kernel without loops are told apart, if there are some: those
    with lists, dicts and sets take 50 to 100 nanoseconds a row, to tell it apart by its key and to
    put its outputs back 20, to read and to write it as much as both."""
    return tier.has_containers and tuning.workers >= costs().workers_for_containers and (
        tuning.kernel_buckets != 1)


def buckets_of_kernel(stage: Stage, tier: Tier, tuning: Knobs) -> int:
    """How many buckets a stage with a kernel has. To take columns apart costs more than what most
    kernels do with them, so one that does little has a single bucket if nothing else is asked for.
    """
    if stage.sharing is not Sharing.BUCKETS:
        return 1
    if tuning.kernel_buckets:
        return tuning.kernel_buckets
    wished = any(map(is_wished_parallel, stage.operators))
    if tuning.workers == 1 or not (tier.has_loops or wished):
        each = costs().workers_per_container_bucket
        return tuning.workers // each if is_worth_sharing(tier, tuning) else 1
    each = 1 if tuning.queue == "partitioned" else costs().kernels_per_worker
    return min(tuning.workers * each, MOST_BUCKETS)


def with_deals(graph: Graph, stages: Sequence[Stage], tiers: Mapping[int, Tier],
               tuning: Knobs) -> tuple[Graph, list[Stage], dict[int, Tier]]:
    """The same with a stage in front of each that has several buckets and a kernel."""
    found: list[tuple[Stage, Tier | None]] = []
    for stage in stages:
        tier = tiers.get(stage.index)
        buckets = buckets_of_kernel(stage, tier, tuning) if tier and tier.kernel else 1
        if len(stage.inputs) == 1 and buckets > 1:
            dealing, stage = _apart(stage, buckets)
            given = graph.queue(dealing.inputs[0])
            graph = with_front(graph, dealing.operators[0], stage.operators[0],
                               Queue(dealing.outputs[0], given.type))
            found.append((dealing, Tier(None, passes=True)))
        found.append((stage, tier))
    numbered = [(replace(stage, index=index), tier) for index, (stage, tier) in enumerate(found)]
    return (graph, [stage for stage, _ in numbered],
            {stage.index: tier for stage, tier in numbered if tier is not None})


def _apart(stage: Stage, buckets: int) -> tuple[Stage, Stage]:
    first, *others = stage.operators
    name = f"rows of {first.name}"
    deal = Operator(name, Deal(stage.keys, buckets), stage.inputs, (name,), span=first.span)
    first = replace(first, inputs=(name,))
    return (Stage(stage.index, (deal,), Sharing.ANY, stage.inputs, (name,)),
            replace(stage, operators=(first, *others), inputs=(name,)))
