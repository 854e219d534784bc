"""Pieces of slices: what travels through Spark, and the stamps that put items back in order.

A slice is a number of consecutive source tuples, as in the multicore engine; its number is a pair
that grows. On a queue an item's stamp says where it stands within its slice: the place of its
source tuple, or a tuple that begins with it. Items with the same stamp are in one piece, in order.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import NamedTuple

from anabranch.engine.multicore.line import Flow
from anabranch.engine.multicore.slices import Batch, Failure
from anabranch.engine.multicore.transport import packed, unpacked
from anabranch.engine.spark.travel import dumped, loaded

Number = tuple[int, int]
LAST = 1 << 60
"""The first half of the numbers of slices that stand for the end of the input."""


class Piece(NamedTuple):
    """A part of a slice, or all of it: the items of some queues with their stamps.

    `final` names the operator that is told of the end of the input with this slice. The rest is for
    the driver: `read` counts the source tuples that were read on an executor, `bad` its malformed
    rows by file, `times` has the first and the last time of a timed source, and `written` counts
    what an executor has written: (sink, part, rows).
    """

    number: Number
    flows: dict[str, Flow]
    final: str | None = None
    failures: tuple[Failure, ...] = ()
    read: tuple[tuple[str, int], ...] = ()
    bad: tuple[tuple[str, int], ...] = ()
    times: tuple[tuple[object, object], ...] = ()
    written: tuple[tuple[str, int, int], ...] = ()

    def with_flows(self, flows: dict[str, Flow], failures: Iterable[Failure] = ()) -> Piece:
        return self._replace(flows=flows, failures=(*self.failures, *failures))

    @property
    def failure(self) -> Failure | None:
        """The first one."""
        return min(self.failures, key=itemgetter(0), default=None)


def encoded(piece: Piece) -> bytes:
    flows = {q: (packed_rows(f.rows), packed(f.items)) for q, f in piece.flows.items() if f.items}
    return dumped(piece._replace(flows=flows))


def packed_rows(rows: Sequence) -> Sequence:
    """Row numbers as one block of machine integers; what is none stays as it is."""
    try:
        return rows if isinstance(rows, range) else array("q", rows)
    except TypeError:
        return rows


def decoded(data: bytes) -> Piece:
    return opened(loaded(data))


def opened(piece: Piece) -> Piece:
    return piece._replace(flows={q: Flow(rows, unpacked(pack))
                                 for q, (rows, pack) in piece.flows.items()})


def origin(stamp: int | tuple) -> int:
    """The place of the source tuple within its slice.

    >>> origin(3), origin((3, 0, 1))
    (3, 3)
    """
    return stamp[0] if isinstance(stamp, tuple) else stamp


def at_port(stamp: int | tuple, port: int) -> tuple:
    """The stamp of an item that enters a stage with several inputs: the first port goes first.

    >>> at_port(3, 1), at_port((3, 0, 1), 0)
    ((3, 1), (3, 0, 0, 1))
    """
    return (stamp[0], port, *stamp[1:]) if isinstance(stamp, tuple) else (stamp, port)


def entering(piece: Piece, inputs: Sequence[str]) -> Flow:
    """What a piece brings to the ports of a stage, in order."""
    if len(inputs) == 1:
        return piece.flows.get(inputs[0], Flow((), []))
    triples = [(at_port(stamp, port), port, item) for port, queue in enumerate(inputs)
               if queue in piece.flows
               for stamp, item in zip(piece.flows[queue].rows, piece.flows[queue].items)]
    triples.sort(key=itemgetter(0))
    stamps, ports, items = zip(*triples) if triples else ((), (), ())
    return Flow(stamps, list(items), ports)


def told_apart(stamps: Sequence) -> list[tuple]:
    """Stamps that differ also where several items had the same: these may now part.

    >>> told_apart([1, 1, 2])
    [(1, 0), (1, 1), (2, 0)]
    """
    apart, last, count = [], None, 0
    for stamp in stamps:
        count = count + 1 if stamp == last else 0
        last = stamp
        apart.append((*stamp, count) if isinstance(stamp, tuple) else (stamp, count))
    return apart


def whole(pieces: Sequence[Piece]) -> Piece:
    """All pieces of a slice as one, the items of every queue in the order of their stamps."""
    if len(pieces) == 1:
        return pieces[0]
    queues = dict.fromkeys(q for piece in pieces for q in piece.flows)
    flows = {q: merged([p.flows[q] for p in pieces if q in p.flows]) for q in queues}
    return Piece(pieces[0].number, flows, pieces[0].final,
                 *(tuple(each for p in pieces for each in getattr(p, name))
                   for name in ("failures", "read", "bad", "times")))


def merged(flows: Sequence[Flow]) -> Flow:
    """Several flows of one queue as one; each is in order already.

    >>> merged([Flow([0, 2], ["a", "c"]), Flow([1], ["b"])]).items
    ['a', 'b', 'c']
    """
    if len(flows) == 1:
        return flows[0]
    ports = [0] * sum(len(f.items) for f in flows) if flows[0].ports is None else \
        [p for f in flows for p in f.ports]
    triples = zip((s for f in flows for s in f.rows), (i for f in flows for i in f.items), ports)
    # The sort is stable and finds the runs, so it merges them.
    stamps, items, ports = zip(*sorted(triples, key=itemgetter(0)))
    return Flow(stamps, list(items), None if flows[0].ports is None else ports)


def batch(piece: Piece, queue: str) -> Batch:
    """The items of a queue with their origins, which is all that matters in a whole slice."""
    flow = piece.flows.get(queue)
    return Batch([origin(s) for s in flow.rows], flow.items) if flow else Batch((), [])


def dated(failures: Iterable[Failure], at_end: bool = False) -> list[Failure]:
    """Failures of a line, (operator, stamp), in the order of the program."""
    return [Failure((0 if at_end else origin(stamp), position, stamp), error)
            for (position, stamp), error in failures]
