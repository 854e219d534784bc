"""Building graphs: unique names, private variables, operators in the order of the meaning."""

from __future__ import annotations

from collections.abc import Iterable

from anabranch.ir.graph import Annotation, Graph, Operator, Queue, Variable
from anabranch.ir.operators import Kind
from anabranch.ir.types import Type
from anabranch.source import Span


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
            annotations: Iterable[Annotation] = (), span: Span | None = None,
            queues: Iterable[str] = ()) -> tuple[str, ...]:
        """Adds an operator with an output queue for each type, and gives the queues' names."""
        name = self.unique(name)
        types = list(outputs)
        queues = tuple(queues) or self._queue_names(name, len(types))
        self.queues.extend(Queue(q, t) for q, t in zip(queues, types, strict=True))
        own = (f"${name}",) if kind.stateful else ()
        self.variables.extend(Variable(v, kind.start) for v in own)
        self.operators.append(Operator(name, kind, tuple(inputs), queues, own, own,
                                       tuple(annotations), span))
        return queues

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
    def _queue_names(name: str, count: int) -> tuple[str, ...]:
        return (name,) if count == 1 else tuple(f"{name}.{i}" for i in range(count))


