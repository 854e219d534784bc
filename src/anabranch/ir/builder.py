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


