"""What filters print, put in order: period by period, and in a period filter by filter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from anabranch.lang.streamit.running.printing import Records, by_firing

Write = Callable[[str, int], None]
"""Takes a text, and how many statements printed it."""


@dataclass
class Lines:
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

    lines: Lines
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
