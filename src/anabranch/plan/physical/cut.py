"""A stage with operators that have no kernel is cut, so that others keep theirs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import chain, groupby

from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Keyed
from anabranch.plan.physical.stages import Sharing, Stage, is_wished_parallel
from anabranch.plan.physical.tiers import Tier, divides, merges, passes, tier_here

LINES = (Sharing.ANY, Sharing.BUCKETS, Sharing.ONE)
"""How lines of operators that may be cut and joined are shared."""


Fusions = Collection[tuple[str, ...]]


def cut_stages(graph: Graph, stages: Sequence[Stage], known: dict[int, Tier],
               fusions: Fusions = ()) -> tuple[list[Stage], dict[int, Tier]]:
    """The stages and their tiers, those in rows as several where that makes kernels. What the user
    has fused is not cut."""
    found = []
    for stage in stages:
        tier = known.get(stage.index)
        in_rows = tier is not None and tier.kernel is None
        parts = _parts(graph, stage, fusions) if in_rows else [stage]
        found += [(part, tier if len(parts) == 1 else tier_here(graph, part)) for part in parts]
    numbered = [(replace(stage, index=index), tier) for index, (stage, tier) in enumerate(found)]
    return [s for s, _ in numbered], {s.index: tier for s, tier in numbered if tier is not None}


def _parts(graph: Graph, stage: Stage, fusions: Fusions) -> list[Stage]:
    """The stage in parts, or alone where nothing is gained or the order would be lost."""
    line = all(passes(op) or merges(graph, op) or divides(graph, op)
               or len(op.inputs) == len(op.outputs) == 1 for op in stage.operators)
    if stage.sharing not in LINES or not line or len(stage.operators) == 1:
        return [stage]
    groups = [(tier, tuple(chain.from_iterable(units))) for tier, units in
              groupby(_units(stage, fusions), lambda unit: _tier_alone(graph, stage, unit))]
    parts = [_part(stage, tier == "native", group) for tier, group in groups]
    gained = any(tier not in ("rows", "columns") for tier, _ in groups)
    return parts if gained and len(groups) > 1 and None not in parts else [stage]


def _units(stage: Stage, fusions: Fusions) -> list[tuple[Operator, ...]]:
    """Its operators, those that are fused together."""
    whole = {name: parts for parts in fusions for name in parts}
    return [tuple(unit) for _, unit in groupby(
        stage.operators, lambda op: whole.get(op.name, op.name))]


def _tier_alone(graph: Graph, stage: Stage, unit: tuple[Operator, ...]) -> str:
    alone = replace(stage, operators=unit, inputs=unit[0].inputs, outputs=unit[-1].outputs)
    tier = tier_here(graph, alone)
    if tier.in_form:
        return unit[0].name
    if tier.merges or tier.divides:
        return unit[0].name
    return tier.name if tier.kernel is None else "native"


def _part(stage: Stage, native: bool, operators: tuple[Operator, ...]) -> Stage | None:
    """Some of its operators as a stage; None when they would be shared by keys not known here."""
    if all(map(passes, operators)):
        return replace(stage, operators=operators, sharing=Sharing.ONE, keys=(),
                       inputs=operators[0].inputs, outputs=operators[-1].outputs)
    part = replace(stage, operators=operators, inputs=operators[0].inputs,
                   outputs=operators[-1].outputs)
    stateful = [op for op in operators if op.variables]
    if stage.sharing is not Sharing.BUCKETS or operators[0] is stage.operators[0]:
        return part
    if not stateful:
        return replace(part, sharing=Sharing.ANY, keys=())
    if native:
        wished = any(map(is_wished_parallel, operators))
        return None if wished else replace(part, sharing=Sharing.ONE, keys=())
    [first, *others], kind = stateful, stateful[0].kind
    if others or first is not operators[0] or not isinstance(kind, Keyed) or not kind.by:
        return None
    return replace(part, keys=(kind.by,))
