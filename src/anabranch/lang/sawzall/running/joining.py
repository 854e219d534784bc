"""Putting together what pieces of the input add to the tables, without any order but theirs."""

from __future__ import annotations

from collections.abc import Iterator

from anabranch.lang.sawzall.running.pieces import Part
from anabranch.lang.sawzall.running.reducing import Gathered, Result
from anabranch.lang.sawzall.running.runs import IGNORED, TEXT, Output, add_up, sum_of


class Tables:
    """All that the pieces so far have added. They come in their order, which only collections and
    texts can tell."""

    def __init__(self) -> None:
        self.records = self.ignored = 0
        self.sums: dict[int, dict[tuple, int]] = {}
        self.folds: dict = {}

    def take(self, part: Part) -> Iterator[Output]:
        """Takes in what a piece adds; gives what it shows, and its failure for the sink to raise.
        """
        self.records, self.ignored = self.records + part.records, self.ignored + part.ignored
        for table, sums in part.sums.items():
            self._add(table, sums)
        for place, fold in part.folds.items():
            if self.folds.setdefault(place, fold) is not fold:
                self.folds[place].join(fold)
        yield from (Output(TEXT, 0, stream, text) for stream, text in part.texts)
        if part.error is not None:
            yield Output(TEXT, 0, 0, part.error)

    def _add(self, table: int, sums: dict[tuple, int]) -> None:
        if self.sums.setdefault(table, sums) is not sums:
            add_up(self.sums[table], sums)

    def gathered(self) -> Gathered:
        """The results of all tables."""
        folds = {(table, key): sum_of(total) for table, sums in self.sums.items()
                 for key, total in sums.items()}
        if self.ignored:
            folds[IGNORED, ()] = sum_of(self.ignored)
        return Gathered(results=[Result(table, key, tuple(fold.rows()))
                                 for (table, key), fold in (folds | self.folds).items()])
