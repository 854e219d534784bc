"""Several operators as one: what each part emits is given to the next by a direct call."""

from __future__ import annotations

from dataclasses import dataclass, field

from anabranch.ir.operators import Cell, Fire, Kind, Output


@dataclass(frozen=True)
class Fused(Kind):
    """A straight line of operators `parts`; its cells are those of its parts, one after another.

    `known` is what the analysis knew of the parts together when they were fused.

    >>> from anabranch.ir.function import Function
    >>> from anabranch.ir.graph import Operator
    >>> from anabranch.ir.operators import Filter, Map
    >>> double = Operator("double", Map(Function.of(lambda n: n * 2)), ("a",), ("b",))
    >>> small = Operator("small", Filter(Function.of(lambda n: n < 5)), ("b",), ("c",))
    >>> fire = Fused((double, small)).open([])
    >>> [list(fire(0, n)) for n in (1, 2, 3)]
    [[(0, 2)], [(0, 4)], []]
    """

    label = "fused"
    parts: tuple
    known: object = field(default=None, compare=False)

    @property
    def stateful(self):
        return any(part.variables for part in self.parts)

    @property
    def functions(self):
        return tuple(f for part in self.parts for f in part.kind.functions)

    def open(self, cells):
        fires = [part.kind.open(own) for part, own in self._with_cells(cells)]
        return lambda port, item: _through(fires, [(port, item)])

    def finish(self, cells):
        """Each part in turn; what it emits still passes the parts behind it."""
        owned = self._with_cells(cells)
        fires = [part.kind.open(own) for part, own in owned]
        for index, (part, own) in enumerate(owned):
            yield from _through(fires[index + 1:], part.kind.finish(own))

    def _with_cells(self, cells: list[Cell]) -> list:
        owned, start = [], 0
        for part in self.parts:
            owned.append((part, cells[start:start + len(part.variables)]))
            start += len(part.variables)
        return owned


def _through(fires: list[Fire], outputs) -> list[Output]:
    for fire in fires:
        outputs = [out for _, item in outputs for out in fire(0, item)]
    return list(outputs)
