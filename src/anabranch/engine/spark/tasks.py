"""What runs on the executors: one function from the elements of a partition to elements.

An element is a key, which says where it goes next, and an encoded piece with what is to be done.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from anabranch.engine.multicore.line import Flow, Line
from anabranch.engine.multicore.rounds import Rounds
from anabranch.engine.multicore.slices import Batch, gathered
from anabranch.engine.multicore.stages import Sharing, Stage
from anabranch.engine.spark.buckets import PASS, Element, by_bucket, errands
from anabranch.engine.spark.pieces import (
    Number,
    Piece,
    batch,
    dated,
    decoded,
    encoded,
    entering,
    opened,
    whole,
)
from anabranch.engine.spark.segments import Route, Segment
from anabranch.engine.spark.sinks import PartSink, written
from anabranch.engine.spark.travel import loaded
from anabranch.ir.graph import Graph


@dataclass(frozen=True)
class Layout:
    """How many buckets there are, and with which slice each part of the output begins."""

    buckets: int
    firsts: tuple[Number, ...]

    def part_of(self, number: Number) -> int:
        """
        >>> Layout(1, ((0, 0), (0, 5))).part_of((0, 7))
        1
        """
        return max(0, bisect_right(self.firsts, number) - 1)

    def tasks(self, route: Route) -> int:
        return {Route.BUCKETS: self.buckets, Route.ONE: 1, Route.PARTS: len(self.firsts)}[route]


class Program(NamedTuple):
    """All that a task must know; `parts` are the sinks that executors write."""

    graph: Graph
    segments: list[Segment]
    layout: Layout
    parts: tuple[PartSink, ...] = ()


def work(program: bytes, index: int, elements: Iterable) -> Iterator:
    """Takes the elements of a partition through a segment and addresses them to the next one.

    The first segment is given bare pieces, and the last one gives them.
    """
    graph, segments, layout, sinks = loaded(program)
    segment = segments[index]
    pieces = _arriving(graph, segment, elements)
    for stage in segment.stages[segment.route is Route.BUCKETS:]:
        pieces = _STAGES[stage.sharing](graph, stage, pieces)
    pieces = (_thinned(piece, segment.kept) for piece in pieces)
    if index + 1 < len(segments):
        return _addressed(segments[index + 1], layout, pieces)
    return map(encoded, _left(graph, sinks, pieces) if sinks else pieces)


def _arriving(graph: Graph, segment: Segment, elements: Iterable) -> Iterator[Piece]:
    if segment.route is Route.SOURCE:
        return (piece for data in elements for piece in _read(data))
    groups = groupby(elements, key=itemgetter(0))
    if segment.route is Route.BUCKETS:
        return by_bucket(graph, segment.stages[0], groups)
    return (whole([decoded(data) for _, (_, _, data) in group]) for _, group in groups)


def _read(data: bytes) -> Iterable[Piece]:
    """A slice that the driver has read, or all slices of a part of the input."""
    given = loaded(data)
    return (opened(given),) if isinstance(given, Piece) else given.pieces()


def _left(graph: Graph, sinks: tuple[PartSink, ...], pieces: Iterator[Piece]) -> Iterator[Piece]:
    """What the driver still has to write, and know."""
    from pyspark import TaskContext

    names = {sink.name for sink in sinks}
    kept = frozenset(op.inputs[0] for op in graph.sinks if op.name not in names)
    done = written(sinks, TaskContext.get().partitionId(), pieces)
    return (_thinned(piece, kept) for piece in done)


def _thinned(piece: Piece, kept: frozenset[str]) -> Piece:
    return piece._replace(flows={q: f for q, f in piece.flows.items() if q in kept})


def _addressed(segment: Segment, layout: Layout, pieces: Iterable[Piece]) -> Iterator[Element]:
    """Each piece with its key: (task, number of the slice)."""
    for piece in pieces:
        if segment.route is Route.BUCKETS:
            yield from errands(segment, layout.buckets, piece)
        else:
            task = 0 if segment.route is Route.ONE else layout.part_of(piece.number)
            yield (task, piece.number), (PASS, None, encoded(piece))


def _stateless(graph: Graph, stage: Stage, pieces: Iterable[Piece]) -> Iterator[Piece]:
    line = Line(graph, stage.operators)
    for piece in pieces:
        outcome = line.run(piece.number, entering(piece, stage.inputs))
        flows = piece.flows | dict(zip(stage.outputs, outcome.outputs))
        yield piece.with_flows(flows, dated(outcome.failures))


def _in_order(graph: Graph, stage: Stage, pieces: Iterable[Piece]) -> Iterator[Piece]:
    line = Line(graph, stage.operators)
    for piece in pieces:
        rows = gathered([batch(piece, q) for q in stage.inputs])
        at_end = piece.final in stage
        outcome = line.finish(piece.number, piece.final) if at_end else \
            line.run(piece.number, Flow(rows.origins, rows.items, rows.ports))
        flows = piece.flows | dict(zip(stage.outputs, outcome.outputs))
        yield (done := piece.with_flows(flows, dated(outcome.failures, at_end)))
        if done.failures:
            # Nothing behind this slice is ever asked for.
            return


def _together(graph: Graph, stage: Stage, pieces: Iterable[Piece]) -> Iterator[Piece]:
    rounds = Rounds(graph, stage, emit=_no_sink, stopped=lambda: False)
    for piece in pieces:
        yield (done := in_rounds(rounds, stage, piece))
        if done.failures:
            return


def in_rounds(rounds, stage: Stage, piece: Piece) -> Piece:
    """The piece after the operators that run together, up to the first failure so far."""
    flows, failures = rounds.finish_one(piece.final) if piece.final in stage else \
        rounds.run([_before(piece, batch(piece, q)) for q in stage.inputs])
    return piece.with_flows(piece.flows | dict(zip(stage.outputs, flows)), failures)


def _before(piece: Piece, entire: Batch) -> Batch:
    if piece.failure is None:
        return entire
    kept = sum(1 for origin in entire.origins if origin < piece.failure.when[0])
    return Batch(entire.origins[:kept], entire.items[:kept])


def _no_sink(op, item) -> None:
    raise AssertionError(f"{op.name} is written by the driver")


_STAGES: dict[Sharing, Callable] = {Sharing.ANY: _stateless, Sharing.ONE: _in_order,
                                    Sharing.TOGETHER: _together}
