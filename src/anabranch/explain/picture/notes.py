"""What there is to say about an operator, a region or a joint: facts with their reasons."""

from __future__ import annotations

from collections.abc import Iterator

from anabranch.analysis.fact import Fact
from anabranch.explain import words
from anabranch.ir.fused import Fused
from anabranch.ir.graph import Operator
from anabranch.plan import Execution, Joint, Plan, Reason, Region, StageTier
from anabranch.source import Span

EVERY_ATTRIBUTE = 10_000


def of_operator(plan: Plan, op: Operator, execution: Execution | None) -> tuple[str, ...]:
    """An operator's facts, and why it is parallel or not."""
    facts = plan.facts[op.name]
    return (written(op), *_parts(op), *_ends(plan, op),
            _fact("state", words.state(facts), facts.state),
            _fact("selectivity", words.selectivity(facts), facts.selectivity),
            f"forwards: {words.forwards(facts, EVERY_ATTRIBUTE)}", *_effects(plan, op),
            *_parallel(plan, op),
            *(_stage(number, stage, execution) for number, stage in stages_of(op, execution)))


def written(op: Operator) -> str:
    """What it is, and where it stands in the program."""
    return f"{op.name}: {words.kind(op)}{_at(op.span)}"


def _parts(op: Operator) -> Iterator[str]:
    if isinstance(op.kind, Fused):
        yield f"fused from {', '.join(part.name for part in op.kind.parts)}"


def _ends(plan: Plan, op: Operator) -> Iterator[str]:
    if op.is_source or op.is_sink:
        yield f"{'reads' if op.is_source else 'writes'} {words.place(plan, op)}"


def _effects(plan: Plan, op: Operator) -> Iterator[str]:
    for effect in plan.facts[op.name].purity.value:
        yield f"{effect.kind.value} {effect.name}: {effect.reason}{_at(effect.span)}"


def _parallel(plan: Plan, op: Operator) -> Iterator[str]:
    region, reason = plan.region_of(op.name), plan.sequential.get(op.name)
    if op.name in plan.graph.looping:
        yield "on a feedback loop"
    if region is not None:
        yield f"runs in parallel, in region {region.index + 1}"
    if op.name in plan.synchronized:
        yield "runs in parallel, by a synchronization plan"
    elif reason is not None:
        yield f"sequential: {because(reason)}"
    yield from (f"{j}" for j in plan.joints if j.at == op.name and j.kind.value.startswith("para"))


def because(reason: Reason) -> str:
    return f"{reason.text}{_at(reason.span)}"


def of_region(region: Region) -> tuple[str, ...]:
    routing = f"hash({', '.join(region.key)})" if region.key else "round-robin"
    ended = (f"ends here: {region.ended}",) if region.ended else ()
    return (f"region {region.index + 1}: {', '.join(region.operators)}", f"routing: {routing}",
            f"order: {region.ordering}", f"selectivity {region.selectivity}", *ended)


def of_joint(joint: Joint) -> tuple[str, ...]:
    routing = (f"routing: {joint.routing}",) if joint.routing else ()
    return (f"{joint.kind.value} on {joint.at}", *routing, f"order: {joint.ordering}")


def stages_of(op: Operator, execution: Execution | None) -> list[tuple[int, StageTier]]:
    """The stages that an operator runs in, counted from 1: several when it is fused from others
    that an engine takes apart again."""
    stages = execution.stages if execution else ()
    return [(number, stage) for number, stage in enumerate(stages, 1)
            if names_in(op).intersection(stage.operators)]


def names_in(op: Operator) -> set[str]:
    """The name of an operator, or of all that it is fused from too."""
    parts = op.kind.parts if isinstance(op.kind, Fused) else ()
    return {op.name}.union(*map(names_in, parts))


def _stage(number: int, stage: StageTier, execution: Execution) -> str:
    reason = f"; not faster: {because(stage.reason)}" if stage.reason else ""
    arrival = f"; {stage.arrival}" if stage.arrival else ""
    return f"stage {number} on the {execution.engine} engine: {stage.tier}{arrival}{reason}"


def _fact(name: str, value: str, fact: Fact) -> str:
    return f"{name}: {value}, {fact.reason}{_at(fact.span)}" if fact.reason else f"{name}: {value}"


def _at(span: Span | None) -> str:
    return "" if span is None else f" ({span})"
