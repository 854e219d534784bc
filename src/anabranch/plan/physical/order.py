"""What keeps the order of slices: the strategies that the plan's joints name.

To a stage a slice is what a tuple is to an operator. Every slice leaves every stage exactly once,
also one that has become empty, so the numbers of slices have no gaps.

- *none*: slices go on as they are finished. Nothing waits, and sinks write as work finishes.
- *round-robin*: the merge takes slices in the turn in which they were given out. None is numbered.
- *sequence numbers*: the merge waits for the slice with the next number.
- *sequence numbers and pulses*: the same; a slice that has become empty is a pulse. Nobody serves
  it, it only tells those behind how far the stage is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from anabranch.io.stdio import StdoutSink
from anabranch.ir.graph import Graph, Operator
from anabranch.plan.logical.plan import Ordering, Plan
from anabranch.plan.physical.stages import Sharing, Stage
from anabranch.plan.physical.steps import is_deal, is_text

TOLD = {
    Ordering.NONE: "order: none; slices go on as they are finished",
    Ordering.ROUND_ROBIN: "order: round-robin; slices go on in turn, none is numbered",
    Ordering.SEQNO: "order: sequence numbers; slices go on by their numbers",
    Ordering.SEQNO_PULSES: "order: sequence numbers and pulses; slices go on by their numbers, "
                           "empty ones unserved"}
"""The strategies in the words of `explain` and `--stats`."""


def with_own_sinks(stages: Sequence[Stage]) -> list[Stage]:
    """The stages, the last of which has the sinks; those that gave up order have a stage of their
    own before it, if others are left.

    Sinks that print share one stream, and stay with the others.
    """
    *others, last = stages
    free = tuple(op for op in last.operators if _is_free(op))
    if not free or len(free) == len(last.operators) or not _are_sinks(last):
        return list(stages)
    kept = tuple(op for op in last.operators if op not in free)
    return [*others, _of_sinks(last, last.index, free), _of_sinks(last, last.index + 1, kept)]


def _is_free(op: Operator) -> bool:
    return op.is_sink and not op.kind.ordered and not isinstance(op.kind.spec, StdoutSink)


def _are_sinks(stage: Stage) -> bool:
    return all(op.is_sink for op in stage.operators)


def _of_sinks(stage: Stage, index: int, sinks: tuple[Operator, ...]) -> Stage:
    inputs = tuple(dict.fromkeys(queue for op in sinks for queue in op.inputs))
    return replace(stage, index=index, operators=sinks, inputs=inputs)


def with_orderings(plan: Plan, graph: Graph, stages: Sequence[Stage],
                   by_number: Callable[[Stage], bool]) -> list[Stage]:
    """The stages, each with its strategy: that of the joint at its end, or of its region where it
    ends within. What comes to a stage `by_number` is kept in order whatever the joint says, since
    the numbers of slices tell there from when on something holds."""
    numbered = _leading_to(stages, by_number)
    return [replace(stage, ordering=_of_sinks_before(stage) if stage.is_sink else
                    _strategy(plan, graph, stage, stage.index in numbered)) for stage in stages]


def _leading_to(stages: Sequence[Stage], by_number: Callable[[Stage], bool]) -> set[int]:
    """The stages from which a way leads to one that needs the numbers."""
    found: set[int] = set()
    for stage in reversed(stages):
        behind = [other for other in stages if set(stage.outputs) & set(other.inputs)]
        if any(other.index in found or by_number(other) for other in behind):
            found.add(stage.index)
    return found


def _of_sinks_before(stage: Stage) -> Ordering:
    gave_up = _are_sinks(stage) and not any(op.kind.ordered for op in stage.operators)
    return Ordering.NONE if gave_up else Ordering.SEQNO


def _strategy(plan: Plan, graph: Graph, stage: Stage, numbered: bool) -> Ordering:
    if not numbered and not _is_observed(plan, graph, stage):
        return Ordering.NONE
    if is_text(stage) or is_deal(stage):
        return Ordering.ROUND_ROBIN
    regions = [plan.region_of(op.name) for op in stage.operators]
    named = [Ordering.NONE if region is None else region.ordering for region in regions]
    # What another stage needs the numbers for is in no joint.
    return max(named) if all(named) else Ordering.SEQNO_PULSES


def _is_observed(plan: Plan, graph: Graph, stage: Stage) -> bool:
    """Whether anybody behind it can tell in which order it gives what it gives."""
    if is_text(stage):
        return stage.operators[0].kind.ordered
    last = graph.writer(stage.inputs[0]) if is_deal(stage) else stage.operators[-1]
    known = plan.known_of(last.name)
    return known is None or known.ordered.value


def waits(stages: Sequence[Stage]) -> bool:
    """Whether the end of the input has to wait until all slices have left, since some may overtake
    others."""
    return any(stage.ordering is Ordering.NONE for stage in stages)


def overtakes(stage: Stage, workers: int, buckets: int) -> bool:
    """Whether slices may overtake each other in the stage."""
    several = stage.sharing is Sharing.ANY or (stage.sharing is Sharing.BUCKETS and buckets > 1)
    return several and workers > 1
