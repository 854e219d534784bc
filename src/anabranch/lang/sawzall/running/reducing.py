"""The reducers: what all chunks add to a table at a key, put together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from anabranch.ir.records import Record, State
from anabranch.lang.sawzall.running.runs import IGNORED, STDERR, STDOUT, TEXT, Output
from anabranch.lang.sawzall.running.showing import Show
from anabranch.lang.sawzall.running.values import ordering


class Entry(State):
    """All that was emitted to a table at a key."""

    table: int = 0
    key: object = None
    fold: object = None


class Result(Record):
    """The rows of a table at a key."""

    table: int
    key: object
    rows: object


class Gathered(State):
    """The results of all tables."""

    results: list = []


def added(entry: Entry, output: Output) -> tuple:
    """Takes in what a chunk adds; what comes out, comes at the end."""
    if entry.fold is None:
        entry.table, entry.key, entry.fold = output.table, output.key, output.value.copied()
    else:
        entry.fold.join(output.value)
    return ()


def reduced(entry: Entry) -> Iterator[Result]:
    yield Result(entry.table, entry.key, tuple(entry.fold.rows()))


def gathered(state: Gathered, result: Result) -> tuple:
    state.results.append(result)
    return ()


Shows = Mapping[int, tuple[str, Callable[[object], str], list[Show]]]


def lines(state: Gathered, shows: Shows) -> Iterator[Output]:
    """The lines of all tables, in the order of their declarations and of their keys."""
    for result in sorted(state.results, key=lambda r: (r.table, ordering(r.key))):
        if result.table == IGNORED:
            count = result.rows[0][0]
            yield Output(TEXT, 0, STDERR, f"{count} undefined value{'s' * (count > 1)} ignored\n")
            continue
        name, key, cells = shows[result.table]
        for row in result.rows:
            value = ", ".join(show(cell) for show, cell in zip(cells, row))
            yield Output(TEXT, 0, STDOUT, f"{name}[{key(result.key)}] = {value}\n")
