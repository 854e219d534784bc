"""The items that travel between the operators of a CQL program."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from heapq import heappop, heappush

from anabranch.errors import DataError, RunError
from anabranch.ir.records import Record, State
from anabranch.lang.cql.running.moves import Path, moved

Change = tuple[tuple, int]
"""A row and how often it is added; a negative number of times when it is taken away."""


class Arrival(Record):
    """A row of an input, which has a number among others."""

    timestamp: object
    source: int
    change: object


class Instant(Record):
    """All that came at one timestamp: the changes of each input."""

    timestamp: object
    parts: object


class Batch(Record):
    """The changes of one relation at one instant; of a stream, its rows in order, each once."""

    timestamp: object
    changes: object


class Pair(Record):
    """The changes of two relations at one instant."""

    timestamp: object
    left: object
    right: object


class Collecting(State):
    """The instant that is still open, and the times at which rows before it leave a window."""

    open: bool = False
    timestamp: object = None
    parts: list = []
    due: list = []


def collected(state: Collecting, timestamp: object, change: Change, source: int,
              paths: tuple[tuple[Path, ...], ...]) -> list[Instant]:
    """The instant that the arrival of a later row closes, if it does, and those up to that row at
    which something leaves a window; `paths` lead from each input to them."""
    if state.open and timestamp == state.timestamp:
        state.parts[source].append(change)
        return []
    if state.open and timestamp < state.timestamp:
        raise RunError(f"a row comes late: its timestamp is {timestamp}, and "
                       f"{state.timestamp} has been seen", help="sort the inputs by time")
    closed = last_instant(state)
    _leave(state, paths)
    nothing = ((),) * len(paths)
    closed += [Instant(time, nothing) for time in _due_before(state, timestamp)]
    state.open, state.timestamp = True, timestamp
    state.parts = [[] for _ in paths]
    state.parts[source].append(change)
    return closed


def _leave(state: Collecting, paths: tuple[tuple[Path, ...], ...]) -> None:
    """Puts down when the rows of the open instant leave."""
    for part, of_input in zip(state.parts, paths):
        for path in of_input if part else ():
            # A time after the last one there is never comes.
            with suppress(OverflowError):
                heappush(state.due, moved(state.timestamp, path))


def _due_before(state: Collecting, timestamp: object) -> list:
    """Takes the times between the open instant and the next; at that itself, all is seen anyway."""
    times: list = []
    while state.due and state.due[0] <= timestamp:
        time = heappop(state.due)
        if state.timestamp < time < timestamp and time not in times[-1:]:
            times.append(time)
    return times


def last_instant(state: Collecting) -> list[Instant]:
    return [Instant(state.timestamp, tuple(map(tuple, state.parts)))] if state.open else []


def sign(op: str) -> int:
    """+1 or -1 for the `op` of a change to a relation."""
    if op not in ("+", "-"):
        raise DataError("a change of a relation has an 'op' that is not known",
                        expected="+ or -", got=repr(op))
    return 1 if op == "+" else -1


def number(value: float) -> float:
    """A float of the input; rows are compared, and NaN is not even equal to itself."""
    if value != value:
        raise DataError("NaN cannot stand in a row of CQL", expected="a number")
    return value


class Held(State):
    """How often each row is in a relation."""

    rows: dict = {}


def held(state: Held, batch: Batch, name: str) -> list[Batch]:
    """The batch itself, after a check that only rows are deleted that are there."""
    for row, n in net(batch.changes):
        count = state.rows.pop(row, 0) + n
        if count < 0:
            raise DataError(f"a row of '{name}' is deleted that is not in it", got=repr(row))
        if count:
            state.rows[row] = count
    return [batch]


def net(changes: Iterable[Change]) -> list[Change]:
    """The changes with those of the same row added up.

    >>> net([(("a",), 1), (("b",), 1), (("a",), -1)])
    [(('b',), 1)]
    """
    counts: dict[tuple, int] = {}
    for row, n in changes:
        counts[row] = counts.get(row, 0) + n
    return [(row, n) for row, n in counts.items() if n]


def in_order(rows: Iterable[tuple]) -> list[tuple]:
    """Rows by their columns, from left to right; null comes first.

    >>> in_order([(2, "b"), (None, "a"), (1, "c")])
    [(None, 'a'), (1, 'c'), (2, 'b')]
    """
    rows = list(rows)
    try:
        return sorted(rows)
    except TypeError:
        return sorted(rows, key=lambda row: [(value is not None, value) for value in row])
