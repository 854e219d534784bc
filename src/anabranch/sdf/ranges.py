"""Rates that are not the same at every firing.

>>> str(Range(1, None)), highest(3), larger(Range(1, 4), 2)
('[1, *]', 3, Range(low=2, high=4))
"""

from __future__ import annotations

from dataclasses import dataclass

ENDLESS = 1 << 60


@dataclass(frozen=True)
class Range:
    """At least so many items, and at most; None when there is no limit."""

    low: int
    high: int | None

    def __str__(self) -> str:
        return f"[{self.low}, {'*' if self.high is None else self.high}]"


Rate = int | Range


def lowest(rate: Rate) -> int:
    return rate.low if isinstance(rate, Range) else rate


def highest(rate: Rate) -> int:
    if not isinstance(rate, Range):
        return rate
    return ENDLESS if rate.high is None else rate.high


def within(rate: Rate, count: int) -> bool:
    return lowest(rate) <= count <= highest(rate)


def larger(one: Rate, other: Rate) -> Rate:
    """What is looked at where one is said to be, and the other is taken."""
    if not isinstance(one, Range) and not isinstance(other, Range):
        return max(one, other)
    high = max(highest(one), highest(other))
    return Range(max(lowest(one), lowest(other)), None if high == ENDLESS else high)
