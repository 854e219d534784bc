"""An operator on its own: fresh state, the tuples of your choice, what it gives for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from anabranch.check.observe import Firing, Log, copied
from anabranch.engine.alike import alike
from anabranch.engine.failure import guarded, shortened
from anabranch.errors import AnabranchError
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Cell, Output


@dataclass(frozen=True)
class Raised:
    """In the place of outputs: the operator failed."""

    what: str

    def __repr__(self) -> str:
        return f"a failure ({self.what})"


@dataclass(frozen=True)
class Subject:
    """An operator with what it was seen doing; `apart` repeats firings in another process."""

    graph: Graph
    op: Operator
    log: Log
    apart: Callable[[str, list[list[Firing]]], list | None] = lambda name, groups: None

    def fresh(self) -> Instance:
        return Instance(self)


class Instance:
    """A copy of an operator whose variables have their initial values."""

    def __init__(self, subject: Subject):
        self.op = subject.op
        initial = {v.name: v.initial for v in subject.graph.variables}
        self.cells = [Cell(initial[v]()) for v in self.op.variables]
        self.fire = self.op.kind.open(self.cells)

    def fired(self, firing: Firing, restored: bool = False) -> tuple[Output, ...]:
        """Its outputs for a tuple. What the operator only reads of others' variables is as it was
        then; what it also writes is what it has written here, or as it was then if `restored`."""
        for name, cell in zip(self.op.variables, self.cells, strict=True):
            if name in firing.seen and (restored or name not in self.op.writes):
                cell.value = copied(firing.seen[name])
        return self._outputs(self.fire, firing.port, firing.item)

    def all_fired(self, firings: Iterable[Firing]) -> list[tuple[Output, ...]]:
        return [self.fired(firing) for firing in firings]

    def finished(self) -> tuple[Output, ...]:
        return self._outputs(self.op.kind.finish, self.cells)

    def _outputs(self, step, *arguments: object) -> tuple[Output, ...]:
        try:
            return tuple(guarded(self.op, step, *arguments))
        except AnabranchError as error:
            return ((0, Raised(error.what)),)


def same(left: object, right: object) -> bool:
    """Whether both are shown alike: a NaN does not equal itself, yet it is the same output."""
    return alike(left, right)


def shown(outputs: Iterable[Output]) -> str:
    """Outputs as a person reads them; ports only where there are several.

    >>> shown([(0, 1), (0, 2)]), shown([(0, 1), (1, 2)]), shown([])
    ('[1, 2]', '[1 on port 0, 2 on port 1]', 'nothing')
    """
    outputs = list(outputs)
    several = len({port for port, _ in outputs}) > 1
    words = [f"{item!r} on port {port}" if several else repr(item) for port, item in outputs]
    return shortened(f"[{', '.join(words)}]") if words else "nothing"
