"""The frozen graph: operators joined by queues, state in named variables.

The order of `Graph.operators` is part of the meaning: a tuple is served by the first operator in
this order that has input. A queue whose reader does not stand after its writer is a feedback
queue: it closes a loop. A `Builder` collects operators in this order, and makes names unique.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from anabranch.core.errors import ProgramError, did_you_mean
from anabranch.core.once import once
from anabranch.core.source import Span
from anabranch.ir.operators import Kind, Sink, Source
from anabranch.ir.types import ANY, Type


@dataclass(frozen=True)
class Annotation:
    """A policy or a declared property: `@Keys(uid, server)`; `written` is how the user's language
    says it, where that is another way."""

    name: str
    arguments: tuple[object, ...] = ()
    written: str = field(default="", compare=False)

    @property
    def told(self) -> str:
        return self.written or str(self)

    def __str__(self) -> str:
        return f"@{self.name}({', '.join(map(str, self.arguments))})"


@dataclass(frozen=True)
class Queue:
    """A first-in first-out stream of items: one writer, any number of readers that each see all."""

    name: str
    type: Type = ANY


@dataclass(frozen=True)
class Variable:
    """State that outlives a firing; `initial` makes its first value."""

    name: str
    initial: object = field(default=None, compare=False)


@dataclass(frozen=True)
class Operator:
    """`(outputs, writes) <- kind(inputs, reads)`, at the user's own line."""

    name: str
    kind: Kind
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    span: Span | None = field(default=None, compare=False)

    def annotation(self, name: str) -> Annotation | None:
        return next((a for a in self.annotations if a.name == name), None)

    @property
    def variables(self) -> tuple[str, ...]:
        """Every variable it touches, once, those it reads first: the order its kind binds them."""
        return tuple(dict.fromkeys(self.reads + self.writes))

    @property
    def is_source(self) -> bool:
        return isinstance(self.kind, Source)

    @property
    def is_sink(self) -> bool:
        return isinstance(self.kind, Sink)


@dataclass(frozen=True)
class Graph:
    """A whole program. Rewrites return new graphs; nothing is changed in place."""

    operators: tuple[Operator, ...]
    queues: tuple[Queue, ...]
    variables: tuple[Variable, ...] = ()

    def __iter__(self) -> Iterator[Operator]:
        return iter(self.operators)

    def __getitem__(self, name: str) -> Operator:
        if name not in self._by_name:
            raise ProgramError(f"no operator is called '{name}'",
                               help=did_you_mean(name, self._by_name))
        return self._by_name[name]

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def queue(self, name: str) -> Queue:
        return self._queues[name]

    def position(self, op: Operator | str) -> int:
        return self._positions[op if isinstance(op, str) else op.name]

    def writer(self, queue: str) -> Operator:
        return self._writers[queue]

    def readers(self, queue: str) -> tuple[Operator, ...]:
        """The operators that read a queue, in order; one that reads it twice stands twice."""
        return self._readers.get(queue, ())

    def predecessors(self, op: Operator) -> list[Operator]:
        return [self._writers[q] for q in op.inputs]

    def successors(self, op: Operator) -> list[Operator]:
        return [reader for q in op.outputs for reader in self.readers(q)]

    def input_types(self, op: Operator) -> list[Type]:
        return [self.queue(q).type for q in op.inputs]

    def output_types(self, op: Operator) -> list[Type]:
        return [self.queue(q).type for q in op.outputs]

    @property
    def sources(self) -> list[Operator]:
        return [op for op in self if op.is_source]

    @property
    def sinks(self) -> list[Operator]:
        return [op for op in self if op.is_sink]

    def is_feedback(self, queue: str) -> bool:
        """Whether some reader stands at or before the writer: the queue closes a loop."""
        writer = self.position(self.writer(queue))
        return any(self.position(r) <= writer for r in self.readers(queue))

    @once
    def looping(self) -> frozenset[str]:
        """The names of the operators that lie on a cycle."""
        backs = [q.name for q in self.queues if self.is_feedback(q.name)]
        looping: set[str] = set()
        for queue in backs:
            ends = [r for r in self.readers(queue)
                    if self.position(r) <= self.position(self.writer(queue))]
            after = self._reached(ends, self.successors)
            before = self._reached([self.writer(queue)], self.predecessors)
            looping |= after & before
        return frozenset(looping)

    def sharing(self, variable: str) -> list[Operator]:
        """The operators that touch a variable."""
        return [op for op in self if variable in op.variables]

    def with_operators(self, operators: Iterable[Operator], queues: Iterable[Queue] = (),
                       variables: Iterable[Variable] = ()) -> Graph:
        """This graph with other operators; queues and variables no longer used are dropped."""
        operators = tuple(operators)
        used = {q for op in operators for q in op.inputs + op.outputs}
        touched = {v for op in operators for v in op.variables}
        known = {q.name: q for q in (*self.queues, *queues)}
        stored = {v.name: v for v in (*self.variables, *variables)}
        return Graph(operators, tuple(q for q in known.values() if q.name in used),
                     tuple(v for v in stored.values() if v.name in touched))

    def _reached(self, start: list[Operator], step) -> set[str]:
        seen, waiting = set(), list(start)
        while waiting:
            op = waiting.pop()
            if op.name not in seen:
                seen.add(op.name)
                waiting.extend(step(op))
        return seen

    @once
    def _by_name(self) -> dict[str, Operator]:
        return {op.name: op for op in self.operators}

    @once
    def _positions(self) -> dict[str, int]:
        return {op.name: i for i, op in enumerate(self.operators)}

    @once
    def _queues(self) -> dict[str, Queue]:
        return {q.name: q for q in self.queues}

    @once
    def _writers(self) -> dict[str, Operator]:
        return {q: op for op in self.operators for q in op.outputs}

    @once
    def _readers(self) -> dict[str, tuple[Operator, ...]]:
        readers: dict[str, tuple[Operator, ...]] = {}
        for op in self.operators:
            for q in op.inputs:
                readers[q] = (*readers.get(q, ()), op)
        return readers


class Builder:
    """Collects operators; `graph()` freezes them.

    >>> from anabranch.ir.operators import Source, Sink
    >>> from anabranch.ir.types import ANY
    >>> b = Builder()
    >>> [numbers] = b.add("numbers", Source(), (), [ANY])
    >>> b.add("out", Sink(), [numbers])
    ()
    >>> [op.name for op in b.graph()]
    ['numbers', 'out']
    """

    def __init__(self):
        self.operators: list[Operator] = []
        self.queues: list[Queue] = []
        self.variables: list[Variable] = []
        self._names: set[str] = set()

    def add(self, name: str, kind: Kind, inputs: Iterable[str] = (), outputs: Iterable[Type] = (),
            annotations: Iterable[Annotation] = (), span: Span | None = None) -> tuple[str, ...]:
        """Adds an operator with an output queue for each type, and gives the queues' names."""
        name, types = self.unique(name), tuple(outputs)
        queues = self.queue_names(name, len(types))
        self.place(name, kind, inputs, queues, types, annotations, span)
        return queues

    def place(self, name: str, kind: Kind, inputs: Iterable[str], queues: Iterable[str],
              types: Iterable[Type], annotations: Iterable[Annotation] = (),
              span: Span | None = None) -> None:
        """Adds an operator whose name and queues were chosen before, as a loop needs it."""
        queues = tuple(queues)
        self.queues.extend(Queue(q, t) for q, t in zip(queues, types, strict=True))
        own = (f"${name}",) if kind.stateful else ()
        self.variables.extend(Variable(v, kind.start) for v in own)
        self.operators.append(Operator(name, kind, tuple(inputs), queues, own, own,
                                       tuple(annotations), span))

    def unique(self, name: str) -> str:
        """The name itself the first time, then with a number."""
        fresh, count = name, 1
        while fresh in self._names:
            count += 1
            fresh = f"{name}_{count}"
        self._names.add(fresh)
        return fresh

    def graph(self) -> Graph:
        return Graph(tuple(self.operators), tuple(self.queues), tuple(self.variables))

    @staticmethod
    def queue_names(name: str, count: int) -> tuple[str, ...]:
        """The queues of an operator: its own name, or one numbered name for each port."""
        return (name,) if count == 1 else tuple(f"{name}.{i}" for i in range(count))
