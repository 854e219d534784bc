"""What annotations ask of an engine: it is done, or refused by name.

The plan obeys `@Fuse`, `@Parallel` and `@Group`; what is looked for here is what it could not do,
with the reason, at the user's line. The sequential engine runs the program as it is written, and
needs none of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from anabranch.core.errors import ProgramError
from anabranch.ir.graph import Graph, Operator
from anabranch.plan.logical.fuse import groups, is_row, why_not_fused
from anabranch.plan.logical.plan import Plan
from anabranch.plan.logical.unfused import unfused
from anabranch.plan.physical.plan import Execution, StageTier
from anabranch.plan.physical.spark.segments import Segment, Stages
from anabranch.plan.physical.stages import Sharing, Stage, is_wished_parallel

PARALLEL = (Sharing.ANY, Sharing.BUCKETS, Sharing.PLAN)
"""How stages are shared that several workers may serve."""


def check_stages(plan: Plan, stages: Sequence[Stage], engine: str) -> None:
    """Refuses what the stages of an engine do not do for a plan."""
    _check_fusions(plan)
    for stage in stages:
        for op in stage.operators:
            if is_wished_parallel(op) and stage.sharing not in PARALLEL:
                wish = op.annotation("Parallel").told
                raise ProgramError(f"{op.name} cannot be parallel, which {wish} asks for: "
                                   f"{_why(plan, op, stage, engine)}", op.span,
                                   help=f"leave {wish} out, or change what stands in the way")


def check_on_spark(plan: Plan, is_local: bool) -> None:
    """The same for Spark, whose tasks also have to be on the same machine for a @Group."""
    if not any(op.annotations for op in unfused(plan).graph):
        return
    stages = Stages.of(plan)
    check_stages(plan, stages.before, "Spark")
    if not is_local:
        _check_groups(stages.graph, stages.segments)


def with_directives(plan: Plan, execution: Execution) -> Execution:
    """What is told of Spark, with what was asked of it. It has one way to put rows back, and takes
    it also for sinks that gave up order."""
    free = [(op.name,) for op in plan.graph.sinks if not op.kind.ordered]
    parts = unfused(plan)

    def told(stage: StageTier) -> StageTier:
        notes = (stage.arrival, parts.fused_in(stage.operators),
                 KEPT if stage.operators in free else "")
        return replace(stage, arrival="; ".join(filter(None, notes)))
    return replace(execution, stages=tuple(map(told, execution.stages)))


KEPT = "the sink gave up order, which is kept all the same"


def _check_fusions(plan: Plan) -> None:
    for parts in groups(plan.graph):
        why = len(parts) > 1 and why_not_fused(plan.graph, plan.facts, parts)
        wish = parts[0].annotation("Fuse")
        # Another language asks for one process, which is more than a row of operators.
        if why and not (wish.written and not is_row(plan.graph, parts)):
            names = ", ".join(op.name for op in parts)
            raise ProgramError(f"{names} cannot be fused, which {wish.told} asks for: {why}",
                               parts[-1].span, help=f"leave {wish.written or '@Fuse'} out; --rules "
                               "fuse,hoist fuses before filters move")


def _why(plan: Plan, op: Operator, stage: Stage, engine: str) -> str:
    whole = next((known for known in plan.sequential if op.name in known.split("+")), None)
    if whole is not None:
        return plan.sequential[whole].text
    others = ", ".join(other.name for other in stage.operators if other is not op)
    return (f"on {engine} it runs in order, one source tuple after another"
            f"{f', with {others}' if others else ''}")


def _check_groups(graph: Graph, segments: Sequence[Segment]) -> None:
    """Only what is in one task is known to be on one machine."""
    place_of = {op.name: place for place, segment in enumerate(segments)
                for stage in segment.stages for op in stage.operators}
    members: dict[str, list[Operator]] = defaultdict(list)
    for op in graph:
        if op.name in place_of and (annotation := op.annotation("Group")):
            members[annotation.told].append(op)
    for group, (first, *others) in members.items():
        apart = next((op for op in others if place_of[op.name] != place_of[first.name]), None)
        if apart is not None:
            raise ProgramError(f"{first.name} and {apart.name} cannot be kept on one machine, "
                               f"which {group} asks for: Spark places tasks, and rows go from one "
                               "to another between them", apart.span,
                               help="leave @Group out, or run on one machine: --master local[*]")
