"""From a scheduled flow to the graph: an operator for every actor, or one on demand.

From a scheduled flow to the graph: every actor an operator with its state in variables.

Peeking needs items that stay, so a filter's variables are its fields and its tape; a splitter has
what came of its round, a joiner what came of each input. A filter without input fires when the
clock ticks: once for what happens before the first period, then for each period.

The graph of a program that runs on demand: one operator, which gives lines and values.

clock, or the files  ->  program  ->  print, and the files
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from anabranch.core.errors import ProgramError
from anabranch.core.once import once
from anabranch.ir.function import Function
from anabranch.ir.graph import Graph, Operator, Queue, Variable
from anabranch.ir.operators import FlatMap, Kind, RatedRoutine, Sink, Source, Union
from anabranch.ir.types import STR, RecordOf
from anabranch.lang.streamit.coding.filters import FilterCode
from anabranch.lang.streamit.coding.functions import Kept
from anabranch.lang.streamit.execution import items
from anabranch.lang.streamit.execution.blocks import prints
from anabranch.lang.streamit.execution.demand import Demanded, DemandPlan
from anabranch.lang.streamit.execution.program import BlockProgram
from anabranch.lang.streamit.files import (
    RAW,
    FileBlock,
    PrintSink,
    RawSink,
    RawSource,
    Tick,
    TickSource,
)
from anabranch.lang.streamit.instances import File, Work
from anabranch.lang.streamit.messages import feasible, routes
from anabranch.lang.streamit.sdf.flow import Actor, Channel, Flow, Join, Split
from anabranch.lang.streamit.sdf.schedule import Schedule, cut, is_dynamic, supplied
from anabranch.lang.streamit.types import queue_type

PRINT, CLOCK = "print", "clock"
OUT_OF_STEP = "several filters print, and items go round in a loop: what they print is in step \
only item by item"


class Lowering:
    """Gathers the operators, queues and variables of a graph."""

    def __init__(self, schedule: Schedule, periods: int | None, folder: Path,
                 texts: tuple[tuple[str, str], ...] = (), top: str | None = None,
                 on_demand: bool = False):
        self.schedule, self.flow, self.periods = schedule, schedule.flow, periods
        self.folder, self.whole = folder, BlockProgram(schedule, periods, texts, top, on_demand)
        self.operators: list[Operator] = []
        self.queues: list[Queue] = []
        self.variables: list[Variable] = []
        self.printed: list[str] = []

    def graph(self) -> Graph:
        """The graph of the whole flow."""
        if any(self._ticks(index) for index in range(len(self.flow.actors))):
            # Where files decide how long a program runs, only its beginning has a tick.
            spec = TickSource(self.periods or 0, whole=self.whole)
            self._operator(CLOCK, Source(spec, spec.time), (), ((CLOCK, RecordOf(Tick)),))
        for index, actor in enumerate(self.flow.actors):
            self._actor(index, actor)
        self._print()
        return Graph(tuple(self.operators), tuple(self.queues), tuple(self.variables))

    def _ticks(self, index: int) -> bool:
        """Whether an actor does something when a period begins, without any item."""
        actor = self.flow.actors[index]
        begins = actor.first is not None and not any(actor.first.peeks)
        return begins or (self.flow.is_start(index) and not isinstance(actor.body, File))

    def _actor(self, index: int, actor: Actor) -> None:
        if isinstance(actor.body, File):
            (self._reader if actor.body.reads else self._writer)(index, actor, actor.body)
        elif isinstance(actor.body, Work):
            self._filter(index, actor, actor.body)
        elif isinstance(actor.body, Split):
            self._splitter(index, actor, actor.body)
        elif isinstance(actor.body, Join):
            self._joiner(index, actor, actor.body)
        else:
            self._routine(index, actor, items.identity, {})

    def _filter(self, index: int, actor: Actor, work: Work) -> None:
        kept = _kept(actor, work.code)
        if kept is None and self._takes_each(index):
            each = partial(items.each, actor, work.fresh())
            self._routine(index, actor, each, {}, kept, work.code.prints)
            return
        tape = partial(items.ItemTape, self.schedule.most(index, self.periods))
        step = partial(items.start if self.flow.is_start(index) else items.filter, actor,
                       self._shares(index))
        self._routine(index, actor, step, {"tape": tape, "": partial(items.FilterFields, work)},
                      kept, work.code.prints)

    def _takes_each(self, index: int) -> bool:
        """Whether every item that comes is a firing of its own; otherwise the schedule may leave
        the last ones."""
        actor, inputs = self.flow.actors[index], self.flow.inputs(index)
        if actor.first or actor.rates.pops != (1,) or actor.rates.peeks != (1,):
            return False
        (number, channel), = inputs
        return not channel.initial and (self.periods is None or (
            number in self._counted and self._is_used_up(channel)))

    @once
    def _counted(self) -> set[int]:
        """The channels on which as many items come as the schedule counts: what only moves items
        fires as long as there are any."""
        found: set[int] = set()
        for index, actor in enumerate(self.flow.actors):
            if isinstance(actor.body, (Work, File)) or all(
                    i in found and self._is_used_up(c) for i, c in self.flow.inputs(index)):
                found.update(i for i, c in self.flow.outputs(index) if not c.back)
        return found

    def _is_used_up(self, channel: Channel) -> bool:
        """Whether nothing is left on a channel before the first period."""
        before, target = self.schedule.before, self.flow.actors[channel.target]
        came = supplied(self.flow, channel, before[channel.source])
        return target.first is None and (
            came == before[channel.target] * target.rates.pops[channel.into])

    def _shares(self, index: int) -> tuple[int, int]:
        return self.schedule.before[index], self.schedule.period[index]

    def _splitter(self, index: int, actor: Actor, body: Split) -> None:
        if body.weights is None:
            step, state = partial(items.duplicate, len(actor.rates.pushes)), {}
        else:
            step, state = partial(items.split, body.weights), {"": list}
        self._routine(index, actor, step, state)

    def _joiner(self, index: int, actor: Actor, body: Join) -> None:
        initial = [channel.initial for _, channel in self.flow.inputs(index)]
        ticked = self._shares(index) if self._ticks(index) else None
        self._routine(index, actor, partial(items.join, body.weights, ticked),
                      {"": partial(items.JoinedItems, initial, ticked is None)})

    def _reader(self, index: int, actor: Actor, file: File) -> None:
        self._check_raw(actor, file)
        name, schedule = actor.name, self.schedule
        spec = RawSource(str(self.folder / file.path), file.type, schedule.before[index],
                         schedule.period[index], self.periods, actor.span, whole=self.whole)
        self._operator(name, Source(spec, spec.time), (), ((f"{name}.blocks", spec.type),), actor)
        self._operator(f"{name}_values", FlatMap(Function.of(items.values, actor.span)),
                       (f"{name}.blocks",), ((name, queue_type(file.type)),), actor)

    def _writer(self, index: int, actor: Actor, file: File) -> None:
        self._check_raw(actor, file)
        queue, most = self._input(index)[0], self.schedule.most(index, self.periods)
        if most is not None:
            limited = f"{actor.name}_items"
            kind = FiringFacts("one item", (0, 1), ("it counts items up to the last", None))
            self._add(limited, partial(items.limited, most), (queue,),
                      ((limited, queue_type(file.type)),), {"": items.Cursor}, kind, actor)
            queue = limited
        spec = RawSink(str(self.folder / file.path), file.type, actor.span)
        self._operator(actor.name, Sink(spec), (queue,), (), actor)

    @staticmethod
    def _check_raw(actor: Actor, file: File) -> None:
        if file.type not in RAW:
            raise ProgramError(f"a file has no values of type {file.type}", actor.span,
                               expected=" or ".join(map(str, RAW)))

    def _routine(self, index: int, actor: Actor, step: Callable, state: dict[str, Callable],
                 kept: Kept | None = None, prints: bool = False) -> None:
        if not self.whole.is_in_step:
            kept = kept or (OUT_OF_STEP, None)
        inputs = (*self._input(index), *((CLOCK,) if self._ticks(index) else ()))
        outputs = [(self._queue(channel), queue_type(channel.type))
                   for _, channel in self.flow.outputs(index)]
        if prints:
            self.printed.append(f"{actor.name}.text")
            outputs.append((self.printed[-1], STR))
        firings = FiringFacts(_sees(actor), self._gives(index, prints), kept,
                          actor.body is None or actor.body == Split(None))
        self._add(actor.name, step, inputs, tuple(outputs), state, firings, actor)

    def _gives(self, index: int, prints: bool) -> tuple[int, int | None]:
        """How many items one that comes, or a tick, brings on their way."""
        actor = self.flow.actors[index]
        if actor.first is not None:
            # Behind a prework that leaves items, one more may bring several firings.
            return 0, None
        times = max(self._shares(index)) if self._ticks(index) else 1
        each = (*actor.rates.peeks, *actor.rates.pops)
        always = set(each) == {1} and not self._ticks(index) and self._takes_each(index)
        least = min(actor.rates.pushes, default=0) if always else 0
        return least, None if prints else times * sum(actor.rates.pushes)

    def _add(self, name: str, step: Callable, inputs: tuple[str, ...], outputs: tuple,
             state: dict[str, Callable], firings: FiringFacts, actor: Actor) -> None:
        names = tuple(f"${name}.{part}" if part else f"${name}" for part in state)
        self.variables += [Variable(n, initial) for n, initial in zip(names, state.values())]
        kind = RatedRoutine(Function(step, name, actor.span), len(names), tuple(range(len(names))),
                            *firings)
        self._operator(name, kind, inputs, outputs, actor, names)

    def _operator(self, name: str, kind: Kind, inputs: tuple[str, ...], outputs: tuple,
                  actor: Actor | None = None, variables: tuple[str, ...] = ()) -> None:
        self.queues += [Queue(queue, type) for queue, type in outputs]
        self.operators.append(Operator(
            name, kind, inputs, tuple(q for q, _ in outputs), variables, variables,
            span=actor.span if actor else None))

    def _input(self, index: int) -> tuple[str, ...]:
        return tuple(self._queue(channel) for _, channel in self.flow.inputs(index))

    def _queue(self, channel) -> str:
        writer = self.flow.actors[channel.source]
        several = len(writer.rates.pushes) > 1
        return f"{writer.name}.{channel.out}" if several else writer.name

    def _print(self) -> None:
        """All that is printed, in one place: of one period, filter by filter."""
        queues = tuple(self.printed)
        if len(queues) > 1:
            self._operator("lines", Union(len(queues)), queues, (("lines", STR),))
            queues = ("lines",)
        begins = "".join(actor.body.begins for actor in self.flow.actors
                         if isinstance(actor.body, Work))
        if queues:
            self._operator(PRINT, Sink(PrintSink(begins=begins)), queues, ())


class FiringFacts(NamedTuple):
    """What the rates and the text of an actor tell; see `RatedRoutine`."""

    sees: str
    gives: tuple[int, int | None]
    keeps: Kept | None
    passes: bool = False


def _sees(actor: Actor) -> str:
    """What a firing sees, in words."""
    most = [max(peek, pop) for peek, pop in zip(actor.rates.peeks, actor.rates.pops)]
    if not sum(most):
        return "no item"
    return "one item" if sum(most) == 1 else f"{sum(most)} items"


def _kept(actor: Actor, code: FilterCode) -> Kept | None:
    """Why firings of a filter depend on earlier ones, or have to wait for them."""
    if code.kept is None and actor.first is not None:
        return "its first firing is prework", actor.span
    if code.kept is None and code.prints and code.not_compiled:
        return f"it prints in order: {code.not_compiled}", actor.span
    return code.kept


PROGRAM = "program"
ON_DEMAND = ("its filters fire on demand, as rates differ from firing to firing or messages are "
             "sent", None)


def needs_demand(flow: Flow) -> bool:
    """Whether rates are not always the same, or messages are sent."""
    return is_dynamic(flow) or bool(routes(flow))


def planned(flow: Flow) -> DemandPlan:
    """How a program runs on demand; a `ProgramError` when it cannot."""
    found, parts = routes(flow), cut(flow)
    return DemandPlan(parts, found, feasible(parts, found))


@dataclass(frozen=True)
class DemandEnds:
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
            spec = TickSource(self.periods, whole=self.whole)
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
        ends = DemandEnds(tuple(actor.name for actor in readers), tuple(a.name for a in writers),
                    self.periods is not None, any(map(prints, self.flow.actors)))
        inputs = (*ends.readers, *((CLOCK,) if ends.clock else ()))
        outputs = (*(((PRINT, STR),) if ends.prints else ()),
                   *((f"{actor.name}.values", queue_type(actor.body.type)) for actor in writers))
        state = {"": partial(Demanded, self.plan), "ticks": partial(list, (0,))}
        firings = FiringFacts("what it asks for", (0, None), ON_DEMAND)
        self._add(PROGRAM, partial(run, ends), inputs, outputs, state, firings,
                  self.flow.actors[0])
        if ends.prints:
            begins = "".join(actor.body.begins for actor in self.flow.actors
                             if isinstance(actor.body, Work))
            self._operator(PRINT, Sink(PrintSink(begins=begins)), (PRINT,), ())

    def _sink(self, actor: Actor) -> None:
        self._check_raw(actor, actor.body)
        spec = RawSink(str(self.folder / actor.body.path), actor.body.type, actor.span)
        self._operator(actor.name, Sink(spec), (f"{actor.name}.values",), (), actor)


def run(ends: DemandEnds, item: FileBlock | Tick, port: int, program: Demanded,
        ticks: list[int]) -> tuple:
    """A period for each tick; without a clock, all of them, once the files are there."""
    if port < len(ends.readers):
        program.values[ends.readers[port]] = item.values
    else:
        ticks[0] += 1
    if len(program.values) == len(ends.readers):
        program.run(ticks[0] if ends.clock else None)
    lines, written = program.given(ends.writers)
    return [*([lines] if ends.prints else []), *written], [program, ticks]
