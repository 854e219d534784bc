"""Which columns of its sources a run needs: those that its kernels take.

Whatever else reads a source takes whole items.
"""

from __future__ import annotations

from collections.abc import Sequence

from anabranch.io.columns import columns_of
from anabranch.ir.graph import Graph, Operator
from anabranch.plan.physical.stages import Sharing, Stage
from anabranch.plan.physical.steps import is_deal
from anabranch.plan.physical.tiers import Tier

Names = frozenset[str]


def columns_wanted(graph: Graph, stages: Sequence[Stage], tiers: dict[int, Tier]
                   ) -> dict[str, Names]:
    """By source, for those that are not needed wholly, the columns that are needed."""
    wanted = {}
    for op in graph.sources:
        everything = frozenset(columns_of(graph.output_types(op)[0]))
        found = frozenset().union(*(_read(stages, stage, tiers, everything)
                                    for stage in stages if op.outputs[0] in stage.inputs))
        wanted |= {op.name: found} if found < everything else {}
    return wanted


def _read(stages: Sequence[Stage], stage: Stage, tiers: dict[int, Tier], everything: Names
          ) -> Names:
    if is_deal(stage):
        behind = next(s for s in stages if s.inputs == stage.outputs)
        keys = {name for key in behind.keys for name in key}
        return everything & (keys | _read(stages, behind, tiers, everything))
    tier = tiers.get(stage.index)
    if tier is None or tier.kernel is None or tier.divides or stage.sharing is Sharing.PLAN:
        return everything
    # Numba takes half a second to import.
    from anabranch.kernels.kernel import columns_read

    return columns_read(tier.kernel)


def columns_shown(graph: Graph, stage: Stage, wanted: dict[str, Names]) -> str:
    """Which columns of its sources a stage needs, where that is not all of them."""
    sources = [graph.writer(queue) for queue in stage.inputs]
    return "; ".join(f"read columns of {op.name}: {_listed(graph, op, wanted[op.name])}"
                     for op in sources if op.name in wanted)


def _listed(graph: Graph, source: Operator, names: frozenset[str]) -> str:
    ordered = [name for name in columns_of(graph.output_types(source)[0]) if name in names]
    return ", ".join(ordered) or "none"
