"""From relations to streams, and from batches to what is written.

Within a timestamp rows are in the order of their columns; of a relation's changes, deletions come
before insertions.
"""

from __future__ import annotations

from collections.abc import Iterable

from anabranch.ir.records import State
from anabranch.lang.cql.running.batches import Batch, Change, Pair, in_order, net


def istream(batch: Batch) -> Batch:
    """The rows that are new at this instant."""
    return Batch(batch.timestamp, _rows((row, n) for row, n in net(batch.changes) if n > 0))


def dstream(batch: Batch) -> Batch:
    """The rows that are gone at this instant."""
    return Batch(batch.timestamp, _rows((row, -n) for row, n in net(batch.changes) if n < 0))


class Present(State):
    rows: dict = {}


def rstream(state: Present, pair: Pair) -> list[Batch]:
    """All rows of this instant, if any has changed or something has come on the right: rows of an
    input that the relation is made of."""
    changes = net(pair.left)
    for row, n in changes:
        count = state.rows.pop(row, 0) + n
        if count:
            state.rows[row] = count
    written = _rows(state.rows.items()) if changes or pair.right else ()
    return [Batch(pair.timestamp, written)]


def _rows(counted: Iterable[Change]) -> tuple[Change, ...]:
    """The rows in order, each as often as it is there."""
    counts = dict(counted)
    return tuple((row, 1) for row in in_order(counts) for _ in range(counts[row]))


def stream_rows(batch: Batch, record: type) -> list:
    return [record(batch.timestamp, *row) for row, _ in batch.changes]


def relation_changes(batch: Batch, record: type) -> list:
    counts = dict(net(batch.changes))
    gone, new = [row for row in counts if counts[row] < 0], [r for r in counts if counts[r] > 0]
    return [record(batch.timestamp, op, *row)
            for op, rows in (("-", in_order(gone)), ("+", in_order(new)))
            for row in rows for _ in range(abs(counts[row]))]
