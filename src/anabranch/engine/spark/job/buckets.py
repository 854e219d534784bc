"""A partitioned stage: rows go to the buckets of their keys, each a line of its own.

An element on its way to a bucket is `((bucket, slice), (errand, about, piece))`. Besides rows and
the news of the end there are pieces that only pass by: other queues of the slice, its failures. The
bucket of a key is the same for items in columns and for Python objects, and in every process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from anabranch.batch.buckets import spread, spread_all
from anabranch.batch.items import Columns
from anabranch.batch.slices import Flow
from anabranch.engine.spark.job.lines import LineMeter, run_line
from anabranch.engine.spark.job.pieces import (
    Number,
    SlicePiece,
    dated,
    decoded,
    encoded,
    entering,
    merged,
    picked_items,
)
from anabranch.engine.spark.job.stamps import are_apart, taken, told_apart
from anabranch.io.columns import columns_of
from anabranch.ir.keys import key_hash
from anabranch.ir.operators import key_function
from anabranch.plan.physical.spark.segments import Segment
from anabranch.plan.physical.spark.tiers import notes_keys
from anabranch.plan.physical.stages import Stage

PASS, RUN, FINISH = "pass", "run", "finish"
ROWS = "rows"
"""The name under which the rows for a bucket travel."""


class About(NamedTuple):
    """What goes with rows: their ports, and their places in the whole slice where it is known."""

    ports: tuple | None = None
    places: np.ndarray | None = None


Element = tuple[tuple[int, Number], tuple[str, About | None, bytes | SlicePiece]]


def errands(segment: Segment, buckets: int, piece: SlicePiece, is_whole: bool,
            packed: Callable[[SlicePiece], bytes | SlicePiece] = encoded) -> Iterator[Element]:
    """What becomes of a piece before a partitioned stage, the first of its segment.

    `is_whole` says that it is not a piece but all of the slice; `packed` is how it travels.
    """
    stage = segment.stages[0]
    rest = passing(segment, piece)
    if any(rest[1:]):
        bucket = spread(hash(piece.number), buckets)
        yield (bucket, piece.number), (PASS, None, packed(rest))
    news = SlicePiece(piece.number, {}, piece.final)
    if piece.final in stage:
        for bucket in range(buckets):
            yield (bucket, piece.number), (FINISH, None, packed(news))
    for bucket, about, flow in _split(stage, buckets, entering(piece, stage.inputs), is_whole):
        yield (bucket, piece.number), (RUN, about, packed(news._replace(flows={ROWS: flow})))


def passing(segment: Segment, piece: SlicePiece) -> SlicePiece:
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
              groups: Iterable[tuple]) -> Iterator[SlicePiece]:
    """What the buckets of a partition give; the groups come bucket by bucket, slices in order.

    `opened(bucket)` gives the line of a bucket, and `closed` is told when it has done all.
    """
    present, line, meter = None, None, None
    for (bucket, number), group in groups:
        if bucket != present:
            if line is not None:
                closed(present, line)
            present, line = bucket, opened(bucket)
            meter = LineMeter(stage, line)
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


def _served(meter: LineMeter, stage: Stage, number: Number,
            given: list[tuple]) -> Iterator[SlicePiece]:
    line = meter.line
    flows = [(piece.flows[ROWS]._replace(ports=about.ports), about.places)
             for errand, about, piece in given if errand == RUN]
    if flows:
        outcome = _ran(line, stage, number, flows)
        came = sum(len(flow.items) for flow, _ in flows)
        yield SlicePiece(number, {}).with_flows(dict(zip(stage.outputs, outcome.outputs)),
                                           dated(outcome.failures), meter.measured(came, outcome))
    for final in {piece.final for errand, _, piece in given if errand == FINISH}:
        outcome = line.finish(number, final)
        outputs = [Flow([(0, row) for row in flow.rows], flow.items) for flow in outcome.outputs]
        yield SlicePiece(number, dict(zip(stage.outputs, outputs)), final,
                    tuple(dated(outcome.failures, at_end=True)),
                    measured=meter.measured(0, outcome))


def _ran(line, stage: Stage, number: Number, flows: list[tuple[Flow, np.ndarray | None]]):
    flow, places = merged([flow for flow, _ in flows]), flows[0][1]
    if places is None and notes_keys(stage):
        # The stamps themselves are remembered, to be compared with those of other buckets.
        return line.run(number, Flow(list(flow.rows), flow.items, flow.ports))
    return run_line(line, number, flow, places)


_MODULUS = np.uint64((1 << 61) - 1)
_FACTOR = np.uint64(1_000_003)


def buckets_of(stage: Stage, flow: Flow, buckets: int) -> np.ndarray:
    """The bucket of each item that enters a partitioned stage."""
    hashes = _hashes(flow.items, stage.keys[0]) if isinstance(flow.items, Columns) else None
    if hashes is not None:
        return spread_all(hashes, buckets)
    key_of = [key_function(key) for key in stage.keys]
    ports = flow.ports or (0,) * len(flow.items)
    return np.array([_bucket(key_of[port], item, buckets)
                     for port, item in zip(ports, flow.items)], np.int64)


def _bucket(key_of, item: object, buckets: int) -> int:
    try:
        return bucket_of_key(key_of(item), buckets)
    except Exception:
        # Of items without the key the operator will say better what is wrong with them.
        return 0


def bucket_of_key(key: object, buckets: int) -> int:
    """The bucket of a key, the same in every process; those of a kind that hashes differently in
    each meet in one."""
    try:
        return spread(key_hash(key), buckets)
    except Exception:
        return 0


def _hashes(items: Columns, key: Sequence[str]) -> np.ndarray | None:
    """`key_hash` of each item's key, as an unsigned number; None when columns do not tell it."""
    names = columns_of(items.type)
    if not key or not all(name in names for name in key):
        return None
    columns = [_column_hashes(items.column(name)) for name in key]
    if len(columns) == 1:
        return columns[0]
    result = np.zeros(len(items), np.uint64)
    for column in columns:
        result = result * _FACTOR ^ column
    return result


def _column_hashes(column: pa.Array) -> np.ndarray:
    if pa.types.is_int64(column.type) and not column.null_count:
        return _int_hashes(column.to_numpy())
    coded = column.dictionary_encode(null_encoding="encode")
    each = [key_hash(value) & 0xFFFFFFFFFFFFFFFF for value in coded.dictionary.to_pylist()]
    return np.array(each, np.uint64)[coded.indices.to_numpy()]


def _int_hashes(values: np.ndarray) -> np.ndarray:
    """Python's hash of each integer.

    >>> numbers = np.array([5, -1, -7, 2**61, -2**63])
    >>> _int_hashes(numbers).astype(np.int64).tolist() == [hash(int(n)) for n in numbers]
    True
    """
    negative = values < 0
    size = np.where(negative, -values, values).view(np.uint64) % _MODULUS
    hashes = np.where(negative, -size.view(np.int64), size.view(np.int64))
    return np.where(hashes == -1, -2, hashes).view(np.uint64)
