"""The two ends of a run: sources and sinks bound to files, sinks opened together."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType

from anabranch.core.errors import UsageError, did_you_mean
from anabranch.io.binding import bind_sink, bind_source
from anabranch.io.files.sinks import FileSink
from anabranch.io.lateness import InTime, plain
from anabranch.io.rows import BadRows
from anabranch.io.stdio import StdinSource
from anabranch.io.writer import Writer
from anabranch.ir.ends import SinkSpec
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Fused, Sink, Source
from anabranch.ir.windows import AggregateWindow, WatermarkWindow
from anabranch.plan.logical.plan import Plan
from anabranch.plan.logical.whole import whole_of
from anabranch.runtime.ends.emitting import Emitter
from anabranch.runtime.ends.reading import Reading
from anabranch.runtime.options import RunOptions


def bound_graph(plan: Plan, options: RunOptions) -> Plan:
    """The plan with its sources and sinks at the paths the user gave; every end must have one."""
    return plan.with_graphs(lambda graph: _bound(graph, options))


def with_ends(graph: Graph, inputs: Mapping[str, str], outputs: Mapping[str, str]) -> Graph:
    """The graph with those sources and sinks at their paths that the user gave one. What is proved
    of a source depends on where it reads, so this comes before."""
    whole = whole_of(graph)
    sources, sinks = [op.name for op in graph.sources], [op.name for op in graph.sinks]
    inputs = _by_name("source", inputs, [*sources, *(() if whole is None else whole.unread)])
    outputs = _by_name("sink", outputs, sinks)
    paths = {op.name: inputs.get(_read_with(graph, op)) if op.is_source else outputs.get(op.name)
             for op in (*graph.sources, *graph.sinks)}
    return graph.with_operators(
        op if paths.get(op.name) is None else _at(graph, op, paths[op.name]) for op in graph)


def _at(graph: Graph, op: Operator, path: str) -> Operator:
    """A source or sink at a path."""
    spec = bind_sink(op.kind.spec, path) if op.is_sink else bind_source(
        op.kind.spec, path, graph.output_types(op)[0], op.kind.time)
    return replace(op, kind=replace(op.kind, spec=spec))


def _bound(graph: Graph, options: RunOptions) -> Graph:
    if options.single_file and options.part_files:
        raise UsageError("a sink is either a single file or several part files",
                         got="both were asked for")
    placed = with_ends(graph, options.inputs, options.outputs)
    return placed.with_operators(_bound_operator(op, options) for op in placed)


def _in_parts(spec: SinkSpec) -> SinkSpec:
    """A file as a folder of part files; what is no file as it is."""
    return replace(spec, path=os.path.join(spec.path, "")) if isinstance(spec, FileSink) else spec


def _by_name(what: str, given: dict[str, str], names: list[str]) -> dict[str, str]:
    """The paths under the names of the program; case matters only where it tells two apart."""
    found: dict[str, str] = {}
    for name, path in given.items():
        alike = [name] if name in names else [n for n in names if n.lower() == name.lower()]
        if len(alike) != 1:
            raise UsageError(f"no {what} is called '{name}'", help=did_you_mean(name, names))
        if alike[0] in found:
            raise UsageError(f"the {what} '{alike[0]}' is given twice")
        found[alike[0]] = path
    return found


def _bound_operator(op: Operator, options: RunOptions) -> Operator:
    """An operator as a run needs it, whose end has a place."""
    if not isinstance(op.kind, (Source, Sink)):
        return op if options.on_error == "stop" else _tolerant(op)
    spec = op.kind.spec
    if op.is_source:
        if spec is None:
            raise UsageError(f"the source '{op.name}' has no data", op.span,
                             help=f"give --input {op.name}=PATH")
        # The engines count items; a source whose items are many records counts them itself.
        spec = spec if options.limit is None else spec.limited(options.limit)
    else:
        # A sink that names no place writes to standard output, like any program.
        spec = bind_sink(None, "-") if spec is None else spec
        spec = _in_parts(spec) if options.part_files else spec
    return replace(op, kind=replace(op.kind, spec=spec))


def _read_with(graph: Graph, op: Operator) -> str:
    """The source whose path a source has: late rows are in the files of those that are in time."""
    spec = op.kind.spec
    if isinstance(spec, InTime) and spec.late and op.name != spec.name:
        return next((other.name for other in graph.sources if other.name != op.name and isinstance(
            other.kind.spec, InTime) and other.kind.spec.of is spec.of), op.name)
    return op.name


def _tolerant(op: Operator) -> Operator:
    """The same operator, for a run that goes on behind a late item."""
    if isinstance(op.kind, Fused):
        return replace(op, kind=replace(op.kind, parts=tuple(map(_tolerant, op.kind.parts))))
    if isinstance(op.kind, WatermarkWindow):
        return replace(op, kind=replace(op.kind, of=replace(op.kind.of, tolerant=True)))
    return replace(op, kind=replace(op.kind, tolerant=True)) if (
        isinstance(op.kind, AggregateWindow)) else op


def check_sources(graph: Graph) -> None:
    """Finds out that an input cannot be read before any sink has been opened."""
    for op in graph.sources:
        op.kind.spec.files()
    check_standard_input(graph)


def check_standard_input(graph: Graph) -> None:
    """Two sources would take the lines away from each other."""
    reading = [op for op in graph.sources if isinstance(plain(op.kind.spec), StdinSource)]
    if len(reading) > 1:
        raise UsageError("two sources read standard input: "
                         f"{reading[0].name} and {reading[1].name}", reading[1].span,
                         help=f"give --input {reading[1].name}=PATH")


def counted_items(graph: Graph, rows: BadRows, read: dict[str, int],
                  progress: Callable[[dict[str, int]], None] | None) -> dict[str, Reading]:
    """The items of every source; `read` says how many of each have been taken."""
    return {op.name: Reading(op, rows, read, progress) for op in graph.sources}


@contextmanager
def opened_sinks(graph: Graph, written: dict[str, int], others: Container[str] = (),
                 threads: int = 1, enough: Mapping[str, int] = MappingProxyType({})
                 ) -> Iterator[Emitter]:
    """Gives `emit(sink, item)`. All sinks are committed when the block ends well, none if not.

    The sinks called `others` are written by someone else. Those that can encode with several
    threads have so many. What is `enough` for each ends the run, where the engine can end it.
    """
    sinks = [op for op in graph.sinks if op.name not in others]
    writers: dict[str, Writer] = {}
    try:
        for op in sinks:
            writer = writers[op.name] = op.kind.spec.open(graph.input_types(op)[0])
            if isinstance(writer, Writer) and writer.in_threads:
                writer.threads = threads
        yield Emitter(graph, writers, written, enough)
        for op in sinks:
            writers.pop(op.name).commit()
    finally:
        # What is still here was not committed: the run failed, or a commit before it did.
        for writer in writers.values():
            writer.abort()
