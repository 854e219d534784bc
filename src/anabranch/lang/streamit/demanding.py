"""The graph of a program that runs on demand: one operator, which gives lines and values.

    clock, or the files  ->  program  ->  print, and the files
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from anabranch.ir.graph import Graph
from anabranch.ir.operators import Sink, Source
from anabranch.ir.types import STR, RecordOf
from anabranch.lang.streamit.files import Block, Clock, PrintSink, RawSink, RawSource, Tick
from anabranch.lang.streamit.instances import File, Work
from anabranch.lang.streamit.lower import CLOCK, PRINT, Lowering
from anabranch.lang.streamit.messaging import feasible, routes
from anabranch.lang.streamit.running.demanded import Demanded, DemandPlan
from anabranch.lang.streamit.types import queue_type
from anabranch.lang.streamit.whole import prints
from anabranch.sdf.flow import Actor, Flow
from anabranch.sdf.parts import cut, is_dynamic

PROGRAM = "program"


def needs_demand(flow: Flow) -> bool:
    """Whether rates are not always the same, or messages are sent."""
    return is_dynamic(flow) or bool(routes(flow))


def planned(flow: Flow) -> DemandPlan:
    """How a program runs on demand; a `ProgramError` when it cannot."""
    found, parts = routes(flow), cut(flow)
    return DemandPlan(parts, found, feasible(parts, found))


@dataclass(frozen=True)
class Ends:
    """Where a program's items come from and go to, in the order of its ports."""

    readers: tuple[str, ...]
    writers: tuple[str, ...]
    clock: bool
    prints: bool


class DemandLowering(Lowering):
    """Gathers the operators of the graph."""

    def __init__(self, plan: DemandPlan, *arguments):
        super().__init__(plan.cut.schedule, *arguments, on_demand=True)
        self.plan = plan

    def graph(self) -> Graph:
        files = [actor for actor in self.flow.actors if isinstance(actor.body, File)]
        readers = tuple(actor for actor in files if actor.body.reads)
        writers = tuple(actor for actor in files if not actor.body.reads)
        for actor in readers:
            self._source(actor)
        if self.periods is not None:
            spec = Clock(self.periods, whole=self.whole)
            self._operator(CLOCK, Source(spec, spec.time), (), ((CLOCK, RecordOf(Tick)),))
        self._program(readers, writers)
        for actor in writers:
            self._sink(actor)
        return Graph(tuple(self.operators), tuple(self.queues), tuple(self.variables))

    def _source(self, actor: Actor) -> None:
        self._check_raw(actor, actor.body)
        spec = RawSource(str(self.folder / actor.body.path), actor.body.type, 0, 0, None,
                         actor.span, whole=self.whole, at_once=True)
        self._operator(actor.name, Source(spec, spec.time), (), ((actor.name, spec.type),), actor)

    def _program(self, readers: tuple[Actor, ...], writers: tuple[Actor, ...]) -> None:
        ends = Ends(tuple(actor.name for actor in readers), tuple(a.name for a in writers),
                    self.periods is not None, any(map(prints, self.flow.actors)))
        inputs = (*ends.readers, *((CLOCK,) if ends.clock else ()))
        outputs = (*(((PRINT, STR),) if ends.prints else ()),
                   *((f"{actor.name}.values", queue_type(actor.body.type)) for actor in writers))
        state = {"": partial(Demanded, self.plan), "ticks": partial(list, (0,))}
        self._add(PROGRAM, partial(run, ends), inputs, outputs, state, self.flow.actors[0])
        if ends.prints:
            begins = "".join(actor.body.begins for actor in self.flow.actors
                             if isinstance(actor.body, Work))
            self._operator(PRINT, Sink(PrintSink(begins=begins)), (PRINT,), ())

    def _sink(self, actor: Actor) -> None:
        self._check_raw(actor, actor.body)
        spec = RawSink(str(self.folder / actor.body.path), actor.body.type, actor.span)
        self._operator(actor.name, Sink(spec), (f"{actor.name}.values",), (), actor)


def run(ends: Ends, item: Block | Tick, port: int, program: Demanded, ticks: list[int]) -> tuple:
    """A period for each tick; without a clock, all of them, once the files are there."""
    if port < len(ends.readers):
        program.values[ends.readers[port]] = item.values
    else:
        ticks[0] += 1
    if len(program.values) == len(ends.readers):
        program.run(ticks[0] if ends.clock else None)
    lines, written = program.given(ends.writers)
    return [*([lines] if ends.prints else []), *written], [program, ticks]
