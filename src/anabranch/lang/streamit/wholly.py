"""When a program runs in blocks, between which ends, and what `explain` says of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from anabranch.ir.graph import Graph
from anabranch.lang.streamit.explained import Table, stages, tables
from anabranch.lang.streamit.files import RAW, PrintSink, RawSink, RawSource
from anabranch.lang.streamit.instances import Work
from anabranch.lang.streamit.periods import to_the_end
from anabranch.lang.streamit.spread import Computed, Piece, Source, computed, is_spreadable, pieces
from anabranch.lang.streamit.whole import Ends, Whole, prints
from anabranch.plan import StageTier
from anabranch.sdf.schedule import Schedule

WORTH_COMPILING = 100_000
"""So many firings must be there: compiling takes seconds the first time."""


@dataclass(frozen=True)
class WholeProgram:
    """A scheduled program, as the engines ask for it; `texts` and `top` make it anew elsewhere.
    One that runs `on_demand` is never run in blocks."""

    compute, at_once = staticmethod(computed), False

    schedule: Schedule
    periods: int | None
    texts: tuple[tuple[str, str], ...] = ()
    top: str | None = None
    on_demand: bool = False

    @property
    def is_in_step(self) -> bool:
        """Whether blocks print in the order of the graph: where several filters print, those behind
        a feedback loop may be ahead of others there."""
        flow = self.schedule.flow
        if self.on_demand:
            return False
        return sum(map(prints, flow.actors)) < 2 or not any(c.back for c in flow.channels)

    def runs_on(self, graph: Graph, options) -> bool:
        """Whether it can take a run: any, except one that stops after some source tuples."""
        return self.is_in_step and options.limit is None

    def is_long(self, graph: Graph) -> bool:
        """Whether compiling takes less time than firing item by item."""
        return self.is_in_step and self.firings(self._all_periods(graph)) >= WORTH_COMPILING

    def _all_periods(self, graph: Graph) -> int:
        """How many periods there are; files that are not there have none."""
        if self.periods is not None:
            return self.periods
        files = {op.name: op.kind.spec for op in graph.sources
                 if isinstance(op.kind.spec, RawSource)}
        return to_the_end(self.schedule, {name: len(spec.values()) for name, spec in files.items()
                                          if os.path.isfile(spec.path)})

    def run(self, graph: Graph, emit, options, report) -> None:
        """Runs the program in blocks."""
        ends, periods = self._ends(graph, emit), self._all_periods(graph)
        compiles = self.firings(periods) >= WORTH_COMPILING
        report.read.update(self.read(graph, periods))
        Whole(self.schedule, self.periods, ends, compiles,
              options.workers or os.cpu_count() or 1).run()
        report.tier = "native" if compiles else "rows"

    @staticmethod
    def read(graph: Graph, periods: int = 0) -> dict[str, int]:
        """How many items the sources have: values of files, and ticks of the clock."""
        return {op.name: len(op.kind.spec.values()) if isinstance(op.kind.spec, RawSource)
                else periods + 1 for op in graph.sources}

    def files(self, graph: Graph) -> list[str]:
        return [op.kind.spec.path for op in graph.sources if isinstance(op.kind.spec, RawSource)]

    def is_spread(self) -> bool:
        """Whether other machines compute it: in pieces, or, when it is long or nobody knows before
        it runs, in one."""
        long = self.periods is None or self.firings(self.periods) >= WORTH_COMPILING
        return bool(self.texts) and self.is_in_step and (long or is_spreadable(self.schedule))

    def pieces(self, graph: Graph, options, count: int) -> list[Piece]:
        """The program in pieces that other machines compute; a single one when it has state."""
        if options.limit is not None or not self.is_spread():
            return []
        lengths = {op.name: len(op.kind.spec.values()) for op in graph.sources
                   if isinstance(op.kind.spec, RawSource)}
        paths = {op.name: os.path.abspath(op.kind.spec.path) for op in graph.sources
                 if op.name in lengths}
        source = Source(self.texts, self.top, tuple(paths.items()), self.is_long(graph))
        if not is_spreadable(self.schedule):
            return [Piece(source, 0, self.periods)]
        items, = lengths.values()
        return list(pieces(source, self.schedule, items, self.periods, count)) if items else []

    def take(self, graph: Graph, emit, pieces: Iterable[Computed]) -> dict[str, int]:
        """Gives what pieces have computed to the sinks, in their order."""
        for piece in pieces:
            self._take(graph, emit, piece)
        return self.read(graph, self._all_periods(graph))

    def _take(self, graph: Graph, emit, piece: Computed) -> None:
        ends = self._ends(graph, emit)
        for op in graph.sinks:
            if isinstance(op.kind.spec, RawSink):
                values = np.frombuffer(piece.values[op.name], RAW[op.kind.spec.item])
                ends.writers[op.name](values)
        for text, statements in piece.printed:
            ends.printed(text, statements)

    def firings(self, periods: int) -> int:
        """How often filters fire in so many periods."""
        return sum(self.schedule.most(i, periods) for i, actor in enumerate(
            self.schedule.flow.actors) if isinstance(actor.body, Work))

    @staticmethod
    def _ends(graph: Graph, emit) -> Ends:
        readers = {op.name: op.kind.spec.values() for op in graph.sources
                   if isinstance(op.kind.spec, RawSource)}
        writers = {op.name: _writer(op.name, emit) for op in graph.sinks
                   if isinstance(op.kind.spec, RawSink)}
        printer = next((op for op in graph.sinks if isinstance(op.kind.spec, PrintSink)), None)

        def printed(text: str, statements: int) -> None:
            emit.writers[printer.name].write(text)
            emit.written[printer.name] += statements
        return Ends(readers, writers, printed)

    def stages(self, graph: Graph) -> tuple[StageTier, ...]:
        return stages(self.schedule)

    def tables(self) -> Iterator[Table]:
        return tables(self.schedule, self.on_demand)


def _writer(name: str, emit):
    def write(values) -> None:
        emit.writers[name].write_values(values)
        emit.written[name] += len(values)
    return write
