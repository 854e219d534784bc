"""The loops of a graph with its variables: lists of source tuples in, items to the sinks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from types import TracebackType

from anabranch.engine.emitting import Emitter
from anabranch.engine.failure import ReportLate, guarded, tolerating, user_failure
from anabranch.engine.straight.text import LoopText, ending_text, loop_text
from anabranch.errors import AnabranchError
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.keys import state_of
from anabranch.ir.operators import Apply, Cell, Filter, FlatMap, Map, attributes_of
from anabranch.source import PACKAGE

FILE = f"{PACKAGE}engine/straight/loop"
"""The loops are ours: an error does not show their lines."""

Emit = Callable[[Operator, object], None]


class Straight:
    """Does what `sequential.Machine` does with a graph that has no cycles.

    Where nobody can see when a sink is given its items, it is given those of a list together.
    """

    def __init__(self, graph: Graph, emit: Emit, late: ReportLate = lambda row: None):
        self.graph, self.emit, self.late = graph, emit, late
        self.cells = {v.name: Cell(v.initial()) for v in graph.variables}
        self.later = self._sink_served_later()
        self.held: list[object] = []
        self.names: dict[str, object] = {"state_of": state_of}
        for op in graph:
            self._bind(op)
        self.loops = {op.name: _Loop(loop_text(graph, op), self.names) for op in graph.sources}

    def push(self, source: Operator, items: list) -> None:
        """Runs the graph for each of these source tuples in turn."""
        self._run(self.loops[source.name], items)

    def finish(self) -> None:
        for op in self.graph:
            if not (op.is_source or op.is_sink):
                self._end(op, guarded(op, op.kind.finish, self._cells(op)))

    def _end(self, op: Operator, outputs: Iterable[tuple[int, object]]) -> None:
        given: list[list] = [[] for _ in op.outputs]
        for port, item in outputs:
            given[port].append(item)
        if any(given):
            self._run(_Loop(ending_text(self.graph, op), self.names), *given)

    def _run(self, loop: _Loop, *given: list) -> None:
        try:
            loop(*given)
        finally:
            # Also before an error leaves: what was held came before it.
            self._serve_held()

    def _serve_held(self) -> None:
        if self.held:
            items = self.held[:]
            self.held.clear()
            guarded(self.later, lambda: self.emit.write_all(self.later, items) or ())

    def _sink_served_later(self) -> Operator | None:
        sinks = self.graph.sinks
        can_wait = isinstance(self.emit, Emitter) and len(sinks) == 1 and (
            self.emit.is_unseen(sinks[0]))
        return sinks[0] if can_wait else None

    def _bind(self, op: Operator) -> None:
        """Names what the loops call of an operator."""
        n, kind = self.graph.position(op), op.kind
        if op.is_sink:
            self.names[f"emit{n}"] = self.held.append if op is self.later else partial(
                self.emit, op)
        elif type(kind) in (Map, Filter, FlatMap, Apply):
            self.names[f"call{n}"] = kind.function.call
            if kind.stateful:
                self.names |= {f"states{n}": self._cells(op)[0].value, f"new{n}": kind.new_state,
                               f"key{n}": attributes_of(kind.by)}
        elif not op.is_source:
            self.names[f"fire{n}"] = tolerating(op, kind.open(self._cells(op)), self.late)

    def _cells(self, op: Operator) -> list[Cell]:
        return [self.cells[v] for v in op.variables]


class _Loop:
    """A loop that can be called. An error out of it names the operator that was called, and the
    item that it was given."""

    def __init__(self, text: LoopText, names: dict[str, object]):
        scope = dict(names)
        exec(compile(text.text, FILE, "exec"), scope)
        self.function, self.firings = scope["loop"], text.firings

    def __call__(self, *given: list) -> None:
        try:
            self.function(*given)
        except (Exception, SystemExit) as error:
            op, item = self._failing(error.__traceback__)
            if isinstance(error, AnabranchError):
                error.where = error.where or op.span
                raise
            raise user_failure(op, error, item) from error

    def _failing(self, trace: TracebackType) -> tuple[Operator, object]:
        while trace.tb_frame.f_code is not self.function.__code__:
            trace = trace.tb_next
        op, variable = self.firings[trace.tb_lineno]
        return op, trace.tb_frame.f_locals[variable]
