"""Pieces of slices: what travels through Spark.

A slice is a number of consecutive source tuples, as in the multicore engine; its number is a pair
that grows. Items that are held in columns travel as Arrow's, all others as Python's own. Of columns
of which only some were read, who needs a whole item in another task reads the slice again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from operator import itemgetter
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from anabranch.batch.items import Columns, joined
from anabranch.batch.narrow import Narrow
from anabranch.batch.slices import Batch, Failure, Flow, parted
from anabranch.batch.transport import packed, unpacked
from anabranch.engine.spark.job.lines import TaskMeasurement
from anabranch.engine.spark.job.pickling import dumped, loaded
from anabranch.engine.spark.job.stamps import at_port, merged_order, origin, origins, stamps_of
from anabranch.io.arrow.extract import Extract, Names, with_nulls
from anabranch.io.columns import columns_of
from anabranch.ir.types import Type

Number = tuple[int, int]
LAST = 1 << 60
"""The first half of the numbers of slices that stand for the end of the input."""


class SlicePiece(NamedTuple):
    """A part of a slice, or all of it: the items of some queues with their stamps.

    `final` names the operator that is told of the end of the input with this slice. The rest is for
    the driver: `read` counts the source tuples that were read on an executor, and in which form,
    `bad` its malformed rows by file, `times` has the first and the last time of a timed source,
    `measured` what each stage did, `written` counts what an executor has written: (sink, part,
    rows), and `late` has
    the rows that came too late for their windows.
    """

    number: Number
    flows: dict[str, Flow]
    final: str | None = None
    failures: tuple[Failure, ...] = ()
    read: tuple[tuple[str, int, str], ...] = ()
    bad: tuple[tuple[str, int], ...] = ()
    times: tuple[tuple[object, object], ...] = ()
    measured: tuple[TaskMeasurement, ...] = ()
    written: tuple[tuple[str, int, int], ...] = ()
    late: tuple[Failure, ...] = ()

    def with_flows(self, flows: dict[str, Flow], failures: Iterable[Failure] = (),
                   measured: Iterable[TaskMeasurement] = ()) -> SlicePiece:
        failures, late = parted(failures)
        return self._replace(flows=flows, failures=(*self.failures, *failures),
                             late=(*self.late, *late), measured=(*self.measured, *measured))

    @property
    def failure(self) -> Failure | None:
        """The first one."""
        return min(self.failures, key=itemgetter(0), default=None)


def encoded(piece: SlicePiece) -> bytes:
    flows = {q: _packed(stamps_of(f.rows), f.items) for q, f in piece.flows.items()
             if len(f.items)}
    return dumped(piece._replace(flows=flows))


def at_hand(piece: SlicePiece) -> SlicePiece:
    """The same piece for a segment that runs in the same task."""
    return piece._replace(flows={q: Flow(stamps_of(f.rows), f.items)
                                 for q, f in piece.flows.items() if len(f.items)})


def decoded(data: bytes | SlicePiece) -> SlicePiece:
    return data if isinstance(data, SlicePiece) else opened(loaded(data))


def opened(piece: SlicePiece) -> SlicePiece:
    return piece._replace(flows={q: Flow(rows, _unpacked(rows, pack))
                                 for q, (rows, pack) in piece.flows.items()})


class Again(NamedTuple):
    """How whole items are found: in a slice that is read again, at places that are the origins of
    their stamps unless they are told."""

    read: Names
    again: Callable[[], pa.RecordBatch]
    places: np.ndarray | None


class Arrow(NamedTuple):
    """Items in columns, as Arrow's stream of bytes; without those that have not been read."""

    type: Type
    data: bytes
    again: Again | None = None


def _packed(stamps: Sequence, items: Sequence) -> tuple[Sequence, object]:
    if isinstance(items, Distant):
        places = None if np.array_equal(origins(stamps), items.places) else items.places
        names = [name for name in items.part.schema.names if name in items.read]
        return stamps, Arrow(items.type, _bytes(items.part.select(names)),
                             Again(items.read, items.again, places))
    if isinstance(items, Columns):
        return stamps, Arrow(items.type, _bytes(items.batch))
    return stamps, packed(items)


def _bytes(batch: pa.RecordBatch) -> bytes:
    out = pa.BufferOutputStream()
    with pa.ipc.new_stream(out, batch.schema) as stream:
        stream.write_batch(batch)
    return out.getvalue().to_pybytes()


def _unpacked(stamps: Sequence, pack: object) -> Sequence:
    if not isinstance(pack, Arrow):
        return unpacked(pack)
    with pa.ipc.open_stream(pack.data) as stream:
        batch = stream.read_next_batch()
    if pack.again is None:
        return Columns(batch, pack.type)
    read, again, places = pack.again
    arrays = [batch.column(name) if name in read else None for name in columns_of(pack.type)]
    return Distant(with_nulls(arrays, len(stamps), pack.type), pack.type, read, again,
                   origins(stamps) if places is None else places)


def entering(piece: SlicePiece, inputs: Sequence[str]) -> Flow:
    """What a piece brings to the ports of a stage, in order."""
    if len(inputs) == 1:
        flow = piece.flows.get(inputs[0], Flow((), []))
        return Flow(stamps_of(flow.rows), flow.items)
    triples = [(at_port(stamp, port), port, item) for port, queue in enumerate(inputs)
               if queue in piece.flows
               for stamp, item in zip(piece.flows[queue].rows, piece.flows[queue].items)]
    triples.sort(key=itemgetter(0))
    stamps, ports, items = zip(*triples) if triples else ((), (), ())
    return Flow(stamps_of(stamps), list(items), ports)


def whole(pieces: Sequence[SlicePiece]) -> SlicePiece:
    """All pieces of a slice as one, the items of every queue in the order of their stamps."""
    if len(pieces) == 1:
        return pieces[0]
    queues = dict.fromkeys(q for piece in pieces for q in piece.flows)
    flows = {q: merged([p.flows[q] for p in pieces if q in p.flows]) for q in queues}
    return SlicePiece(pieces[0].number, flows, pieces[0].final, **{
        name: tuple(each for p in pieces for each in getattr(p, name))
        for name in ("failures", "read", "bad", "times", "measured", "late")})


def merged(flows: Sequence[Flow]) -> Flow:
    """Several flows of one queue as one; each is in order already.

    >>> list(merged([Flow([0, 2], ["a", "c"]), Flow([1], ["b"])]).items)
    ['a', 'b', 'c']
    """
    if len(flows) == 1:
        return flows[0]
    stamps, places = merged_order([stamps_of(flow.rows) for flow in flows])
    items = picked_items(joined([flow.items for flow in flows]), places)
    if flows[0].ports is None:
        return Flow(stamps, items)
    ports = [port for flow in flows for port in flow.ports]
    return Flow(stamps, items, [ports[place] for place in places.tolist()])


def picked_items(items: Sequence, places: np.ndarray) -> Sequence:
    """The items at these places, in columns where they are."""
    if isinstance(items, Columns):
        return items.taken(places)
    return [items[place] for place in places.tolist()]


def batch(piece: SlicePiece, queue: str) -> Batch:
    """The items of a queue with their origins, which is all that matters in a whole slice."""
    flow = piece.flows.get(queue)
    return Batch(origins(flow.rows).tolist(), flow.items) if flow else Batch((), [])


def dated(failures: Iterable[Failure], at_end: bool = False) -> list[Failure]:
    """Failures of a line, (operator, stamp), in the order of the program."""
    return [Failure((0 if at_end else origin(stamp), position, stamp), error)
            for (position, stamp), error in failures]


def slice_of(extract: Extract, type: Type, start: int, longest: int) -> Columns:
    """The rows of an extract from one place on, as items."""
    part = extract.batch.slice(start, longest)
    if extract.read >= set(part.schema.names):
        return Columns(part, type)
    again = partial(_rows, extract.whole, start, len(part))
    return Distant(part, type, extract.read, again, np.arange(len(part)))


class Distant(Narrow):
    """Items at these places of a slice, which `again` reads wholly."""

    def __init__(self, part: pa.RecordBatch, type: Type, read: Names,
                 again: Callable[[], pa.RecordBatch], places: np.ndarray):
        super().__init__(part, type, read, lambda: again().take(pa.array(places)))
        self.again, self.places = again, places

    def between(self, start: int, stop: int) -> Distant:
        return Distant(self.part.slice(start, stop - start), self.type, self.read, self.again,
                       self.places[start:stop])

    def taken(self, places: np.ndarray) -> Distant:
        return Distant(self.part.take(pa.array(places)), self.type, self.read, self.again,
                       self.places[places])


def _rows(whole: Callable[[], pa.RecordBatch], start: int, count: int) -> pa.RecordBatch:
    return whole().slice(start, count)
