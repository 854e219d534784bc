"""Tiers of stages that are no straight line of one stream and yet stay in columns here: unions by
a time, and splits."""

from __future__ import annotations

from anabranch.engine.items import has_columns
from anabranch.engine.multicore.stages import Sharing, Stage
from anabranch.engine.multicore.tiers import Tier, tier_of
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Split, Union
from anabranch.ir.types import FLOAT, INT, TIMESTAMP, RecordOf


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
