"""A sequential run that is watched: every firing with its port, its item and its outputs."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from anabranch.engine import sequential
from anabranch.errors import ProgramError
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Cell, Fire, Kind, Modelled, Output


@dataclass(frozen=True)
class Firing:
    """One tuple that came in on a port, and what went out on which ports.

    `seen` has the values that variables shared with other operators had before the firing.
    """

    port: int
    item: object
    outputs: tuple[Output, ...]
    seen: dict[str, object]


@dataclass
class Log:
    """All firings of an operator, in order, and what it emitted when the input had ended."""

    firings: list[Firing] = field(default_factory=list)
    ending: list[Output] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Watched(Kind):
    """A kind that does what another does, and logs it; `shared` are its variables and whether
    other operators touch them too."""

    kind: Kind
    log: Log
    shared: dict[str, bool]

    @property
    def tolerant(self) -> bool:
        """As in a run, an item that comes late may be left out."""
        return getattr(self.kind, "tolerant", False)

    def open(self, cells: list[Cell]) -> Fire:
        fire, firings = self.kind.open(cells), self.log.firings
        looked_at = [(name, cell) for (name, is_shared), cell in zip(self.shared.items(), cells)
                     if is_shared]

        def watched(port: int, item: object) -> tuple[Output, ...]:
            seen = {name: copied(cell.value) for name, cell in looked_at}
            outputs = tuple(fire(port, item))
            firings.append(Firing(port, item, outputs, seen))
            return outputs
        return watched

    def finish(self, cells: list[Cell]) -> Iterable[Output]:
        self.log.ending.extend(self.kind.finish(cells))
        return self.log.ending


def observe(graph: Graph, sample: dict[str, list]) -> dict[str, Log]:
    """What every operator between the sources and the sinks did on the sample."""
    logs = {op.name: Log() for op in graph if not (op.is_source or op.is_sink)}
    watched = graph.with_operators(_watched(graph, op, logs) for op in graph)
    sequential.run(watched, sample, lambda sink, item: None)
    return logs


def _watched(graph: Graph, op: Operator, logs: dict[str, Log]) -> Operator:
    if isinstance(op.kind, Modelled):
        raise ProgramError(f"{op.name} is a model: it can be planned, not run", op.span)
    if op.name not in logs:
        return op
    shared = {v: len(graph.sharing(v)) > 1 for v in op.variables}
    return replace(op, kind=Watched(op.kind, logs[op.name], shared))


def copied(value: object) -> object:
    """A deep copy, or the value itself where there is none: then a change goes unseen."""
    try:
        return copy.deepcopy(value)
    except Exception:
        return value
