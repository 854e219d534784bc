"""A new graph while it is put together from replicas and joints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from anabranch.ir.graph import Annotation, Graph, Operator, Queue, Variable
from anabranch.ir.operators import Kind
from anabranch.ir.types import ANY, Type


class Assembly:
    """Collects operators; each queue and variable is declared where it is first used."""

    def __init__(self, types: Mapping[str, Type], initial: Mapping[str, Callable]):
        self.types, self.initial = types, dict(initial)
        self.operators: list[Operator] = []
        self.queues: dict[str, Queue] = {}
        self.variables: dict[str, Variable] = {}

    def graph(self) -> Graph:
        return Graph(tuple(self.operators), tuple(self.queues.values()),
                     tuple(self.variables.values()))

    def make(self, name: str, kind: Kind, inputs: Iterable[str], outputs: Iterable[str]) -> None:
        """Adds an operator with a variable of its own if its kind keeps state."""
        own = (f"${name}",) if kind.stateful else ()
        self.initial.update(dict.fromkeys(own, kind.start))
        self.place(Operator(name, kind, tuple(inputs), tuple(outputs), own, own))

    def place(self, op: Operator) -> None:
        self.operators.append(op)
        self.queues.update({q: Queue(q, self.types.get(q, ANY)) for q in op.outputs})
        self.variables.update({v: Variable(v, self.initial[v]) for v in op.variables})

    def declare(self, op: Operator) -> Operator:
        """The operator, whose variables that are not known yet start as empty maps."""
        for variable in op.variables:
            self.initial.setdefault(variable, dict)
        return op

    def replica(self, op: Operator, channel: int) -> Operator:
        """The operator in one channel, with queues and variables of its own."""
        for variable in op.variables:
            self.initial[at(variable, channel)] = self.initial[variable]
        group = op.annotation("Group")
        placed = Annotation("Group", (f"{group.arguments[0] if group else 'channel'}_{channel}",))
        return replace(op, name=at(op.name, channel), inputs=_all_at(op.inputs, channel),
                       outputs=_all_at(op.outputs, channel), reads=_all_at(op.reads, channel),
                       writes=_all_at(op.writes, channel),
                       annotations=(*(a for a in op.annotations if a is not group), placed))


def at(name: str, channel: int) -> str:
    """The name of something in one channel."""
    return f"{name}@{channel}"


def _all_at(names: tuple[str, ...], channel: int) -> tuple[str, ...]:
    return tuple(at(name, channel) for name in names)
