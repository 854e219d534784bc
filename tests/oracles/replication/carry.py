"""Replicas: an operator in a channel, whose outputs carry the stamp of what caused them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from anabranch.ir.graph import Operator
from anabranch.ir.operators import Cell, Fused, Keyed, Kind, key_function
from oracles.replication.stamps import Pulse, Stamped, final_stamp, finished


@dataclass(frozen=True)
class Carried(Kind):
    """`kind` on stamped items; pulses pass it by. `position` is its place in the whole program.

    What it emits at the end is stamped with its position; a keyed kind keeps, in a cell of its own
    behind the others, with which stamp each key came first.
    """

    label = "replica"
    kind: Kind
    position: tuple[int, ...]
    outputs: int

    @property
    def stateful(self):
        return self.kind.stateful

    @property
    def functions(self):
        return self.kind.functions

    @property
    def notes_keys(self) -> bool:
        return isinstance(self.kind, Keyed) and self.kind.stateful

    def open(self, cells):
        fire, note = self.kind.open(self._own(cells)), self._note(cells)

        def carry(_, message):
            if isinstance(message, Pulse):
                return [(port, message) for port in range(self.outputs)]
            note(message)
            return [(port, Stamped(message.stamp, item))
                    for port, item in fire(message.port, message.item)]
        return carry

    def finish(self, cells):
        yield from self._keyed_finish(cells) if self.notes_keys else (
            (port, Stamped(final_stamp(self.position), item))
            for port, item in self.kind.finish(cells))
        yield from ((port, finished(self.position)) for port in range(self.outputs))

    def _keyed_finish(self, cells: list[Cell]):
        """The last outputs key by key, each with the stamp of its key's first item."""
        states, first = cells[0].value, cells[-1].value
        for key, state in states.items():
            alone = [Cell({key: state}), *cells[1:-1]]
            for port, item in self.kind.finish(alone):
                yield port, Stamped(final_stamp(self.position, first[key]), item)

    def _own(self, cells: list[Cell]) -> list[Cell]:
        return cells[:-1] if self.notes_keys else cells

    def _note(self, cells: list[Cell]):
        if not self.notes_keys:
            return lambda message: None
        first = cells[-1].value
        keys = [key_function(self.kind.keys_of(port)) for port in range(self.kind.ports)]
        return lambda message: first.setdefault(keys[message.port](message.item), message.stamp)


def carried(op: Operator, position: tuple[int, ...]) -> Operator:
    """The operator on stamped items; the parts of a fused one are carried one by one."""
    if isinstance(op.kind, Fused):
        parts = tuple(carried(part, (*position, i)) for i, part in enumerate(op.kind.parts))
        variables = tuple(v for part in parts for v in part.variables)
        return replace(op, kind=Fused(parts), reads=variables, writes=variables)
    kind = Carried(op.kind, position, len(op.outputs))
    noted = (first_seen(op),) if kind.notes_keys else ()
    return replace(op, kind=kind, reads=op.reads + noted, writes=op.writes + noted)


def first_seen(op: Operator) -> str:
    """The variable that holds with which stamp each key came first."""
    return f"{op.variables[0]}.first"


@dataclass(frozen=True)
class Strip(Kind):
    """The items without their stamps; pulses end here."""

    label = "strip"

    def open(self, cells):
        return lambda port, m: () if isinstance(m, Pulse) else ((0, m.item),)
