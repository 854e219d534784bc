"""What filters print: from what compiled code recorded to text, in order.

The order is period by period, and in a period filter by filter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from anabranch.core.once import once

FIRING = -1
"""The record that stands behind those of a firing, where it matters which firing printed what."""


@dataclass(frozen=True)
class Piece:
    """A part of what a statement prints: a format, with at most one number in it.

    `begins` tells whether it is the first part of its statement.
    """

    format: str
    begins: bool

    def texts(self, values: np.ndarray) -> list[str]:
        """The text for each of the values.

        >>> Piece("x = %d;", True).texts(np.array([1.0, 2.0]))
        ['x = 1;', 'x = 2;']
        """
        bare = self.format.replace("%%", "")
        if "%" not in bare:
            return [self.format % ()] * len(values)
        if "%s" in bare:
            return [self.format % ("true" if value else "false") for value in values]
        if "%c" in bare:
            return [self.format % int(value) for value in values]
        if "\0" in bare:
            return [self.format % value for value in values.tolist()]
        # One operation for all values is several times faster than one for each.
        return ((self.format + "\0") * len(values) % tuple(values.tolist())).split("\0")[:-1]


@dataclass(frozen=True)
class Records:
    """What was printed: for each part the number of its piece, and its value."""

    pieces: tuple[Piece, ...]
    codes: np.ndarray
    values: np.ndarray

    def statements(self) -> int:
        """How many statements printed."""
        return int(np.count_nonzero(self.starting))

    @once
    def starting(self) -> np.ndarray:
        """Which records begin a statement."""
        # The last one stands for the end of a firing, whose code is -1.
        begins = np.array([*(piece.begins for piece in self.pieces), False], bool)
        return begins[self.codes]

    def text(self) -> str:
        return "".join(self.texts.tolist())

    @once
    def texts(self) -> np.ndarray:
        """The text of each record."""
        texts = np.full(len(self.codes), "", object)
        for number, piece in enumerate(self.pieces):
            places = np.flatnonzero(self.codes == number)
            if len(places):
                texts[places] = piece.texts(self.values[places])
        return texts


def by_firing(records: list[Records], actor: int,
              shares: np.ndarray | None) -> tuple[list[str], int]:
    """What an actor printed, in texts of so many firings each (None: of all of them), and by how
    many statements."""
    texts: list[str] = []
    count = 0
    for each in records:
        ends = np.flatnonzero(each.codes == FIRING)
        begins = np.concatenate(([0], ends[:-1] + 1))
        parts, starting = each.texts, each.starting
        for k in np.flatnonzero(each.values[ends] == actor):
            texts.append("".join(parts[begins[k]:ends[k]]))
            count += int(np.count_nonzero(starting[begins[k]:ends[k]]))
    stops = [0, *(np.cumsum(shares).tolist() if shares is not None else [len(texts)])]
    return ["".join(texts[a:b]) for a, b in pairwise(stops)], count


Write = Callable[[str, int], None]
"""Takes a text, and how many statements printed it."""


@dataclass
class PrintedLines:
    """Holds what comes too early; a block is written when all filters have given theirs."""

    write: Write
    filters: int
    held: dict[int, dict[int, tuple[list[str], int]]] = field(default_factory=dict)
    block: int = 0

    def give(self, block: int, number: int, texts: list[str], statements: int) -> None:
        """Takes what a filter printed in a block, for each period a text."""
        self.held.setdefault(block, {})[number] = texts, statements
        while len(self.held.get(self.block, ())) == self.filters:
            given = [each for _, each in sorted(self.held.pop(self.block).items())]
            texts = [text for period in zip(*(texts for texts, _ in given)) for text in period]
            count = sum(statements for _, statements in given)
            if count:
                self.write("".join(texts), count)
            self.block += 1


@dataclass
class Recorded:
    """The printing filters of a machine: `numbers` has their places among all that print, by their
    places in the machine. `shares(block)` gives how often each fires in each period of a block;
    it is None where only one filter prints, and periods do not matter."""

    lines: PrintedLines
    numbers: dict[int, int]
    shares: Callable[[int], dict[int, np.ndarray | None]] | None

    def take(self, block: int, records: list[Records]) -> None:
        """Gives what a block printed to the lines."""
        if self.shares is None:
            number, = self.numbers.values()
            self.lines.give(block, number, ["".join(each.text() for each in records)],
                            sum(each.statements() for each in records))
            return
        shares = self.shares(block)
        for place, number in self.numbers.items():
            self.lines.give(block, number, *by_firing(records, place, shares[place]))
