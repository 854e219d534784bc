"""When a program runs in blocks, which pieces it has, and what `explain` says of it.

Pieces of a program without state, each computed by itself; one with state is a single piece.

Without state and loops, what a program gives from some period on is what it gives when its input
begins there. A piece is a range of periods with the items they need, and those that are looked at
behind them; the firings before its first period repeat those at the end of the piece before.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from anabranch.core.once import once
from anabranch.ir.graph import Graph
from anabranch.lang.streamit.execution.blocks import BlockEnds, BlockRun, prints
from anabranch.lang.streamit.execution.machine.group import Group, groups_of, is_stateless
from anabranch.lang.streamit.files import RAW, PrintSink, RawSink, RawSource, values_of
from anabranch.lang.streamit.instances import File, Work
from anabranch.lang.streamit.sdf.flow import Actor, rings_of
from anabranch.lang.streamit.sdf.periods import to_the_end
from anabranch.lang.streamit.sdf.schedule import Schedule, is_cut
from anabranch.plan.logical.plan import Reason
from anabranch.plan.logical.whole import Table, WholeProgram
from anabranch.plan.physical.plan import StageTier
from anabranch.runtime.options import RunOptions, RunReport


@dataclass(frozen=True)
class ProgramSource:
    """A program as text, and the files that it reads, by the names of their readers: all that
    another machine needs."""

    texts: tuple[tuple[str, str], ...]
    top: str | None
    files: tuple[tuple[str, str], ...]
    compiles: bool


@dataclass(frozen=True)
class PeriodRange:
    """So many periods from one on; the last piece goes on to the end of the file."""

    source: ProgramSource
    first: int
    periods: int | None


@dataclass(frozen=True)
class Computed:
    """What a piece gives: values for each writer, and texts with their numbers of statements."""

    values: dict[str, bytes]
    printed: list[tuple[str, int]]


def is_spreadable(schedule: Schedule) -> bool:
    """Whether the program reads one file, and no firing depends on an earlier one."""
    flow = schedule.flow
    starts = [a.body for i, a in enumerate(flow.actors) if flow.is_start(i)]
    return (len(starts) == 1 and isinstance(starts[0], File)
            and not any(channel.back for channel in flow.channels)
            and all(_is_free(schedule, index) for index in range(len(flow.actors))))


def _is_free(schedule: Schedule, index: int) -> bool:
    actor = schedule.flow.actors[index]
    if not isinstance(actor.body, Work):
        return True
    code = actor.body.code
    # Lines that a piece repeats could not be told from its own.
    repeats = code.prints and schedule.before[index]
    return not (code.kept or actor.first or repeats)


def pieces(source: ProgramSource, schedule: Schedule, items: int, periods: int | None,
           count: int) -> Iterator[PeriodRange]:
    """The program in about so many pieces."""
    (name, _), = source.files
    reader = _index(schedule, name)
    there = max(0, items - schedule.before[reader]) // schedule.period[reader]
    total = there if periods is None else min(there, periods)
    size = max(1, -(-total // count))
    for first in range(0, max(total, 1), size):
        last = first + size >= total
        left = None if periods is None else periods - first
        yield PeriodRange(source, first, left if last else size)


def computed(piece: PeriodRange) -> Computed:
    """Runs a piece. Nothing is written before the first period, so that nothing is repeated."""
    schedule = _schedule_of(piece.source)
    values: dict[str, list[np.ndarray]] = {}
    printed: list[tuple[str, int]] = []
    writers = {a.name: values.setdefault(a.name, []).append for a in schedule.flow.actors
               if isinstance(a.body, File) and not a.body.reads}
    readers = {name: _items(piece, schedule, _index(schedule, name), path)
               for name, path in piece.source.files}
    ends = BlockEnds(readers, writers, lambda text, count: printed.append((text, count)))
    BlockRun(schedule, piece.periods, ends, piece.source.compiles).run()
    return Computed({name: b"".join(array.tobytes() for array in arrays)
                     for name, arrays in values.items()}, printed)


def _index(schedule: Schedule, name: str) -> int:
    return next(i for i, a in enumerate(schedule.flow.actors) if a.name == name)


def _items(piece: PeriodRange, schedule: Schedule, index: int, path: str) -> np.ndarray:
    whole = values_of(path, schedule.flow.actors[index].body.type)
    begin = piece.first * schedule.period[index]
    if piece.periods is None:
        return whole[begin:]
    return whole[begin:begin + schedule.most(index, piece.periods)]


@lru_cache(maxsize=8)
def _schedule_of(source: ProgramSource) -> Schedule:
    from anabranch.lang.streamit import schedule_of

    return schedule_of(list(source.texts), source.top)


WORTH_COMPILING = 100_000
"""So many firings must be there: compiling takes seconds the first time."""


@dataclass(frozen=True)
class BlockProgram(WholeProgram):
    """A scheduled program, as the engines ask for it; `texts` and `top` make it anew elsewhere.
    One that runs `on_demand` is never run in blocks."""

    compute, at_once = staticmethod(computed), False

    schedule: Schedule
    periods: int | None
    texts: tuple[tuple[str, str], ...] = ()
    top: str | None = None
    on_demand: bool = False

    @once
    def is_in_step(self) -> bool:
        """Whether blocks print in the order of the graph: where several filters print, those behind
        a feedback loop may be ahead of others there."""
        flow = self.schedule.flow
        if self.on_demand:
            return False
        return sum(map(prints, flow.actors)) < 2 or not any(c.back for c in flow.channels)

    def runs_on(self, graph: Graph, options: RunOptions) -> bool:
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

    def run(self, graph: Graph, emit, options: RunOptions, report: RunReport) -> None:
        """Runs the program in blocks."""
        ends, periods = self._ends(graph, emit), self._all_periods(graph)
        compiles = self.firings(periods) >= WORTH_COMPILING
        report.read.update(self.read(graph, periods))
        BlockRun(self.schedule, self.periods, ends, compiles,
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

    def pieces(self, graph: Graph, options: RunOptions, count: int) -> list[PeriodRange]:
        """The program in pieces that other machines compute; a single one when it has state."""
        if options.limit is not None or not self.is_spread():
            return []
        lengths = {op.name: len(op.kind.spec.values()) for op in graph.sources
                   if isinstance(op.kind.spec, RawSource)}
        paths = {op.name: os.path.abspath(op.kind.spec.path) for op in graph.sources
                 if op.name in lengths}
        source = ProgramSource(self.texts, self.top, tuple(paths.items()), self.is_long(graph))
        if not is_spreadable(self.schedule):
            return [PeriodRange(source, 0, self.periods)]
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
    def _ends(graph: Graph, emit) -> BlockEnds:
        readers = {op.name: op.kind.spec.values() for op in graph.sources
                   if isinstance(op.kind.spec, RawSource)}
        writers = {op.name: _writer(op.name, emit) for op in graph.sinks
                   if isinstance(op.kind.spec, RawSink)}
        printer = next((op for op in graph.sinks if isinstance(op.kind.spec, PrintSink)), None)

        def printed(text: str, statements: int) -> None:
            emit.writers[printer.name].write(text)
            emit.written[printer.name] += statements
        return BlockEnds(readers, writers, printed)

    def stages(self, graph: Graph) -> tuple[StageTier, ...]:
        return stages(self.schedule)

    def tables(self) -> Iterator[Table]:
        return tables(self.schedule, self.on_demand)


def _writer(name: str, emit):
    def write(values) -> None:
        emit.writers[name].write_values(values)
        emit.written[name] += len(values)
    return write


def stages(schedule: Schedule) -> tuple[StageTier, ...]:
    """Every machine, or what runs by itself, with the tier it runs in."""
    actors = schedule.flow.actors
    return tuple(_stage(group, [actors[i] for i in group.members])
                 for group in groups_of(schedule, joined=False))


def tables(schedule: Schedule, on_demand: bool) -> Iterator[Table]:
    """What the schedule is: for each actor its firings, for each channel its buffer."""
    yield "schedule", ("filter", "before", "per period", "machine", "how"), list(
        _scheduled(schedule, on_demand))
    flow = schedule.flow
    yield "buffers", ("from", "to", "items"), [
        (flow.actors[c.source].name, flow.actors[c.target].name,
         "as many as come" if is_cut(flow, c) else str(schedule.buffer(i)))
        for i, c in enumerate(flow.channels)]


def _scheduled(schedule: Schedule, on_demand: bool) -> Iterator[tuple[str, ...]]:
    flow = schedule.flow
    groups = [] if on_demand else groups_of(schedule, joined=False)
    machines = {i: number for number, group in enumerate(
        (g for g in groups if g.compiled), 1) for i in group.members}
    looping = {i for ring in rings_of(flow) if len(ring) > 1 for i in ring}
    for i, actor in enumerate(flow.actors):
        how = (_on_demand(actor) if on_demand else "in order: in a loop" if i in looping
               else _how(actor, i in machines))
        yield (actor.name, str(schedule.before[i]), str(schedule.period[i]),
               str(machines.get(i, "—")), how)


def _on_demand(actor: Actor) -> str:
    why = actor.body.code.not_compiled if isinstance(actor.body, Work) else None
    return f"on demand: {why}" if why else "on demand"


def _stage(group: Group, actors: list[Actor]) -> StageTier:
    names = tuple(actor.name for actor in actors)
    if group.compiled:
        return StageTier(names, "native", None)
    why = next(((a, a.body.code.not_compiled) for a in actors if isinstance(a.body, Work)
                and a.body.code.not_compiled), None)
    if why is None:
        return StageTier(names, "columns", None)
    return StageTier(names, "rows", Reason(why[1], why[0].span))


def _how(actor: Actor, compiled: bool) -> str:
    """Whether several workers may compute blocks of it at a time."""
    body = actor.body
    if isinstance(body, File):
        return "reads a file" if body.reads else "writes a file"
    if not isinstance(body, Work):
        return "moves items"
    if body.code.prints and not compiled:
        return "in order: it prints"
    if not is_stateless(actor):
        return "in order: it has state"
    overlap = actor.rates.peeks[0] - actor.rates.pops[0] if actor.rates.pops else 0
    how = f"fissed, blocks overlap by {overlap}" if overlap else "fissed"
    return f"{how}, prints in order" if body.code.prints else how
