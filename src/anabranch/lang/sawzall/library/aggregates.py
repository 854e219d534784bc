"""Tables as aggregates: what blocks add is joined, and told at the end in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from anabranch.ir.records import Record, State
from anabranch.lang.sawzall.library.emissions import IGNORED, STDERR, STDOUT, TEXT, Output, sum_of
from anabranch.lang.sawzall.library.values import Show, ordering


class Entries(State):
    """All that was emitted to a table, by its keys."""

    table: int = 0
    folds: dict = {}


class Result(Record):
    """The rows of a table at a key."""

    table: int
    key: object
    rows: object


class Gathered(State):
    """The results of all tables."""

    results: list = []


def added(entries: Entries, output: Output) -> tuple:
    """Takes in what a block adds to a table; what comes out, comes at the end."""
    entries.table, own = output.table, entries.folds
    for key, fold in output.value.items():
        if isinstance(fold, int):
            own[key] = own.get(key, 0) + fold
        elif key in own:
            own[key].join(fold)
        else:
            own[key] = fold.copied()
    return ()


def reduced(entries: Entries) -> Iterator[Result]:
    for key, fold in entries.folds.items():
        total = sum_of(fold) if isinstance(fold, int) else fold
        yield Result(entries.table, key, tuple(total.rows()))


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
