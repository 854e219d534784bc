"""From the operators of a program to the graph, each in its turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from anabranch.core.errors import ProgramError
from anabranch.ir.graph import Graph
from anabranch.ir.operators import Sink, Union
from anabranch.ir.types import STR
from anabranch.lang.spl import syntax
from anabranch.lang.spl.building import Build, Model
from anabranch.lang.spl.composites import Expansion, Instance
from anabranch.lang.spl.formats import SplOutput
from anabranch.lang.spl.linking import linked, with_logic
from anabranch.lang.spl.placement import annotations_of, check_apart, with_channels
from anabranch.lang.spl.toolkit import toolkit_of


def graph_of(program: syntax.Program, parameters: Mapping[str, str], folders: Sequence[Path],
             own: syntax.Program) -> Graph:
    """The graph of a program, which finds the toolkits that it uses in these folders. Its main
    composite is among its `own`, and not in another file."""
    toolkit = toolkit_of(program, folders)
    expansion = Expansion(program, toolkit, parameters)
    expanded = linked(expansion.expand_main(own))
    for op in expanded:
        toolkit[op.operator].check(op)
    found = in_order(with_logic(expanded, toolkit))
    check_apart(found)
    placements = {op.name: annotations_of(op) for op in found}
    build = Build(expansion.functions, marked_streams(found, toolkit), dict(parameters), placements)
    build.blind = {op.name for op in found if not toolkit[op.operator].takes_marks}
    for op in found:
        toolkit[op.operator].lower(op, build)
        _follow_times(op, build)
        if toolkit[op.operator].marks_end or (toolkit[op.operator].forwards_marks and any(
                build.ends_marked(port) for port in op.inputs)):
            build.sources |= {o.stream for o in op.outputs}
    _print(build, found)
    if all(op.outputs for op in build.builder.operators):
        raise ProgramError("the program writes nothing", program.span,
                           help="end a stream with a FileSink, or print it in a Custom")
    return with_channels(_without_unread(build.builder.graph()))


def _without_unread(graph: Graph) -> Graph:
    """The graph without the streams that nobody reads, which a program may have."""
    kept: set[str] = set()
    waiting = [op for op in graph if not op.outputs]
    while waiting:
        op = waiting.pop()
        if op.name not in kept:
            kept.add(op.name)
            waiting += graph.predecessors(op)
    return graph.with_operators(op for op in graph if op.name in kept)


def _follow_times(op: Instance, build: Build) -> None:
    """An attribute with the time of a source is so behind an operator that has it too."""
    known = {build.event_times.get(s) for port in op.inputs for s in port.streams}
    if len(known) == 1 and None not in known:
        [(attribute, units)] = known
        for output in op.outputs:
            if attribute in output.type.attributes:
                build.event_times[output.stream] = attribute, units


def _print(build: Build, found: list[Instance]) -> None:
    """One sink for all that is printed, in the order in which it is."""
    if not build.printed:
        return
    queues, span = build.printed, found[0].span
    if len(queues) > 1:
        queues = [build.add("printed", Union(len(queues)), queues, STR, span)]
    build.builder.place(build.builder.unique("stdout"), Sink(SplOutput(None, span, build.printing)),
                        queues, (), (), (), span)


def in_order(found: Iterable[Instance]) -> list[Instance]:
    """Writers before readers, else as they stand in the text; a loop goes back to where its text
    begins."""
    found = list(found)
    writers = {o.stream: op for op in found for o in op.outputs}
    placed: list[Instance] = []
    seen: set[str] = set()

    def visit(op: Instance) -> None:
        waiting = [(op, iter(_before(op, writers)))]
        seen.add(op.name)
        while waiting:
            current, rest = waiting[-1]
            step = next(rest, None)
            if step is None:
                placed.append(current)
                waiting.pop()
            elif step.name not in seen:
                seen.add(step.name)
                waiting.append((step, iter(_before(step, writers))))
    for op in found:
        if op.name not in seen:
            visit(op)
    return placed


def _before(op: Instance, writers: Mapping[str, Instance]) -> list[Instance]:
    return [writers[s] for port in op.inputs for s in port.streams]


def marked_streams(found: list[Instance], toolkit: Mapping[str, Model]) -> frozenset[str]:
    """The streams that have window markers which a reader looks at."""
    made, wanted = set(), set()
    for op in found:
        if _makes(op, toolkit):
            made |= {o.stream for o in op.outputs}
        if _uses(op):
            wanted |= {s for port in op.inputs for s in port.streams}
    changed = True
    while changed:
        before = len(made) + len(wanted)
        for op in found:
            if toolkit[op.operator].forwards_marks:
                given = {s for port in op.inputs for s in port.streams}
                outputs = {o.stream for o in op.outputs}
                made |= outputs if given & made else set()
                wanted |= given if outputs & wanted else set()
        changed = before != len(made) + len(wanted)
    return frozenset(made & wanted)


def _makes(op: Instance, toolkit: Mapping[str, Model]) -> bool:
    if op.operator == "Custom":
        return any(isinstance(n, syntax.Attribute) and n.name.text == "WindowMarker"
                   for handler in op.node.handlers for n in syntax.walk(handler))
    return toolkit[op.operator].makes_marks


def _uses(op: Instance) -> bool:
    return op.node.handler("onPunct") is not None or any(
        w.part("punct") for w in op.node.windows)
