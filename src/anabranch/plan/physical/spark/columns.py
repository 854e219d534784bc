"""What stands behind a source and becomes Spark's own columns, without Python.

That is a straight line of filters and maps whose functions are single expressions with an equal in
Spark. It may be the beginning of a stage, whose other operators then run behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from anabranch.batch.record_batch import is_opaque
from anabranch.io.columns import columns_of
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Filter, Map
from anabranch.plan.physical.stages import Sharing, Stage

if TYPE_CHECKING:
    from anabranch.kernels.catalyst import CatalystStep


@dataclass(frozen=True)
class ColumnLine:
    """The operators behind a source that Spark computes, as steps; what they give is on `queue`."""

    operators: tuple[Operator, ...]
    steps: Sequence[CatalystStep]
    queue: str


def column_lines(graph: Graph, stages: Iterable[Stage]) -> dict[str, ColumnLine]:
    """By the names of sources, the longest line behind each."""
    free = {op.name for stage in stages if stage.sharing is Sharing.ANY for op in stage.operators}
    lines = {op.name: _longest(graph, op, free) for op in graph.sources}
    return {name: line for name, line in lines.items() if line is not None}


def without(stages: Iterable[Stage], lines: Iterable[ColumnLine]) -> list[Stage]:
    """The stages without the operators that Spark computes."""
    done = {op.name: line for line in lines for op in line.operators}
    return [left for stage in stages if (left := _left(stage, done)) is not None]


def _left(stage: Stage, done: dict[str, ColumnLine]) -> Stage | None:
    rest = tuple(op for op in stage.operators if op.name not in done)
    if len(rest) == len(stage.operators):
        return stage
    return replace(stage, operators=rest, inputs=rest[0].inputs) if rest else None


def _longest(graph: Graph, source: Operator, free: set[str]) -> ColumnLine | None:
    """What can be translated, from the source on."""
    line, found, queue = [], None, source.outputs[0]
    while (op := _next(graph, queue, free)) is not None:
        line.append(op)
        queue = op.outputs[0]
        steps = _steps(graph, tuple(line))
        if steps is None:
            break
        if _is_left(graph, queue, free) or not any(step.outgrows for step in steps):
            found = ColumnLine(tuple(line), steps, queue)
    return found


def _next(graph: Graph, queue: str, free: set[str]) -> Operator | None:
    """The one operator that reads the queue, if it could be translated."""
    readers = graph.readers(queue)
    if len(readers) != 1 or readers[0].name not in free:
        return None
    return readers[0] if type(readers[0].kind) in (Map, Filter) else None


def _is_left(graph: Graph, queue: str, free: set[str]) -> bool:
    """Whether the items leave the stages without an exchange here: numbers that outgrow their
    columns would be an error there."""
    return all(op.name not in free for op in graph.readers(queue))


def _steps(graph: Graph, line: tuple[Operator, ...]) -> Sequence[CatalystStep] | None:
    # What translates is in the package of the kernels, which takes half a second to import.
    from anabranch.kernels.catalyst import translated

    given, made = graph.input_types(line[0])[0], graph.output_types(line[-1])[0]
    if any(is_opaque(kind) for item in (given, made) for kind in columns_of(item).values()):
        # A value that is none of its type, such as none of an Enum, is found in Python alone.
        return None
    try:
        steps = translated(line, given, made)
    except Exception:
        # Whatever has no equal in Spark, or makes trouble, runs in Python, whose tier has a reason.
        return None
    return steps if all(step.is_exact for step in steps) else None
