"""Windows: from the new rows of a stream to the changes of a relation."""

from __future__ import annotations

from collections import deque

from anabranch.ir.records import State
from anabranch.lang.cql.running.batches import Batch
from anabranch.lang.cql.running.moves import last_multiple
from anabranch.lang.cql.running.shards import Part, Shard


class Kept(State):
    """The rows in a window, oldest first; `waiting` are those that a sliding window has yet to
    take in."""

    rows: deque = deque()
    waiting: deque = deque()


def now(state: Kept, batch: Batch) -> list[Batch]:
    """The rows of this instant alone."""
    gone = [(row, -n) for row, n in state.rows]
    state.rows = deque(batch.changes)
    return [Batch(batch.timestamp, (*gone, *batch.changes))]


def recent(state: Kept, batch: Batch, length: object) -> list[Batch]:
    """The rows of the last `length`, both ends included."""
    gone, end = [], batch.timestamp - length
    while state.rows and state.rows[0][0] < end:
        gone.append((state.rows.popleft()[1], -1))
    state.rows.extend((batch.timestamp, row) for row, _ in batch.changes)
    return [Batch(batch.timestamp, (*gone, *batch.changes))]


def sliding(state: Kept, batch: Batch, length: object, slide: object) -> list[Batch]:
    """As `recent`, as of the last multiple of `slide`."""
    state.waiting.extend((batch.timestamp, row) for row, _ in batch.changes)
    as_of, changes = last_multiple(batch.timestamp, slide), []
    while state.rows and state.rows[0][0] < as_of - length:
        changes.append((state.rows.popleft()[1], -1))
    while state.waiting and state.waiting[0][0] <= as_of:
        time, row = state.waiting.popleft()
        if time >= as_of - length:
            state.rows.append((time, row))
            changes.append((row, 1))
    return [Batch(batch.timestamp, tuple(changes))]


def last_rows(state: Kept, batch: Batch, count: int) -> list[Batch]:
    """The last `count` rows."""
    changes = list(batch.changes)
    state.rows.extend(row for row, _ in batch.changes)
    while len(state.rows) > count:
        changes.append((state.rows.popleft(), -1))
    return [Batch(batch.timestamp, tuple(changes))]


def sliding_rows(state: Kept, batch: Batch, count: int, slide: int) -> list[Batch]:
    """As `last_rows`, as of when the number of rows so far was last a multiple of `slide`."""
    state.waiting.extend(batch.changes)
    due = len(state.waiting) // slide * slide
    entering = tuple(state.waiting.popleft() for _ in range(due))
    return last_rows(state, Batch(batch.timestamp, entering), count)


class Partitions(State):
    """The rows of each partition with their times, and the times of all in order."""

    rows: dict = {}
    times: deque = deque()


def last_of_each(state: Partitions, shard: Shard, count: int) -> list[Part]:
    """The last `count` rows of each partition."""
    changes = []
    for key, row, _ in shard.left:
        rows = state.rows.setdefault(key, deque())
        rows.append(row)
        changes.append((row, 1))
        if len(rows) > count:
            changes.append((rows.popleft(), -1))
    return [Part(shard.timestamp, shard.bucket, shard.of, tuple(changes))]


def last_recent_rows(state: Partitions, batch: Batch, key: object, count: int,
                     length: object) -> list[Batch]:
    """The last `count` rows of each partition, as far as they are of the last `length`."""
    changes, end = [], batch.timestamp - length
    while state.times and state.times[0][0] < end:
        _, partition = state.times.popleft()
        rows = state.rows.get(partition, ())
        if rows and rows[0][0] < end:
            changes.append((rows.popleft()[1], -1))
        if not rows:
            state.rows.pop(partition, None)
    for row, _ in batch.changes:
        partition = key(row)
        rows = state.rows.setdefault(partition, deque())
        rows.append((batch.timestamp, row))
        state.times.append((batch.timestamp, partition))
        changes.append((row, 1))
        if len(rows) > count:
            changes.append((rows.popleft()[1], -1))
    return [Batch(batch.timestamp, tuple(changes))]
