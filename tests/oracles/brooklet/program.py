"""Brooklet programs, and how a graph becomes one.

In Brooklet each queue is written once and read once: a queue with several readers becomes one
queue for each. Sources are the program's input queues and sinks its output queues.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from anabranch.batch.failure import guarded
from anabranch.core.once import once
from anabranch.ir.graph import Graph, Operator, Variable
from anabranch.ir.operators import Cell

Lists = list[list[object]]


@dataclass(frozen=True)
class Clause:
    """`(outputs, variables) <- operator(inputs, variables)`, a pure function of what it is given.

    `outputs` has, for each port of the operator, the queues that carry its items.
    """

    operator: Operator
    inputs: tuple[str, ...]
    outputs: tuple[tuple[str, ...], ...]

    @property
    def variables(self) -> tuple[str, ...]:
        return self.operator.variables

    def fire(self, item: object, port: int, values: list[object]) -> tuple[Lists, list[object]]:
        """One firing: a list of items for each output port, and the new values of the variables.

        The values are the firing's own; whoever needs the old ones passes copies.
        """
        cells = [Cell(value) for value in values]
        fire = self.operator.kind.open(cells)
        return self._result(guarded(self.operator, fire, port, item), cells)

    def finish(self, values: list[object]) -> tuple[Lists, list[object]]:
        """What the operator still emits when the input has ended."""
        cells = [Cell(value) for value in values]
        return self._result(guarded(self.operator, self.operator.kind.finish, cells), cells)

    def _result(self, emitted: Iterable[tuple[int, object]],
                cells: list[Cell]) -> tuple[Lists, list[object]]:
        lists: Lists = [[] for _ in self.outputs]
        for port, item in emitted:
            lists[port].append(item)
        return lists, [cell.value for cell in cells]


@dataclass(frozen=True)
class Program:
    """Clauses in the graph's order; inputs and outputs by the names of sources and sinks."""

    clauses: tuple[Clause, ...]
    inputs: dict[str, tuple[str, ...]]
    outputs: dict[str, str]
    variables: tuple[Variable, ...]

    @once
    def readers(self) -> dict[str, tuple[Clause, int]]:
        """The clause that a queue fires, and the port it is there."""
        return {q: (clause, port) for clause in self.clauses
                for port, q in enumerate(clause.inputs)}

    @once
    def queues(self) -> tuple[str, ...]:
        written = [*self.inputs.values(), *(qs for c in self.clauses for qs in c.outputs)]
        return tuple(q for queues in written for q in queues)


def lower(graph: Graph) -> Program:
    """The Brooklet program of a graph.

    >>> from anabranch.ir.text import parse
    >>> program = lower(parse("input a; (b) <- F(a); output b; output a as all;", {"F": print}))
    >>> program.inputs, program.outputs
    ({'a': ('a@1', 'a@2')}, {'b': 'b', 'all': 'a@2'})
    """
    inner = [op for op in graph if not (op.is_source or op.is_sink)]
    clauses = [Clause(op, tuple(_read_by(graph, op, port) for port in range(len(op.inputs))),
                      tuple(_copies(graph, q) for q in op.outputs)) for op in inner]
    return Program(tuple(clauses), {op.name: _copies(graph, op.outputs[0]) for op in graph.sources},
                   {op.name: _read_by(graph, op, 0) for op in graph.sinks}, graph.variables)


def _copies(graph: Graph, queue: str) -> tuple[str, ...]:
    """The queues that a queue becomes: itself if it has one reader, else a numbered one for each.

    One that nothing reads stays, and keeps what is written to it.
    """
    count = len(graph.readers(queue))
    return (queue,) if count < 2 else tuple(f"{queue}@{i + 1}" for i in range(count))


def _read_by(graph: Graph, op: Operator, port: int) -> str:
    """The copy of its queue that an operator reads on a port."""
    queue = op.inputs[port]
    ports = [(r.name, p) for r in dict.fromkeys(graph.readers(queue))
             for p, q in enumerate(r.inputs) if q == queue]
    return _copies(graph, queue)[ports.index((op.name, port))]
