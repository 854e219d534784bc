"""A partitioned stage: its rows go to the buckets of their keys, each bucket a line of its own.

An element on its way to a bucket is `((bucket, slice), (errand, about, piece))`. Besides rows and
the news of the end there are pieces that only pass by: other queues of the slice, its failures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from anabranch.engine.multicore.flows import Flow
from anabranch.engine.multicore.routing import spread
from anabranch.engine.multicore.stages import Stage
from anabranch.engine.spark.keys import buckets_of
from anabranch.engine.spark.lines import Meter, notes_keys, run_line
from anabranch.engine.spark.pieces import (
    Number,
    Piece,
    dated,
    decoded,
    encoded,
    entering,
    merged,
    picked_items,
)
from anabranch.engine.spark.segments import Segment
from anabranch.engine.spark.stamps import are_apart, taken, told_apart

PASS, RUN, FINISH = "pass", "run", "finish"
ROWS = "rows"
"""The name under which the rows for a bucket travel."""


class About(NamedTuple):
    """What goes with rows: their ports, and their places in the whole slice where it is known."""

    ports: tuple | None = None
    places: np.ndarray | None = None


Element = tuple[tuple[int, Number], tuple[str, About | None, bytes | Piece]]


def errands(segment: Segment, buckets: int, piece: Piece, is_whole: bool,
            packed: Callable[[Piece], bytes | Piece] = encoded) -> Iterator[Element]:
    """What becomes of a piece before a partitioned stage, the first of its segment.

    `is_whole` says that it is not a piece but all of the slice; `packed` is how it travels.
    """
    stage = segment.stages[0]
    rest = passing(segment, piece)
    if any(rest[1:]):
        bucket = spread(hash(piece.number), buckets)
        yield (bucket, piece.number), (PASS, None, packed(rest))
    news = Piece(piece.number, {}, piece.final)
    if piece.final in stage:
        for bucket in range(buckets):
            yield (bucket, piece.number), (FINISH, None, packed(news))
    for bucket, about, flow in _split(stage, buckets, entering(piece, stage.inputs), is_whole):
        yield (bucket, piece.number), (RUN, about, packed(news._replace(flows={ROWS: flow})))


def passing(segment: Segment, piece: Piece) -> Piece:
    """What of a piece is of use behind the stage."""
    wanted = segment.kept.union(*(stage.inputs for stage in segment.stages[1:]))
    return piece._replace(flows={q: f for q, f in piece.flows.items() if q in wanted})


def _split(stage: Stage, buckets: int, flow: Flow, is_whole: bool
           ) -> Iterator[tuple[int, About, Flow]]:
    if not len(flow.items):
        return
    stamps = flow.rows if is_whole and are_apart(flow.rows) else told_apart(flow.rows)
    of = buckets_of(stage, flow, buckets)
    order = np.argsort(of, kind="stable")
    chosen, starts = np.unique(of[order], return_index=True)
    for bucket, places in zip(chosen.tolist(), np.split(order, starts[1:])):
        ports = tuple(flow.ports[p] for p in places.tolist()) if flow.ports else None
        about = About(ports, places if is_whole and notes_keys(stage) else None)
        yield bucket, about, Flow(taken(stamps, places), picked_items(flow.items, places))


def by_bucket(stage: Stage, opened: Callable[[int], object], closed: Callable[[int, object], None],
              groups: Iterable[tuple]) -> Iterator[Piece]:
    """What the buckets of a partition give; the groups come bucket by bucket, slices in order.

    `opened(bucket)` gives the line of a bucket, and `closed` is told when it has done all.
    """
    present, line, meter = None, None, None
    for (bucket, number), group in groups:
        if bucket != present:
            if line is not None:
                closed(present, line)
            present, line = bucket, opened(bucket)
            meter = Meter(stage, line)
        given = [(errand, about, decoded(data)) for _, (errand, about, data) in group]
        yield from (piece for errand, _, piece in given if errand == PASS)
        if line is not None:
            served = list(_served(meter, stage, number, given))
            yield from served
            if any(piece.failures for piece in served):
                # Its state is broken, and nothing behind this slice is ever asked for.
                line = None
    if line is not None:
        closed(present, line)


def _served(meter: Meter, stage: Stage, number: Number, given: list[tuple]) -> Iterator[Piece]:
    line = meter.line
    flows = [(piece.flows[ROWS]._replace(ports=about.ports), about.places)
             for errand, about, piece in given if errand == RUN]
    if flows:
        outcome = _ran(line, stage, number, flows)
        came = sum(len(flow.items) for flow, _ in flows)
        yield Piece(number, {}).with_flows(dict(zip(stage.outputs, outcome.outputs)),
                                           dated(outcome.failures), meter.measured(came, outcome))
    for final in {piece.final for errand, _, piece in given if errand == FINISH}:
        outcome = line.finish(number, final)
        outputs = [Flow([(0, row) for row in flow.rows], flow.items) for flow in outcome.outputs]
        yield Piece(number, dict(zip(stage.outputs, outputs)), final,
                    tuple(dated(outcome.failures, at_end=True)),
                    measured=meter.measured(0, outcome))


def _ran(line, stage: Stage, number: Number, flows: list[tuple[Flow, np.ndarray | None]]):
    flow, places = merged([flow for flow, _ in flows]), flows[0][1]
    if places is None and notes_keys(stage):
        # The stamps themselves are remembered, to be compared with those of other buckets.
        return line.run(number, Flow(list(flow.rows), flow.items, flow.ports))
    return run_line(line, number, flow, places)
