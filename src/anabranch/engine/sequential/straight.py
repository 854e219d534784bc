"""Graphs without loops as one generated loop: what runs where it can."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from types import TracebackType

from anabranch.batch.failure import ReportLate, guarded, tolerating, user_failure
from anabranch.core.errors import AnabranchError
from anabranch.core.source import PACKAGE, raised_at
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.keys import state_of
from anabranch.ir.operators import Apply, Cell, Filter, FlatMap, Map, Sink, attributes_of
from anabranch.runtime.ends.emitting import Emitter


def is_straight(graph: Graph) -> bool:
    """Whether no queue leads back."""
    return not any(graph.is_feedback(queue.name) for queue in graph.queues)


@dataclass(frozen=True)
class LoopText:
    """A function `loop` and, for each of its lines, the operator whose code it calls, and the
    variable that then holds the item."""

    text: str
    firings: list[tuple[Operator, str] | None]


def loop_text(graph: Graph, source: Operator) -> LoopText:
    """What follows from each of a list of source tuples."""
    writer = _Writer(graph, source, in_loop=True)
    writer.line(0, "def loop(items):")
    writer.line(1, f"for {writer.variable(source.outputs[0], single=True)} in items:")
    return writer.written(indent=2)


def ending_text(graph: Graph, op: Operator) -> LoopText:
    """What follows from all that an operator has given at its end, a list for each output."""
    writer = _Writer(graph, op, in_loop=False)
    given = [writer.variable(queue, single=False) for queue in op.outputs]
    writer.line(0, f"def loop({', '.join(given)}):")
    return writer.written(indent=1)


@dataclass
class _Writer:
    """Writes the operators behind one that has given something, in the graph's order."""

    graph: Graph
    first: Operator
    in_loop: bool
    lines: list[str] = field(default_factory=list)
    firings: list[tuple[Operator, str] | None] = field(default_factory=lambda: [None])
    variables: dict[str, str] = field(default_factory=dict)
    single: set[str] = field(default_factory=set)

    def written(self, indent: int) -> LoopText:
        following = self._following()
        if not following:
            self.line(indent, "pass")
        for place, op in enumerate(following):
            self._operator(indent, op, following[place + 1:])
        return LoopText("\n".join(self.lines), self.firings)

    def line(self, indent: int, text: str, firing: tuple[Operator, str] | None = None) -> None:
        self.lines.append("    " * indent + text)
        self.firings.append(firing)

    def variable(self, queue: str, single: bool) -> str:
        """A new variable for what is in a queue: a `single` item or a list of some."""
        if single:
            self.single.add(queue)
        return self.variables.setdefault(queue, f"q{len(self.variables)}")

    def _following(self) -> list[Operator]:
        reached, found = set(self.first.outputs), []
        for op in self.graph.operators[self.graph.position(self.first) + 1:]:
            if reached & set(op.inputs):
                reached |= set(op.outputs)
                found.append(op)
        return found

    def _operator(self, indent: int, op: Operator, later: list[Operator]) -> None:
        came = [(port, queue) for port, queue in enumerate(op.inputs) if queue in self.variables]
        alone = len(came) == 1 and came[0][1] in self.single
        if alone and isinstance(op.kind, Filter) and self._all_depends_on(op, later):
            self._skip(indent, op, came[0][1])
        elif alone and isinstance(op.kind, Map):
            item, out = self.variables[came[0][1]], self.variable(op.outputs[0], single=True)
            self.line(indent, f"{out} = {self._call(op, item)}", (op, item))
        else:
            self._collect(indent, op, came)

    def _all_depends_on(self, op: Operator, later: list[Operator]) -> bool:
        """Whether nothing is left to do for a source tuple that ends here."""
        writers = {op.name, *(o.name for o in later)}
        return self.in_loop and all(
            self.graph.writer(queue).name in writers or queue not in self.variables
            for o in later for queue in o.inputs)

    def _skip(self, indent: int, op: Operator, queue: str) -> None:
        item = self.variables[queue]
        self.line(indent, f"if not {self._call(op, item)}:", (op, item))
        self.line(indent + 1, "continue")
        self.variables[op.outputs[0]] = item
        self.single.add(op.outputs[0])

    def _collect(self, indent: int, op: Operator, came: list[tuple[int, str]]) -> None:
        outputs = [self.variable(queue, single=False) for queue in op.outputs]
        for out in outputs:
            self.line(indent, f"{out} = []")
        for port, queue in came:
            item, inner = self.variables[queue], indent
            if queue not in self.single:
                self.line(indent, f"for i in {item}:")
                item, inner = "i", indent + 1
            for text in self._firing(op, port, item, outputs):
                self.line(inner, text, (op, item))

    def _firing(self, op: Operator, port: int, item: str, outputs: list[str]) -> list[str]:
        write = _BY_KIND.get(type(op.kind))
        if write is not None:
            return write(self.graph.position(op), op, item, *outputs)
        into = outputs[0] if len(outputs) == 1 else f"({', '.join(outputs)})[port]"
        return [f"for port, out in fire{self.graph.position(op)}({port}, {item}):",
                f"    {into}.append(out)"]

    def _call(self, op: Operator, item: str) -> str:
        return f"call{self.graph.position(op)}({item})"


def _map(n: int, op: Operator, item: str, out: str) -> list[str]:
    return [f"{out}.append(call{n}({item}))"]


def _filter(n: int, op: Operator, item: str, out: str) -> list[str]:
    return [f"if call{n}({item}):", f"    {out}.append({item})"]


def _flat_map(n: int, op: Operator, item: str, out: str) -> list[str]:
    return [_gone_through(out, f"call{n}({item})")]


def _apply(n: int, op: Operator, item: str, out: str) -> list[str]:
    if not op.kind.stateful:
        return _flat_map(n, op, item, out)
    return [f"key = {f'key{n}({item})' if op.kind.by else None}",
            f"state = states{n}.get(key)",
            "if state is None:",
            f"    state = state_of(states{n}, key, new{n})",
            _gone_through(out, f"call{n}(state, {item})")]


def _gone_through(out: str, given: str) -> str:
    """A loop takes items one by one; `extend` would ask an object of the user's how many it has."""
    return f"{out} += [each for each in {given}]"


def _sink(n: int, op: Operator, item: str) -> list[str]:
    return [f"emit{n}({item})"]


_BY_KIND: dict[type, Callable[..., list[str]]] = {
    Map: _map, Filter: _filter, FlatMap: _flat_map, Apply: _apply, Sink: _sink}


FILE = f"{PACKAGE}engine/sequential/loop"
"""The loops are ours: an error does not show their lines."""

Emit = Callable[[Operator, object], None]


class Straight:
    """Does what `sequential.Machine` does with a graph that has no cycles.

    Where nobody can see when a sink is given its items, it is given those of a list together.
    """

    def __init__(self, graph: Graph, emit: Emit, late: ReportLate = lambda row: None):
        self.graph, self.emit, self.late = graph, emit, late
        self.cells = {v.name: Cell(v.initial()) for v in graph.variables}
        self.later = self._sink_served_later()
        self.held: list[object] = []
        self.names: dict[str, object] = {"state_of": state_of}
        for op in graph:
            self._bind(op)
        self.loops = {op.name: _Loop(loop_text(graph, op), self.names) for op in graph.sources}

    def push(self, source: Operator, items: list) -> None:
        """Runs the graph for each of these source tuples in turn."""
        self._run(self.loops[source.name], items)

    def finish(self) -> None:
        for op in self.graph:
            if not (op.is_source or op.is_sink):
                self._end(op, guarded(op, op.kind.finish, self._cells(op)))

    def _end(self, op: Operator, outputs: Iterable[tuple[int, object]]) -> None:
        given: list[list] = [[] for _ in op.outputs]
        for port, item in outputs:
            given[port].append(item)
        if any(given):
            self._run(_Loop(ending_text(self.graph, op), self.names), *given)

    def _run(self, loop: _Loop, *given: list) -> None:
        try:
            loop(*given)
        finally:
            # Also before an error leaves: what was held came before it.
            self._serve_held()

    def _serve_held(self) -> None:
        if self.held:
            items = self.held[:]
            self.held.clear()
            guarded(self.later, lambda: self.emit.write_all(self.later, items) or ())

    def _sink_served_later(self) -> Operator | None:
        sinks = self.graph.sinks
        can_wait = isinstance(self.emit, Emitter) and len(sinks) == 1 and (
            self.emit.is_unseen(sinks[0]))
        return sinks[0] if can_wait else None

    def _bind(self, op: Operator) -> None:
        """Names what the loops call of an operator."""
        n, kind = self.graph.position(op), op.kind
        if op.is_sink:
            self.names[f"emit{n}"] = self.held.append if op is self.later else partial(
                self.emit, op)
        elif type(kind) in (Map, Filter, FlatMap, Apply):
            self.names[f"call{n}"] = kind.function.call
            if kind.stateful:
                self.names |= {f"states{n}": self._cells(op)[0].value, f"new{n}": kind.new_state,
                               f"key{n}": attributes_of(kind.by)}
        elif not op.is_source:
            self.names[f"fire{n}"] = tolerating(op, kind.open(self._cells(op)), self.late)

    def _cells(self, op: Operator) -> list[Cell]:
        return [self.cells[v] for v in op.variables]


class _Loop:
    """A loop that can be called. An error out of it names the operator that was called, and the
    item that it was given."""

    def __init__(self, text: LoopText, names: dict[str, object]):
        scope = dict(names)
        exec(compile(text.text, FILE, "exec"), scope)
        self.function, self.firings = scope["loop"], text.firings

    def __call__(self, *given: list) -> None:
        try:
            self.function(*given)
        except (Exception, SystemExit) as error:
            op, item = self._failing(error.__traceback__)
            if isinstance(error, AnabranchError):
                error.where = error.where or raised_at(error) or op.span
                raise
            raise user_failure(op, error, item) from error

    def _failing(self, trace: TracebackType) -> tuple[Operator, object]:
        while trace.tb_frame.f_code is not self.function.__code__:
            trace = trace.tb_next
        op, variable = self.firings[trace.tb_lineno]
        return op, trace.tb_frame.f_locals[variable]
