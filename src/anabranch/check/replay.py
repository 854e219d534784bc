"""A sequential run that is watched, and its operators fired again on their own.

Every firing is known with its port, its item and its outputs. An operator on its own has fresh
state, and is given the tuples of your choice.

What a function keeps outside its operator stays as it is when the function is called again, and may
so repeat itself. So operators are repeated in a process that has seen no tuple as well, as by a
worker of a parallel engine that begins later.
"""

from __future__ import annotations

import copy
import os
import pickle
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import NoReturn

from anabranch.batch.failure import guarded, shortened
from anabranch.batch.likeness import alike
from anabranch.core.errors import AnabranchError, ProgramError
from anabranch.core.threads import fork
from anabranch.engine.sequential import run as sequential
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


PATIENCE = 60
"""So many seconds at most it takes to repeat the firings of an operator."""

Fired = list[tuple[Output, ...]]


class Apart:
    """Forked before anything is fired; every question is answered by a fork of its own."""

    def __init__(self, graph: Graph):
        self.ours, theirs = Pipe()
        self.process = fork(partial(_serve, graph, theirs, self.ours))
        theirs.close()

    def fired(self, name: str, groups: Sequence[Sequence[Firing]]) -> list[Fired] | None:
        """What an operator gives for each of these groups of tuples, one after the other, each with
        a state of its own; None if that cannot be found out."""
        try:
            self.ours.send_bytes(pickle.dumps((name, groups)))
            return pickle.loads(self.ours.recv_bytes()) if self.ours.poll(PATIENCE) else None
        except Exception:
            # What does not travel between processes is not looked at.
            return None

    def close(self) -> None:
        self.ours.close()
        os.waitpid(self.process, 0)


def _serve(graph: Graph, end: Connection, other: Connection) -> NoReturn:
    """The life of the process: it only ever forks."""
    other.close()
    with suppress(EOFError, OSError):
        while True:
            question = end.recv_bytes()
            child = fork(partial(_answer, graph, end, question))
            _, status = os.waitpid(child, 0)
            if status != 0:
                end.send_bytes(pickle.dumps(None))
    os._exit(0)


def _answer(graph: Graph, end: Connection, question: bytes) -> NoReturn:
    try:
        # What functions print has been seen.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        name, groups = pickle.loads(question)
        subject = Subject(graph, graph[name], Log())
        end.send_bytes(pickle.dumps([subject.fresh().all_fired(group) for group in groups]))
    except BaseException:
        os._exit(1)
    os._exit(0)
