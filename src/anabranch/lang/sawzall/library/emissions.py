"""What the records of a block show and emit, as generated code puts it down."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

from anabranch.core.once import once
from anabranch.io.text.places import EMPTY, LineBlock
from anabranch.ir.records import Record
from anabranch.lang.sawzall.library.folds import Fold, Sum
from anabranch.lang.sawzall.library.numbers import chances

STDOUT, STDERR = 1, 2
TEXT, ORDERED, COMMUTATIVE = 0, 1, 2
IGNORED = -1
"""The number of the table that counts the undefined values that were passed over."""


class Output(Record):
    """What a block gives: text for a stream or a file (`key`), or what it adds to a table: a fold,
    or a sum of integers, by the key of the table."""

    kind: int
    table: int
    key: object
    value: object


class Run:
    """Blocks under way: what their records have shown and emitted."""

    def __init__(self, block: LineBlock):
        self.block, self.record = block, block.first
        self.texts: list[tuple[int, str]] = []
        self.folds: dict[tuple[int, object], Fold] = {}
        self.sums: dict[int, dict[tuple, int]] = defaultdict(dict)
        self.bare: dict[int, dict[object, int]] = defaultdict(dict)
        self.gathered: dict[int, tuple[Callable, dict[tuple, int]]] = {}
        self.ignored = 0

    @property
    def key(self) -> bytes:
        return str(self.record).encode() if self.block.file else b""

    @once
    def _chances(self) -> dict[int, Iterator[float]]:
        return {}

    @property
    def chance(self) -> Iterator[float]:
        if self.record not in self._chances:
            self._chances.clear()
            self._chances[self.record] = chances(self.record)
        return self._chances[self.record]

    def show(self, stream: int, text: str) -> None:
        self.texts.append((stream, text))

    def outputs(self, ordered: frozenset[int]) -> list[Output]:
        """Texts as they come, and one part of each table."""
        parts: dict[int, dict[tuple, Fold | int]] = {**self.sums}
        for (table, key), fold in self.folds.items():
            parts.setdefault(table, {})[key] = fold
        if self.ignored:
            parts[IGNORED] = {(): self.ignored}
        found = [Output(TEXT, 0, stream, text) for stream, text in self.joined()]
        return found + [Output(ORDERED if table in ordered else COMMUTATIVE, table, None, part)
                        for table, part in parts.items()]

    def fold_at(self, table: int, key: tuple, made: Callable[[], Fold]) -> Fold:
        """The fold of a table at a key, which is made if there is none."""
        place = table, key
        found = self.folds.get(place)
        if found is None:
            found = self.folds[place] = made()
        return found

    @property
    def is_empty(self) -> bool:
        return not (self.texts or self.folds or self.sums or self.bare or self.gathered)

    def begin_with(self, other: Run) -> None:
        """Takes in what another one has emitted before."""
        self.texts[:0] = other.texts
        for place, fold in other.folds.items():
            self.fold_at(*place, fold.copied)
        for own, sums in ((self.sums, other.sums), (self.bare, other.bare)):
            for table, totals in sums.items():
                add_up(own[table], totals)
        for table, (repeat, seen) in other.gathered.items():
            self.gathered[table] = repeat, dict(seen)

    def fold(self) -> None:
        """Folds what was gathered; the keys of tables with one index become tuples like all."""
        for table, sums in self.bare.items():
            add_up(self.sums[table], {(key,): total for key, total in sums.items()})
        self.bare.clear()
        for repeat, seen in self.gathered.values():
            for (key, value, weight), count in seen.items():
                repeat(self, key, value, weight, count)
        self.gathered.clear()

    def joined(self) -> Iterator[tuple[int, str]]:
        """The texts, those for one stream together as long as no other comes between."""
        stream, pieces = None, []
        for each, text in [*self.texts, (None, "")]:
            if each != stream and pieces:
                yield stream, "".join(pieces)
                pieces = []
            stream = each
            pieces.append(text)


def static_run() -> Run:
    """What static values are computed in, before any record is read."""
    run = Run(EMPTY)
    run.record = -1
    return run


def sum_of(total: int) -> Sum:
    fold = Sum()
    fold.add(total, None)
    return fold


def add_up(sums: dict[tuple, int], others: dict[tuple, int]) -> None:
    """Adds totals to those of the same keys."""
    for key, total in others.items():
        sums[key] = sums.get(key, 0) + total
