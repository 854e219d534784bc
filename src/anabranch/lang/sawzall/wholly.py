"""Programs whose tables are aggregated, in pieces: workers read and fold their own parts of files.

Whoever has workers gives each of them pieces, and joins what they add to the tables: see
`ir.whole`. No record travels, and no order is kept but that of the pieces.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial

from anabranch.forked import forked
from anabranch.ir.graph import Graph, Operator
from anabranch.lang.sawzall import fast
from anabranch.lang.sawzall.program import Program
from anabranch.lang.sawzall.running.chunks import LineFiles
from anabranch.lang.sawzall.running.joining import Tables
from anabranch.lang.sawzall.running.pieces import Part, Piece, computed, pieces_of
from anabranch.lang.sawzall.running.reducing import Shows, lines
from anabranch.lang.sawzall.tables import Rule
from anabranch.once import once
from anabranch.plan import StageTier

FOLDED = 1 << 20
"""Bytes of the lines that are given to the function of a record at a time."""
PIECES_PER_WORKER = 4
ARRIVAL = "workers read their own pieces of the files, and fold them into tables of their own"


@dataclass(frozen=True)
class WholeProgram:
    """A program, as the engines ask for it, and how its tables are shown."""

    is_in_step = at_once = True

    program: Program
    shows: Shows

    @property
    def size(self) -> int:
        """So many bytes are processed at a time, and make a piece at least."""
        return fast.CHUNK if self.program.compiled.counting else FOLDED

    @once
    def compute(self):
        """What a worker does with a piece."""
        return partial(computed, self.program.compiled, self.size)

    def is_spread(self) -> bool:
        return True

    def runs_on(self, graph: Graph, options) -> bool:
        """Whether it can take a run: one that reads its files to their ends."""
        return options.limit is None and all(map(os.path.isfile, self.files(graph)))

    def files(self, graph: Graph) -> list[str]:
        return list(_source(graph).kind.spec.each_file())

    def pieces(self, graph: Graph, options, count: int) -> list[Piece]:
        """The files in about so many pieces, or fewer that are worth a worker's while."""
        return pieces_of(self.files(graph), count, self.size) \
            if self.runs_on(graph, options) else []

    def run(self, graph: Graph, emit, options, report) -> None:
        """Lets forked processes compute the pieces."""
        workers = options.workers or os.cpu_count() or 1
        pieces = self.pieces(graph, options, PIECES_PER_WORKER * workers)
        # A failure is kept by whoever looks at it, and with it would be the processes.
        with closing(forked(self.compute, pieces, workers)) as parts:
            report.read.update(self.take(graph, emit, self._noted(graph, parts, options, report)))
        report.tier = self.tier

    def _noted(self, graph: Graph, parts: Iterable[Part], options, report) -> Iterator[Part]:
        """The parts, while what was read of them is reported."""
        name = _source(graph).name
        for part in parts:
            yield part
            report.read[name] += part.records
            if options.progress is not None:
                options.progress(report.read)

    def take(self, graph: Graph, emit, parts: Iterable[Part]) -> dict[str, int]:
        """Joins what the pieces add, shows what they print, and at the end the tables."""
        tables, sinks = Tables(), {op.name: op for op in graph.sinks}
        for part in parts:
            for output in tables.take(part):
                emit(sinks["stdout"], output)
        for output in lines(tables.gathered(), self.shows):
            emit(sinks["table_output"], output)
        return {_source(graph).name: tables.records}

    @property
    def tier(self) -> str:
        return "native" if self.program.compiled.counting else "rows"

    def stages(self, graph: Graph) -> tuple[StageTier, ...]:
        """All of it is one stage."""
        names = tuple(op.name for op in graph if not op.is_source and not op.is_sink)
        return (StageTier(names, self.tier, self.program.not_compiled, ARRIVAL),)

    def tables(self) -> Iterator[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]:
        """Each table, and whether anything is kept in order for it."""
        yield "tables", ("table", "kind", "order"), [
            (t.name, t.kind, _order(t.rule)) for t in self.program.tables]


def _source(graph: Graph) -> Operator:
    return next(op for op in graph.sources if isinstance(op.kind.spec, LineFiles))


def _order(rule: Rule) -> str:
    if rule.fold is None:
        return "printed as it comes"
    return "none: commutative" if rule.commutative else "that of the records"
