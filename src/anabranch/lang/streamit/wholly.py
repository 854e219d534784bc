"""When a program runs in blocks, between which ends, and what `explain` says of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from anabranch.ir.graph import Graph
from anabranch.lang.streamit.files import RAW, PrintSink, RawSink, RawSource
from anabranch.lang.streamit.instances import File, Work
from anabranch.lang.streamit.machine.groups import Group, groups_of, is_stateless
from anabranch.lang.streamit.periods import to_the_end
from anabranch.lang.streamit.spread import Computed, Piece, Source, computed, is_spreadable, pieces
from anabranch.lang.streamit.whole import Ends, Whole, prints
from anabranch.plan import Reason, StageTier
from anabranch.sdf.flow import Actor
from anabranch.sdf.parts import is_cut
from anabranch.sdf.rings import rings_of
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
        """Whether it is cut into pieces where there are several machines."""
        return bool(self.texts) and not self.on_demand and is_spreadable(self.schedule)

    def pieces(self, graph: Graph, options, count: int) -> list[Piece]:
        """The program in pieces that other machines compute; none when it has state."""
        if options.limit is not None or not self.is_spread():
            return []
        op, = graph.sources
        items = len(op.kind.spec.values())
        if not items:
            return []
        rate = self.schedule.period[self._index(op.name)]
        source = Source(self.texts, self.top, op.name, os.path.abspath(op.kind.spec.path),
                        self.firings(items // rate) >= WORTH_COMPILING)
        return list(pieces(source, self.schedule, items, self.periods, count))

    def _index(self, name: str) -> int:
        return next(i for i, a in enumerate(self.schedule.flow.actors) if a.name == name)

    def take(self, graph: Graph, emit, pieces: Iterable[Computed]) -> dict[str, int]:
        """Gives what pieces have computed to the sinks, in their order."""
        for piece in pieces:
            self._take(graph, emit, piece)
        return self.read(graph)

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
        """Every machine, or what runs by itself, with the tier it runs in."""
        actors = self.schedule.flow.actors
        return tuple(_stage(group, [actors[i] for i in group.members])
                     for group in groups_of(self.schedule, joined=False))

    def tables(self) -> Iterator[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]:
        """What the schedule is: for each actor its firings, for each channel its buffer."""
        schedule, flow = self.schedule, self.schedule.flow
        groups = [] if self.on_demand else groups_of(schedule, joined=False)
        machines = {i: number for number, group in enumerate(
            (g for g in groups if g.compiled), 1) for i in group.members}
        looping = {i for ring in rings_of(flow) if len(ring) > 1 for i in ring}
        yield "schedule", ("filter", "before", "per period", "machine", "how"), [
            (actor.name, str(schedule.before[i]), str(schedule.period[i]),
             str(machines.get(i, "—")),
             "in order: in a loop" if i in looping else self._how(actor, i in machines))
            for i, actor in enumerate(flow.actors)]
        yield "buffers", ("from", "to", "items"), [
            (flow.actors[c.source].name, flow.actors[c.target].name,
             "as many as come" if is_cut(flow, c) else str(schedule.buffer(i)))
            for i, c in enumerate(flow.channels)]

    def _how(self, actor: Actor, compiled: bool) -> str:
        if not self.on_demand:
            return _how(actor, compiled)
        why = actor.body.code.not_compiled if isinstance(actor.body, Work) else None
        return f"on demand: {why}" if why else "on demand"


def _writer(name: str, emit):
    def write(values) -> None:
        emit.writers[name].write_values(values)
        emit.written[name] += len(values)
    return write


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
