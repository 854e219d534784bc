"""What a program is made of while it is written, and how it becomes a graph.

Nodes know their inputs and their readers, so a stream finds every sink that is connected to it.
The order in which nodes were made is the order of the graph's operators.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace

from anabranch.core.errors import ProgramError
from anabranch.core.source import Span, cell_run, is_interactive
from anabranch.ir.graph import Annotation, Builder, Graph
from anabranch.ir.operators import Kind, Sink, Source
from anabranch.ir.types import Type

_serial = itertools.count()
_loading: ContextVar[list[Node] | None] = ContextVar("loading", default=None)


class Node:
    """An operator to be: a kind with its inputs, each the output port of another node."""

    def __init__(self, name: str, kind: Kind, inputs: Iterable[tuple[Node, int]],
                 types: Iterable[Type], span: Span, annotations: Iterable[Annotation] = ()):
        self.name, self.kind, self.span = name, kind, span
        self.types, self.annotations = tuple(types), tuple(annotations)
        self.serial = next(_serial)
        self.run = cell_run() if is_interactive(span.file) else None
        self.inputs: list[tuple[Node, int]] = []
        self.readers: list[Node] = []
        self.partner: Node | None = None
        """Of a source with a lateness, the one of its late rows, and the other way round."""
        for node, port in inputs:
            self.connect(node, port)
        if (loading := _loading.get()) is not None:
            loading.append(self)

    def connect(self, node: Node, port: int) -> None:
        """One more input; a loop connects its last one after its body has been built."""
        self.inputs.append((node, port))
        node.readers.append(self)

    def forget(self) -> None:
        """Takes this node off its inputs: it was only there for one run."""
        for node, _ in self.inputs:
            node.readers.remove(self)


def late_rows(node: Node, where: Span) -> Node:
    """The source of the late rows of a source: it reads once more what that one reads."""
    spec = node.kind.spec if isinstance(node.kind, Source) else None
    if spec is None or spec.lateness is None or spec.late:
        raise ProgramError("only a source with a lateness has late rows", where, got=node.name,
                           help='read_csv(..., time="at", lateness=5).late has them')
    if not spec.replayable:
        raise ProgramError(f"the late rows of '{node.name}' are not there any more when they are "
                           "asked for", where, expected="a source that can be read again",
                           got=str(spec), help="they are counted by --stats; read from a file or "
                                               "a DataFrame to have them")
    if node.partner is None:
        kind = replace(node.kind, spec=spec.late_rows(), time=None)
        node.partner = Node(f"{node.name}_late", kind, (), node.types, node.span)
        node.partner.partner = node
    return node.partner


def connected_sinks(node: Node) -> list[Node]:
    """Every sink of the program that this node belongs to."""
    reached = _reached([node], lambda n: [*(i for i, _ in n.inputs), *n.readers,
                                          *([n.partner] if n.partner else ())])
    return [n for n in reached if isinstance(n.kind, Sink)]


def leading_to(*sinks: Node) -> list[Node]:
    """The sinks and all operators before them, in the order in which they were made."""
    return _reached(sinks, lambda n: [i for i, _ in n.inputs])


def graph_of(sinks: Iterable[Node]) -> Graph:
    """The graph that leads to these sinks."""
    nodes = leading_to(*sinks)
    builder = Builder()
    # Sources and sinks are named by the user on the command line, so they choose their names first.
    ends = [n for n in nodes if not n.inputs or isinstance(n.kind, Sink)]
    names = {n: builder.unique(n.name) for n in (*ends, *(n for n in nodes if n not in set(ends)))}
    queues = {n: builder.queue_names(names[n], len(n.types)) for n in nodes}
    for node in nodes:
        inputs = [queues[i][port] for i, port in node.inputs]
        builder.place(names[node], node.kind, inputs, queues[node], node.types,
                      node.annotations, node.span)
    return builder.graph()


def _reached(start: Iterable[Node], step) -> list[Node]:
    seen: set[Node] = set()
    waiting = list(start)
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting.extend(step(node))
    return sorted(seen, key=lambda n: n.serial)


@contextmanager
def loading_program():
    """Collects the nodes that a program file makes; `run` and `explain` in it wait for the end."""
    nodes: list[Node] = []
    token = _loading.set(nodes)
    try:
        yield nodes
    finally:
        _loading.reset(token)


def is_loading() -> bool:
    return _loading.get() is not None
