"""Programs that one Python loop runs: a line from a file to a file.

Most of what a short run takes is spent before its first row, and most of the rest on making
records: here nothing is started and none is made. The outputs go to a file that appears at the end,
so the run may begin anew in the engine's own way: where a function fails, which that way tells as
always, where a value does not fit its column, or where rows take long and workers would be faster.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from anabranch.analysis.fact import StateKind
from anabranch.batch.items import has_columns
from anabranch.io.files.sinks import FileSink
from anabranch.io.files.sources import FileSource
from anabranch.io.files.stores import is_remote
from anabranch.ir.graph import Graph, Operator
from anabranch.kernels.loop.run import Loop, loop_of
from anabranch.kernels.loop.text import NoLoop
from anabranch.plan.logical.plan import Plan, Reason
from anabranch.plan.logical.whole import whole_of
from anabranch.plan.physical.cost import has_loop, prospect_of
from anabranch.plan.physical.ends import NOT_PLAIN, Form, reading, unless, writing
from anabranch.plan.physical.plan import Execution, StageTier
from anabranch.plan.physical.tiers import unwanted
from anabranch.plan.tuning import Knobs, costs


@dataclass(frozen=True)
class OneLoop:
    """A line of operators from a file to a file, as one loop; `why` there is no kernel, where an
    engine has them. `lasting` is what no kernel can be made of."""

    source: Operator
    sink: Operator
    loop: Loop
    why: Reason | None = None
    lasting: bool = False

    @property
    def operators(self) -> tuple[str, ...]:
        return tuple(op.name for op in self.loop.operators)


def one_loop(plan: Plan) -> OneLoop:
    """The loop of a plan whose ends are bound; `NoLoop` when there is none."""
    graph = plan.program
    source, *inner, sink = _line(graph)
    _check_source(graph, source)
    _check_sink(graph, sink)
    for op in inner:
        known = plan.known_of(op.name)
        if known is None or known.state.value.kind is StateKind.UNKNOWN:
            raise NoLoop(f"{op.name} may do more than compute", op.span)
    [given], [made] = graph.output_types(source), graph.input_types(sink)
    return OneLoop(source, sink, loop_of(inner, given, made))


def faster_loop(plan: Plan, knobs: Knobs, limit: int | None, in_rows: Callable[[], Reason | None]
                ) -> OneLoop:
    """The same for the multicore engine, where no other way is faster, and nothing is said of its
    ways: for so few rows that kernels do not pay, or where some stage would be `in_rows`."""
    if knobs != Knobs(knobs.workers):
        raise NoLoop("it is told how to run")
    graph = plan.program
    if any(op.annotations for op in graph if not (op.is_source or op.is_sink)):
        raise NoLoop("it is told what to do in parallel")
    found = one_loop(plan)
    few = unwanted(graph, knobs.kernels, prospect_of(graph, limit, costs().loop_row))
    if few is not None and any(map(has_loop, graph)):
        raise NoLoop("its functions have loops, which workers or kernels are faster at")
    if few is not None:
        return replace(found, why=few)
    why = in_rows()
    if why is None:
        raise NoLoop("kernels are faster")
    return replace(found, why=why, lasting=True)


def _line(graph: Graph) -> Iterator[Operator]:
    """The operators, if they are one line."""
    operators = list(graph)
    if whole_of(graph) is not None or len(operators) < 3 or not (
            operators[0].is_source and operators[-1].is_sink) or any(
            op.is_source or op.is_sink for op in operators[1:-1]):
        raise NoLoop("it is no line from one source to one sink")
    for before, op in pairwise(operators):
        if op.inputs != before.outputs or len(op.inputs) != 1:
            raise NoLoop(f"{op.name} is not the only one behind {before.name}", op.span)
    return iter(operators)


def _check_source(graph: Graph, op: Operator) -> None:
    spec = op.kind.spec
    if not isinstance(spec, FileSource) or is_remote(spec.path) or not spec.replayable:
        raise NoLoop(f"{op.name} cannot be read a second time", op.span)
    if not has_columns(graph.output_types(op)[0]):
        raise NoLoop(f"{op.name} has more than single values in it", op.span)


def _check_sink(graph: Graph, op: Operator) -> None:
    spec = op.kind.spec
    in_columns = writing(graph)[op.name] is not Form.ROWS
    if not isinstance(spec, FileSink) or is_remote(spec.path) or not in_columns:
        raise NoLoop(f"{op.name} is no file of this machine that is written in columns", op.span)
    path = os.path.realpath(spec.path)
    if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode) and not spec.in_parts:
        raise NoLoop(f"{op.name} is written at once: nothing could be taken back", op.span)


NO_COLUMN = "where a value fits into no column"


def loop_execution(engine: str, found: OneLoop, workers: int | None = None) -> Execution:
    """The same in the words of `explain` and `--stats`."""
    work = f"in this process; anew row by row {NO_COLUMN}" if workers is None else (
        f"in this process; {workers} workers begin anew where that takes long, or {NO_COLUMN}")
    return Execution(engine, "loop", (
        StageTier(found.operators, "loop", found.why, work=work),),
                     reads={found.source.name: unless(reading(found.source), NOT_PLAIN)},
                     writes={found.sink.name: Form.COLUMNS.value},
                     unordered=frozenset([] if found.sink.kind.ordered else [found.sink.name]))
