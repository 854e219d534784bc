"""The text of a loop: all firings that follow from one source tuple, in their order.

Every operator, in the graph's order, takes all that came to its first port, then to the next. A
queue that holds exactly one item for each source tuple is a variable, any other one is a list.

>>> from anabranch.ir.function import Function
>>> from anabranch.ir.graph import Graph, Queue
>>> from anabranch.ir.operators import Filter, Map, Sink, Source
>>> f = Function.of(abs)
>>> line = Graph((Operator("s", Source(), (), ("a",)), Operator("f", Filter(f), ("a",), ("b",)),
...               Operator("m", Map(f), ("b",), ("c",)), Operator("o", Sink(), ("c",))),
...              (Queue("a"), Queue("b"), Queue("c")))
>>> print(loop_text(line, line["s"]).text)
def loop(items):
    for q0 in items:
        if not call1(q0):
            continue
        q2 = call2(q0)
        emit3(q2)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Apply, Filter, FlatMap, Map, Sink


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
    return [f"{out}.extend(call{n}({item}))"]


def _apply(n: int, op: Operator, item: str, out: str) -> list[str]:
    if not op.kind.stateful:
        return _flat_map(n, op, item, out)
    return [f"key = {f'key{n}({item})' if op.kind.by else None}",
            f"state = states{n}.get(key)",
            "if state is None:",
            f"    state = state_of(states{n}, key, new{n})",
            f"{out}.extend(call{n}(state, {item}))"]


def _sink(n: int, op: Operator, item: str) -> list[str]:
    return [f"emit{n}({item})"]


_BY_KIND: dict[type, Callable[..., list[str]]] = {
    Map: _map, Filter: _filter, FlatMap: _flat_map, Apply: _apply, Sink: _sink}
