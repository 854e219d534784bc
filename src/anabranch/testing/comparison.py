"""The first difference between two sequences, with what stands around it."""

from __future__ import annotations

from collections.abc import Sequence

AROUND = 2
"""So many items before and behind a difference are shown."""


class Mismatch(AssertionError):
    """A program gave something else than it should have."""


def compare(sink: str, expected: Sequence[object], came: Sequence[object], who: str,
            ordered: bool = True) -> None:
    """Raises a `Mismatch` at the first difference; without an order only what comes is compared.

    >>> compare("out", [1, 2, 3], [1, 3], "multicore")
    Traceback (most recent call last):
    anabranch.testing.comparison.Mismatch: 'out' differs at item 2 of 3: multicore
      expected 2
      came     3
    <BLANKLINE>
      item  expected    came
         1  1           1
      >  2  2           3
         3  3           (nothing more)
    """
    if not ordered:
        expected, came = sorted(expected, key=repr), sorted(came, key=repr)
    at = first_difference(expected, came)
    if at is not None:
        raise Mismatch(_told(sink, expected, came, who, at))


def first_difference(expected: Sequence[object], came: Sequence[object]) -> int | None:
    """The index of the first difference, or None."""
    for index, (left, right) in enumerate(zip(expected, came)):
        if not same(left, right):
            return index
    return None if len(expected) == len(came) else min(len(expected), len(came))


def same(left: object, right: object) -> bool:
    """Whether two items are the same; a NaN is itself, and True is not 1."""
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, bool) is not isinstance(right, bool):
        return False
    return left == right or (left != left and right != right)


def _told(sink: str, expected: Sequence[object], came: Sequence[object], who: str, at: int) -> str:
    lines = [f"'{sink}' differs at item {at + 1} of {max(len(expected), len(came))}: {who}",
             f"  expected {_shown(expected, at)}", f"  came     {_shown(came, at)}", ""]
    last = max(len(expected), len(came))
    around = range(max(0, at - AROUND), min(last, at + AROUND + 1))
    width = max([len("expected"), *(len(_shown(expected, n)) for n in around)]) + 4
    lines.append(f"  item  {'expected':{width}}came")
    for n in around:
        mark = ">" if n == at else " "
        lines.append(f"  {mark}{n + 1:3}  {_shown(expected, n):{width}}{_shown(came, n)}")
    return "\n".join(lines)


def _shown(items: Sequence[object], index: int) -> str:
    return repr(items[index]) if index < len(items) else "(nothing more)"
