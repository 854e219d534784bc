"""A partitioned stage: its rows go to the buckets of their keys, each bucket a line of its own.

An element on its way to a bucket is `((bucket, slice), (errand, ports, piece))`. Besides rows and
the news of the end there are pieces that only pass by: other queues of the slice, its failures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from anabranch.engine.multicore.line import Flow, Line
from anabranch.engine.multicore.partitioned import spread
from anabranch.engine.multicore.stages import Stage
from anabranch.engine.spark.pieces import (
    Number,
    Piece,
    dated,
    decoded,
    encoded,
    entering,
    merged,
    told_apart,
)
from anabranch.engine.spark.segments import Segment
from anabranch.ir.graph import Graph
from anabranch.ir.operators import key_function
from anabranch.rewrite.channels.routing import key_hash

PASS, RUN, FINISH = "pass", "run", "finish"
ROWS = "rows"
"""The name under which the rows for a bucket travel."""

Element = tuple[tuple[int, Number], tuple[str, tuple | None, bytes]]


def errands(segment: Segment, buckets: int, piece: Piece) -> Iterator[Element]:
    """What becomes of a piece before a partitioned stage, the first of its segment."""
    stage = segment.stages[0]
    passing = _passing(segment, piece)
    if any(passing[1:]):
        bucket = spread(hash(piece.number), buckets)
        yield (bucket, piece.number), (PASS, None, encoded(passing))
    about = Piece(piece.number, {}, piece.final)
    if piece.final in stage:
        for bucket in range(buckets):
            yield (bucket, piece.number), (FINISH, None, encoded(about))
    for bucket, flow in _split(stage, buckets, entering(piece, stage.inputs)).items():
        ports = flow.ports and tuple(flow.ports)
        rows = about._replace(flows={ROWS: Flow(flow.rows, flow.items)})
        yield (bucket, piece.number), (RUN, ports, encoded(rows))


def _passing(segment: Segment, piece: Piece) -> Piece:
    """What of a piece is of use behind the stage."""
    wanted = segment.kept.union(*(stage.inputs for stage in segment.stages[1:]))
    return piece._replace(flows={q: f for q, f in piece.flows.items() if q in wanted})


def _split(stage: Stage, buckets: int, flow: Flow) -> dict[int, Flow]:
    key_of = [key_function(key) for key in stage.keys]
    ports = flow.ports or (0,) * len(flow.items)
    flows: dict[int, Flow] = {}
    for stamp, port, item in zip(told_apart(flow.rows), ports, flow.items):
        bucket = _bucket(key_of[port], item, buckets)
        if bucket not in flows:
            flows[bucket] = Flow([], [], [] if flow.ports else None)
        flows[bucket].rows.append(stamp)
        flows[bucket].items.append(item)
        if flow.ports:
            flows[bucket].ports.append(port)
    return flows


def _bucket(key_of, item: object, buckets: int) -> int:
    try:
        return spread(key_hash(key_of(item)), buckets)
    except Exception:
        # Keys of a kind that hashes differently in every process meet in one bucket; so do items
        # without the key, on which the operator will fail, and say so better.
        return 0


def by_bucket(graph: Graph, stage: Stage, groups: Iterable[tuple]) -> Iterator[Piece]:
    """What the buckets of a partition give; the groups come bucket by bucket, slices in order."""
    present, line = None, None
    for (bucket, number), group in groups:
        if bucket != present:
            present, line = bucket, Line(graph, stage.operators, buckets=True)
        given = [(errand, ports, decoded(data)) for _, (errand, ports, data) in group]
        yield from (piece for errand, _, piece in given if errand == PASS)
        if line is not None:
            served = list(_served(line, stage, number, given))
            yield from served
            if any(piece.failures for piece in served):
                # Its state is broken, and nothing behind this slice is ever asked for.
                line = None


def _served(line: Line, stage: Stage, number: Number, given: list[tuple]) -> Iterator[Piece]:
    flows = [piece.flows[ROWS]._replace(ports=ports) for errand, ports, piece in given
             if errand == RUN]
    if flows:
        outcome = line.run(number, merged(flows))
        yield Piece(number, dict(zip(stage.outputs, outcome.outputs)),
                    failures=tuple(dated(outcome.failures)))
    for final in {piece.final for errand, _, piece in given if errand == FINISH}:
        outcome = line.finish(number, final)
        outputs = [Flow([(0, row) for row in flow.rows], flow.items) for flow in outcome.outputs]
        yield Piece(number, dict(zip(stage.outputs, outputs)), final,
                    tuple(dated(outcome.failures, at_end=True)))
