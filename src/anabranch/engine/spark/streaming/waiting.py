"""Rows of timed sources that wait until every other source has come as far.

Sources with a time attribute are merged by it. Of an unbounded source only the past is known, so a
row goes on when no row that is still to come could go before it: when every other source has shown
a later time, or the same time and stands behind it in the program.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby, takewhile
from operator import attrgetter, itemgetter
from typing import NamedTuple

from anabranch.ir.graph import Operator


class Row(NamedTuple):
    """An item, the file it stands in, and which of the rows of that file it is."""

    item: object
    file: str
    place: int


class Waiting:
    """The rows of the timed sources that have been read and not yet gone on."""

    def __init__(self, timed: Iterable[Operator], times: dict[str, object], whole: Iterable[str]):
        self.time = {op.name: attrgetter(op.kind.time) for op in timed}
        self.last = {name: times.get(name) for name in self.time}
        self.ended = {name for name in whole if name in self.time}
        self.rows: dict[str, list[Row]] = {name: [] for name in self.time}

    def add(self, source: str, rows: Iterable[Row], ended: bool = False) -> None:
        self.rows[source] += rows
        if self.rows[source]:
            self.last[source] = self.time[source](self.rows[source][-1].item)
        if ended:
            self.ended.add(source)

    def released(self, all_of_them: bool) -> dict[str, list[object]]:
        """The items that go on now; all of them at the end of the input."""
        gone = {name: self._first(name, all_of_them) for name in self.rows}
        for name, count in gone.items():
            self.rows[name], gone[name] = self.rows[name][count:], self.rows[name][:count]
        return {name: [row.item for row in rows] for name, rows in gone.items()}

    def held(self) -> dict[str, list[tuple[str, int]]]:
        """For each source the files in which rows wait, and which row is the first of them."""
        return {name: [(file, next(group).place) for file, group in groupby(rows, itemgetter(1))]
                for name, rows in self.rows.items() if rows}

    def _first(self, source: str, all_of_them: bool) -> int:
        if all_of_them:
            return len(self.rows[source])
        time = self.time[source]
        return sum(1 for _ in takewhile(lambda row: self._may_go(source, time(row.item)),
                                        self.rows[source]))

    def _may_go(self, source: str, time: object) -> bool:
        names = list(self.rows)
        return all(other == source or other in self.ended or (
            self.last[other] is not None and (
                time < self.last[other]
                or (time == self.last[other] and names.index(source) < names.index(other))))
            for other in names)
