"""Operators on rows: windows, groups, joins, marks on rows, and streams of changes.

A window makes the changes of a relation from the new rows of a stream; every other operator makes
the changes of its result from those of its inputs. A mark tells of each row of the left whether the
right has a row that goes with it.

From relations to streams, and from batches to what is written.

Within a timestamp rows are in the order of their columns; of a relation's changes, deletions come
before insertions.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Callable, Iterable
from operator import itemgetter

from anabranch.ir.records import State
from anabranch.lang.cql.execution.rows.batches import (
    Batch,
    Change,
    Entry,
    Order,
    Pair,
    Part,
    Shard,
    end_after,
    in_order,
    last_multiple,
    net,
    place_of,
    windows_of,
)
from anabranch.lang.cql.execution.rows.folds import new_folds


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


class Hops(State):
    """The rows that windows still to end have, with their times; the ends of these windows, and
    the rows of the one that has just ended."""

    rows: deque = deque()
    ends: set = set()
    latest: object = None
    shown: tuple = ()


def hopped(state: Hops, batch: Batch, length: object, slide: object) -> list[Batch]:
    """The rows of a window at the time at which it ends: from `length` before to just before."""
    now, gone = batch.timestamp, tuple((row, -1) for row in state.shown)
    state.shown = ()
    if now in state.ends:
        state.ends.remove(now)
        while state.rows and state.rows[0][0] < now - length:
            state.rows.popleft()
        state.shown = tuple(row for _, row in state.rows)
    if batch.changes:
        state.rows.extend((now, row) for row, _ in batch.changes)
        first = end_after(now, slide, 0)
        if first != state.latest:
            state.latest = first
            state.ends.update(end_after(now, slide, n) for n in range(windows_of(length, slide)))
    return [Batch(now, (*gone, *((row, 1) for row in state.shown)))]


class Sessions(State):
    """For each key the time of the last row of its session, and the rows; the times at which
    sessions may end, and the rows of those that have just ended."""

    open: dict = {}
    due: deque = deque()
    shown: tuple = ()


def ended_sessions(state: Sessions, batch: Batch, key: Callable, length: object) -> list[Batch]:
    """The rows of the sessions that end: `length` after its last row, if none comes before."""
    now, gone = batch.timestamp, tuple((row, -1) for row in state.shown)
    ended: list[tuple] = []
    while state.due and state.due[0][0] <= now:
        end, of = state.due.popleft()
        if of in state.open and state.open[of][0] + length == end:
            ended += state.open.pop(of)[1]
    state.shown = tuple(ended)
    for row, _ in batch.changes:
        of = key(row)
        rows = state.open[of][1] if of in state.open else []
        rows.append(row)
        if of not in state.open or state.open[of][0] != now:
            state.due.append((now + length, of))
        state.open[of] = (now, rows)
    return [Batch(now, (*gone, *((row, 1) for row in ended)))]


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


class Groups(State):
    """For each key: how many rows, its folds, and the row that stands for it in the result."""

    groups: dict = {}


def grouped(state: Groups, shard: Shard, kinds: tuple) -> list[Part]:
    """A row for each key that has rows, of the key and the results of its folds."""
    return [Part(shard.timestamp, shard.bucket, shard.of,
                 tuple(_regrouped(state.groups, shard.left, kinds)))]


def _regrouped(groups: dict, entries: Iterable[Entry], kinds: tuple) -> Iterable[Change]:
    touched = {}
    for key, values, n in entries:
        group = groups.get(key)
        if group is None:
            group = groups[key] = [0, new_folds(kinds), None]
        touched[key] = group
        group[0] += n
        for fold, value in zip(group[1], values):
            fold.change(value, n)
    for key, group in touched.items():
        count, folds, shown = group
        row = (*key, *(fold.result() for fold in folds)) if count else None
        if row != shown:
            yield from _replaced(shown, row)
            group[2] = row
        if not count:
            del groups[key]


def _replaced(old: tuple | None, new: tuple | None) -> Iterable[Change]:
    if old is not None:
        yield old, -1
    if new is not None:
        yield new, 1


class Whole(State):
    """The folds over all rows, and the row that they gave last."""

    folds: list = []
    shown: object = None


def aggregated(state: Whole, batch: Batch, values: Callable, kinds: tuple) -> list[Batch]:
    """One row, of the results of the folds over all rows; it is there even if no row is."""
    if not state.folds:
        state.folds = new_folds(kinds)
    for row, n in batch.changes:
        for fold, value in zip(state.folds, values(row)):
            fold.change(value, n)
    row = tuple(fold.result() for fold in state.folds)
    changes = () if row == state.shown else tuple(_replaced(state.shown, row))
    state.shown = row
    return [Batch(batch.timestamp, changes)]


class Sides(State):
    """The rows of both sides by their key, each with its number."""

    left: dict = {}
    right: dict = {}


def joined(state: Sides, shard: Shard) -> list[Part]:
    """Each row of the left with each row of the right of the same key. Null equals nothing."""
    out = []
    for key, row, n in shard.left:
        if None not in key:
            out += [(row + other, n * m) for other, m in state.right.get(key, {}).items()]
            change(state.left, key, row, n)
    for key, row, n in shard.right:
        if None not in key:
            out += [(other + row, n * m) for other, m in state.left.get(key, {}).items()]
            change(state.right, key, row, n)
    return [Part(shard.timestamp, shard.bucket, shard.of, tuple(out))]


def change(side: dict, key: object, row: tuple, n: int) -> None:
    """Adds a row `n` times to those of its key; what is there no times leaves no trace."""
    rows = side.get(key)
    if rows is None:
        rows = side[key] = {}
    count = rows.pop(row, 0) + n
    if count:
        rows[row] = count
    elif not rows:
        del side[key]


class Counted(State):
    """How often each row is on the left and on the right, for the rows that are."""

    rows: dict = {}


def combined(state: Counted, shard: Shard, times: Callable[[int, int], int]) -> list[Part]:
    """Each row as often as `times` says, of how often it is on the left and on the right."""
    before: dict[tuple, tuple[int, int]] = {}
    for side, entries in enumerate((shard.left, shard.right)):
        for _, row, n in entries:
            counts = state.rows.get(row, (0, 0))
            before.setdefault(row, counts)
            state.rows[row] = (counts[0] + n, counts[1]) if side == 0 else (counts[0],
                                                                            counts[1] + n)
    out = []
    for row, counts in before.items():
        if n := times(*state.rows[row]) - times(*counts):
            out.append((row, n))
        if state.rows[row] == (0, 0):
            del state.rows[row]
    return [Part(shard.timestamp, shard.bucket, shard.of, tuple(out))]


class Members(State):
    """The rows of the left by their key, and how many rows of the right have a key."""

    left: dict = {}
    right: dict = {}


def marked(state: Members, shard: Shard) -> list[Part]:
    """A row of the left is marked when the right has a row of its key. Null equals nothing."""
    out: list[Change] = []
    for key, row, n in shard.left:
        out.append(((*row, key in state.right), n))
        if None not in key:
            change(state.left, key, row, n)
    before = {}
    for key, _, n in shard.right:
        if None in key:
            continue
        before.setdefault(key, key in state.right)
        count = state.right.pop(key, 0) + n
        if count:
            state.right[key] = count
    for key, was in before.items():
        if was != (key in state.right):
            for row, n in state.left.get(key, {}).items():
                out += [((*row, was), -n), ((*row, not was), n)]
    return [Part(shard.timestamp, shard.bucket, shard.of, tuple(out))]


class Matches(Sides):
    """Besides, for each row of the left, how many rows of the right go with it."""

    found: dict = {}


def matched(state: Matches, shard: Shard, goes_with: Callable[[tuple, tuple], bool]) -> list[Part]:
    """As `marked`, where the rows of the right must also meet a condition with the left one."""
    before: dict[tuple, int] = {}
    out: list[Change] = []
    for key, row, n in shard.left:
        if None in key:
            out.append(((*row, False), n))
            continue
        found = state.found.get((key, row))
        if found is None:
            found = sum(m for other, m in state.right.get(key, {}).items() if goes_with(row, other))
            state.found[key, row] = found
        out.append(((*row, found > 0), n))
        change(state.left, key, row, n)
        if row not in state.left.get(key, {}):
            del state.found[key, row]
    for key, other, n in shard.right:
        for row in state.left.get(key, {}):
            if goes_with(row, other):
                before.setdefault((key, row), state.found[key, row])
                state.found[key, row] += n
        change(state.right, key, other, n)
    for (key, row), was in before.items():
        if (was > 0) != (state.found[key, row] > 0):
            n = state.left[key][row]
            out += [((*row, was > 0), -n), ((*row, was <= 0), n)]
    return [Part(shard.timestamp, shard.bucket, shard.of, tuple(out))]


def istream(batch: Batch, order: Order = ()) -> Batch:
    """The rows that are new at this instant."""
    return Batch(batch.timestamp, _rows(((r, n) for r, n in net(batch.changes) if n > 0), order))


def dstream(batch: Batch, order: Order = ()) -> Batch:
    """The rows that are gone at this instant."""
    return Batch(batch.timestamp, _rows(((r, -n) for r, n in net(batch.changes) if n < 0), order))


class Present(State):
    rows: dict = {}


def rstream(state: Present, pair: Pair, order: Order = ()) -> list[Batch]:
    """All rows of this instant, if any has changed or something has come on the right: rows of an
    input that the relation is made of."""
    changes = net(pair.left)
    for row, n in changes:
        count = state.rows.pop(row, 0) + n
        if count:
            state.rows[row] = count
    written = _rows(state.rows.items(), order) if changes or pair.right else ()
    return [Batch(pair.timestamp, written)]


def _rows(counted: Iterable[Change], order: Order) -> tuple[Change, ...]:
    """The rows in order, each as often as it is there."""
    counts = dict(counted)
    return tuple((row, 1) for row in in_order(counts, order) for _ in range(counts[row]))


class Ranked(State):
    """All rows by their places in the order, how often each is there, and those that are among the
    first."""

    places: list = []
    rows: dict = {}
    shown: dict = {}


def first_rows(state: Ranked, batch: Batch, order: Order, count: int) -> list[Batch]:
    """The first `count` rows in the order."""
    for row, n in net(batch.changes):
        place = (place_of(row, order), row)
        if row not in state.rows:
            insort(state.places, place, key=itemgetter(0))
        state.rows[row] = state.rows.get(row, 0) + n
        if not state.rows[row]:
            del state.rows[row]
            del state.places[bisect_left(state.places, place[0], key=itemgetter(0))]
    shown, left = {}, count
    for _, row in state.places:
        if left <= 0:
            break
        shown[row] = min(left, state.rows[row])
        left -= shown[row]
    changes = net([*((row, -n) for row, n in state.shown.items()), *shown.items()])
    state.shown = shown
    return [Batch(batch.timestamp, tuple(changes))]


def stream_rows(batch: Batch, record: type) -> list:
    return [record(batch.timestamp, *row) for row, _ in batch.changes]


def relation_changes(batch: Batch, record: type, order: Order = ()) -> list:
    counts = dict(net(batch.changes))
    gone, new = [row for row in counts if counts[row] < 0], [r for r in counts if counts[r] > 0]
    return [record(batch.timestamp, op, *row)
            for op, rows in (("-", in_order(gone, order)), ("+", in_order(new, order)))
            for row in rows for _ in range(abs(counts[row]))]
