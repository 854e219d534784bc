"""A sequential run that is watched: every firing with its port, its item and its outputs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from anabranch.engine import sequential
from anabranch.errors import ProgramError
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Cell, Fire, Kind, Modelled, Output


@dataclass(frozen=True)
class Firing:
    """One tuple that came in on a port, and what went out on which ports."""

    port: int
    item: object
    outputs: tuple[Output, ...]


@dataclass
class Log:
    """All firings of an operator, in order, and what it emitted when the input had ended."""

    firings: list[Firing] = field(default_factory=list)
    ending: list[Output] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Watched(Kind):
    """A kind that does what another does, and logs it."""

    kind: Kind
    log: Log

    def open(self, cells: list[Cell]) -> Fire:
        fire, firings = self.kind.open(cells), self.log.firings

        def watched(port: int, item: object) -> tuple[Output, ...]:
            outputs = tuple(fire(port, item))
            firings.append(Firing(port, item, outputs))
            return outputs
        return watched

    def finish(self, cells: list[Cell]) -> Iterable[Output]:
        self.log.ending.extend(self.kind.finish(cells))
        return self.log.ending


def observe(graph: Graph, sample: dict[str, list]) -> dict[str, Log]:
    """What every operator between the sources and the sinks did on the sample."""
    logs = {op.name: Log() for op in graph if not (op.is_source or op.is_sink)}
    watched = graph.with_operators(_watched(op, logs) for op in graph)
    sequential.run(watched, sample, lambda sink, item: None)
    return logs


def _watched(op: Operator, logs: dict[str, Log]) -> Operator:
    if isinstance(op.kind, Modelled):
        raise ProgramError(f"{op.name} is a model: it can be planned, not run", op.span)
    return replace(op, kind=Watched(op.kind, logs[op.name])) if op.name in logs else op
