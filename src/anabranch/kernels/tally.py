"""What the operators of a kernel did: the rows of each, and its share of time.

>>> tally = Tally(2)
>>> tally.add([5, 3, 2]); tally.add([1, 0, 0]); tally.add_ticks([40, 10])
>>> tally.taken(), tally.shares
([6, 3, 2], [0.75, 0.25])
>>> tally.taken()
[0, 0, 0]
"""

from __future__ import annotations

from collections.abc import Sequence

EVERY = 16
"""One call in so many is measured."""


class Tally:
    """For a kernel of so many operators; only one thread may feed it."""

    def __init__(self, operators: int):
        self.rows, self.ticks, self.calls = [0] * (operators + 1), [0] * operators, 0

    def is_due(self) -> bool:
        """Whether the time of the next call is to be measured: of the first, and now and then."""
        self.calls += 1
        return self.calls % EVERY == 1

    def add(self, rows: Sequence[int]) -> None:
        """Rows into each operator, and out of the last."""
        self.rows = [a + b for a, b in zip(self.rows, rows)]

    def add_ticks(self, ticks: Sequence[int]) -> None:
        """Of a measured call: the ticks from each operator on, with those behind it."""
        self.ticks = [a + b for a, b in zip(self.ticks, ticks)]

    def taken(self) -> list[int]:
        """The rows since the last time."""
        rows, self.rows = self.rows, [0] * len(self.rows)
        return rows

    @property
    def shares(self) -> list[float]:
        """The part of the time that each operator has; alike when nothing was measured."""
        own = [max(0, a - b) for a, b in zip(self.ticks, [*self.ticks[1:], 0])]
        total = sum(own)
        return [one / total for one in own] if total else [1 / len(own)] * len(own)
