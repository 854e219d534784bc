"""What runs on executors: one function from a partition's elements to elements.

An element is a key, which says where it goes next, and an encoded piece with what is to be done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple, Protocol

from anabranch.batch.slices import Batch, Flow, gathered
from anabranch.engine.spark.gang.exchange import Dealer, Gang
from anabranch.engine.spark.gang.member import in_gang
from anabranch.engine.spark.job.buckets import PASS, Element, by_bucket, errands
from anabranch.engine.spark.job.lines import LineMeter, TaskMeasurement, line_of, run_line
from anabranch.engine.spark.job.pickling import loaded
from anabranch.engine.spark.job.pieces import (
    SlicePiece,
    at_hand,
    batch,
    dated,
    decoded,
    encoded,
    entering,
    opened,
    whole,
)
from anabranch.engine.spark.job.sinks import PartSink, written
from anabranch.engine.spark.job.stamps import stamps_of
from anabranch.engine.spark.session.workers import settle
from anabranch.io.arrow.extract import Names
from anabranch.ir.graph import Graph
from anabranch.plan.physical.spark.placement import JobLayout
from anabranch.plan.physical.spark.segments import Exchange, Segment
from anabranch.plan.physical.stages import Sharing, Stage
from anabranch.runtime.stage.double_check import Doubts
from anabranch.runtime.stage.rounds import Rounds


class Fresh:
    """Every stage begins with nothing remembered, and nothing is kept."""

    def opened(self, stage: Stage, bucket: int, make: Callable[[], object]) -> object:
        return make()

    def closed(self, stage: Stage, bucket: int, runner: object) -> None:
        """There is nothing to keep."""


class States(Protocol):
    """What stages remember from one job to the next: `make()` gives a runner that knows nothing,
    `closed` is told when a runner has done all its slices, none of which failed."""

    def opened(self, stage: Stage, bucket: int, make: Callable[[], object]) -> object: ...

    def closed(self, stage: Stage, bucket: int, runner: object) -> None: ...


class TaskProgram(NamedTuple):
    """All that a task must know; `parts` are the sinks that executors write, `kernels` those of the
    stages that have one, `wanted` the columns of sources that are not needed wholly, `gangs` the
    plans of synchronized stages, `doubts` the operators whose first items are run twice. What works
    `alone` sends nothing to other tasks."""

    graph: Graph
    segments: list[Segment]
    layout: JobLayout
    parts: tuple[PartSink, ...] = ()
    kernels: Mapping[int, object] | None = None
    states: States = Fresh()
    wanted: Mapping[str, Names] | None = None
    gangs: Mapping[int, Gang] | None = None
    alone: bool = False
    doubts: Doubts | None = None

    @property
    def packed(self) -> Callable[[SlicePiece], bytes | SlicePiece]:
        """How a piece goes to the next segment."""
        return at_hand if self.alone else encoded

    def tasks(self, segment: Segment) -> int:
        if segment.route is Exchange.PLAN:
            return self.gangs[segment.stages[0].index].tasks
        return self.layout.tasks(segment.route)


def work(program: bytes, index: int, elements: Iterable) -> Iterator:
    """Takes the elements of a partition through a segment and addresses them to the next one.

    The first segment is given bare pieces, and the last one gives them.
    """
    settle()
    return through(loaded(program), index, elements)


def work_alone(program: bytes, elements: Iterable) -> Iterable:
    """Takes all elements through all segments."""
    settle()
    given: TaskProgram = loaded(program)._replace(alone=True)
    for index in range(len(given.segments)):
        elements = through(given, index, sorted(elements, key=itemgetter(0)) if index else elements)
    return elements


def through(program: TaskProgram, index: int, elements: Iterable) -> Iterator:
    segment = program.segments[index]
    pieces = (_thinned(piece, segment.kept)
              for piece in _signed(program, segment, pieces_of(program, segment, elements)))
    if index + 1 < len(program.segments):
        return _addressed(program, index + 1, pieces)
    return map(encoded, _left(program, pieces) if program.parts else pieces)


def _signed(program: TaskProgram, segment: Segment, pieces: Iterable[SlicePiece]
            ) -> Iterator[SlicePiece]:
    """The first piece of a task says which task serves the stages, and how rows came there."""
    signed = tuple(TaskMeasurement(stage.index, 0, 0, 0.0, 0, exchange=segment.route.value,
                                   task=_task(), alone=program.alone) for stage in segment.stages)
    for piece in pieces:
        yield piece._replace(measured=(*piece.measured, *signed)) if signed else piece
        signed = ()


def _task() -> int:
    from pyspark import TaskContext

    context = TaskContext.get()
    return context.partitionId() if context is not None else 0


def pieces_of(program: TaskProgram, segment: Segment, elements: Iterable) -> Iterator[SlicePiece]:
    """What the stages of a segment make of the elements of a partition."""
    pieces = _arriving(program, segment, elements)
    for stage in segment.stages[segment.route.parts_slices:]:
        pieces = _STAGES[stage.sharing](program, stage, pieces)
    return pieces


def _arriving(program: TaskProgram, segment: Segment, elements: Iterable) -> Iterator[SlicePiece]:
    if segment.route is Exchange.SOURCE:
        return (piece for data in elements for piece in _read(data, program.wanted or {}))
    groups = groupby(elements, key=itemgetter(0))
    if segment.route is Exchange.BUCKETS:
        stage = segment.stages[0]
        make = partial(line_of, program.graph, stage, program.kernels, buckets=True,
                       doubts=program.doubts)
        return by_bucket(stage, lambda bucket: program.states.opened(stage, bucket, make),
                         partial(program.states.closed, stage), groups)
    if segment.route is Exchange.PLAN:
        return in_gang(program, segment.stages[0], groups)
    return (whole([decoded(data) for _, (_, _, data) in group]) for _, group in groups)


def _read(data: bytes, wanted: Mapping[str, Names]) -> Iterable[SlicePiece]:
    """A slice that the driver has read, or all slices of a part of the input."""
    given = loaded(data)
    return (opened(given),) if isinstance(given, SlicePiece) else given.pieces(wanted)


def _left(program: TaskProgram, pieces: Iterator[SlicePiece]) -> Iterator[SlicePiece]:
    """What the driver still has to write, and know."""
    names = {sink.name for sink in program.parts}
    kept = frozenset(op.inputs[0] for op in program.graph.sinks if op.name not in names)
    done = written(program.parts, _task(), pieces)
    return (_thinned(piece, kept) for piece in done)


def _thinned(piece: SlicePiece, kept: frozenset[str]) -> SlicePiece:
    return piece._replace(flows={q: f for q, f in piece.flows.items() if q in kept})


def _addressed(program: TaskProgram, index: int, pieces: Iterable[SlicePiece]) -> Iterator[Element]:
    """Each piece, or each part of it, with its key: (task, number of the slice)."""
    segment = program.segments[index]
    if segment.route is Exchange.PLAN:
        addressed = Dealer(segment, program.gangs[segment.stages[0].index]).elements
    elif segment.route is Exchange.BUCKETS:
        are_whole = not program.segments[index - 1].route.parts_slices
        addressed = partial(errands, segment, program.layout.buckets, is_whole=are_whole,
                            packed=program.packed)
    else:
        addressed = partial(_undivided, program, segment)
    return (element for piece in pieces for element in addressed(piece))


def _undivided(program: TaskProgram, segment: Segment, piece: SlicePiece) -> Iterator[Element]:
    task = 0 if segment.route is Exchange.ONE else program.layout.part_of(piece.number)
    yield (task, piece.number), (PASS, None, program.packed(piece))


def _stateless(program: TaskProgram, stage: Stage,
               pieces: Iterable[SlicePiece]) -> Iterator[SlicePiece]:
    line = line_of(program.graph, stage, program.kernels, doubts=program.doubts)
    meter = LineMeter(stage, line)
    for piece in pieces:
        flow = entering(piece, stage.inputs)
        outcome = run_line(line, piece.number, flow)
        flows = piece.flows | dict(zip(stage.outputs, outcome.outputs))
        yield piece.with_flows(flows, dated(outcome.failures),
                               meter.measured(len(flow.items), outcome))


def _in_order(program: TaskProgram, stage: Stage,
              pieces: Iterable[SlicePiece]) -> Iterator[SlicePiece]:
    line = program.states.opened(stage, 0, partial(line_of, program.graph, stage, program.kernels))
    meter = LineMeter(stage, line)
    for piece in pieces:
        rows = gathered([batch(piece, q) for q in stage.inputs])
        at_end = piece.final in stage
        outcome = line.finish(piece.number, piece.final) if at_end else \
            run_line(line, piece.number, Flow(stamps_of(rows.origins), rows.items, rows.ports))
        flows = piece.flows | dict(zip(stage.outputs, outcome.outputs))
        yield (done := piece.with_flows(flows, dated(outcome.failures, at_end),
                                        meter.measured(len(rows), outcome)))
        if done.failures:
            # Nothing behind this slice is ever asked for.
            return
    program.states.closed(stage, 0, line)


def _together(program: TaskProgram, stage: Stage,
              pieces: Iterable[SlicePiece]) -> Iterator[SlicePiece]:
    rounds = program.states.opened(stage, 0, lambda: Rounds(
        program.graph, stage, emit=_no_sink, stopped=lambda: False))
    for piece in pieces:
        yield (done := in_rounds(rounds, stage, piece))
        if done.failures:
            return
    program.states.closed(stage, 0, rounds)


def in_rounds(rounds, stage: Stage, piece: SlicePiece) -> SlicePiece:
    """The piece after the operators that run together, up to the first failure so far."""
    flows, failures = rounds.finish_one(piece.final) if piece.final in stage else \
        rounds.run([_before(piece, batch(piece, q)) for q in stage.inputs])
    return piece.with_flows(piece.flows | dict(zip(stage.outputs, flows)), failures)


def _before(piece: SlicePiece, entire: Batch) -> Batch:
    if piece.failure is None:
        return entire
    kept = sum(1 for origin in entire.origins if origin < piece.failure.when[0])
    return Batch(entire.origins[:kept], entire.items[:kept])


def _no_sink(op, item) -> None:
    raise AssertionError(f"{op.name} is written by the driver")


_STAGES: dict[Sharing, Callable] = {Sharing.ANY: _stateless, Sharing.ONE: _in_order,
                                    Sharing.PLAN: _in_order, Sharing.TOGETHER: _together}
