"""Operators on relations: from the changes of their inputs to the changes of their result."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from anabranch.ir.records import State
from anabranch.lang.cql.running.batches import Batch, Change
from anabranch.lang.cql.running.folds import new_folds
from anabranch.lang.cql.running.shards import Entry, Part, Shard


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
