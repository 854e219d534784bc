"""What generated code calls for lists, sets and maps.

Functions of the library, and what aggregates fold lists with.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable
from decimal import Decimal

from anabranch.core.errors import RunError
from anabranch.lang.spl.coding.values import pairs, place, quotient, set_of


def appended(values: list, value: object) -> None:
    values.append(value)


def inserted_at(values: list, value: object, index: int) -> None:
    """An index beyond an end is that end."""
    values.insert(max(index, 0), value)


def all_inserted_at(values: list, others: list, index: int) -> None:
    start = min(max(index, 0), len(values))
    values[start:start] = others


def inserted(values: list, value: object, index: int) -> list:
    return all_inserted(values, [value], index)


def all_inserted(values: list, others: list, index: int) -> list:
    """
    >>> all_inserted([1, 2], [8, 9], 1), all_inserted([1], [9], -5), all_inserted([1], [9], 5)
    ([1, 8, 9, 2], [9, 1], [1, 9])
    """
    start = max(index, 0)
    return [*values[:start], *others, *values[start:]]


def removed(values: list, first: int, last: int) -> list:
    """A list without the items from one place to another; what is not there is not removed."""
    if last < max(first, 0):
        return list(values)
    return [*values[:max(first, 0)], *values[last + 1:]]


def all_removed(values: list, indices: list) -> list:
    return [value for n, value in enumerate(values) if n not in indices]


def without(values: dict, key: object) -> dict:
    """A set or a map without one key."""
    return type(values)({k: v for k, v in values.items() if k != key})


def sorted_indices(values: list) -> list:
    return sorted(range(len(values)), key=values.__getitem__)


def last_index_of(values: list, value: object, last: int = 2**31) -> int:
    return next((n for n in range(min(last, len(values) - 1), -1, -1) if values[n] == value), -1)


def index_among(values: list, others: list, wanted: bool, start: int = 0) -> int:
    return next((n for n in range(max(start, 0), len(values)) if (values[n] in others) == wanted),
                -1)


def dropped(values: dict, key: object) -> None:
    values.pop(key, None)


def dropped_at(values: list, first: int, last: int) -> None:
    if last >= max(first, 0):
        del values[max(first, 0):place(values, last) + 1]


def all_dropped(values: list, indices: list) -> None:
    values[:] = all_removed(values, indices)


def cleared(values: object) -> None:
    values.clear()


def total(values: list) -> object:
    return sum(values)


def product(values: list) -> object:
    return math.prod(values)


def mean(values: list) -> float:
    return sum(values) / len(values) if values else 0.0


def whole_mean(values: list) -> int:
    """The mean of integers is an integer, towards zero."""
    return quotient(sum(values), len(values)) if values else 0


def extreme(values: list, largest: bool, none: object) -> object:
    """The largest or the smallest item; of an empty list, what its type begins with."""
    if not values:
        return none
    return max(values) if largest else min(values)


def kth(values: list, k: int) -> object:
    return sorted(values)[place(values, k)]


def median(values: list, none: object) -> object:
    """The item in the middle; of two numbers in the middle, what is between them.

    >>> median([3, 1, 2], 0), median([1, 4], 0), median([1.0, 2.0], 0.0), median(["b", "a"], "")
    (2, 2, 1.5, 'b')
    """
    if not values:
        return none
    ordered, half = sorted(values), len(values) // 2
    if len(values) % 2 or not isinstance(ordered[half], (int, float, Decimal)):
        return ordered[half]
    both = ordered[half] + ordered[half - 1]
    return quotient(both, 2) if isinstance(both, int) else both / 2


def spread(values: list, sample: bool, none: object) -> object:
    """The standard deviation of numbers, in their own type."""
    if isinstance(none, float):
        return deviation(values, int(sample)) if values else none
    if len(values) <= sample:
        return none
    middle = whole_mean(values)
    squares = sum((v - middle) ** 2 for v in values)
    return math.isqrt(quotient(squares, len(values) - sample))


def sequence(first: object, count: int, step: object) -> list:
    """
    >>> sequence(5, 3, 2), sequence(0.5, 2, 0.25)
    ([5, 7, 9], [0.5, 0.75])
    """
    values = []
    value = first
    for _ in range(count):
        values.append(value)
        value = value + step
    return values


def places_of(values: list, value: object) -> list:
    return [n for n, each in enumerate(values) if each == value]


def places_among(values: list, others: list, wanted: bool) -> list:
    return [n for n, each in enumerate(values) if (each in others) == wanted]


def run_in(values: list, others: list, start: int = 0) -> int:
    """Where other values come one behind the other for the first time."""
    return next((n for n in range(max(start, 0), len(values) - len(others) + 1)
                 if values[n:n + len(others)] == others), -1)


def last_run_in(values: list, others: list, last: int) -> int:
    return next((n for n in range(min(last, len(values) - len(others)), -1, -1)
                 if values[n:n + len(others)] == others), -1)


def last_among(values: list, others: list, last: int, wanted: bool) -> int:
    return next((n for n in range(min(last, len(values) - 1), -1, -1)
                 if (values[n] in others) == wanted), -1)


def compared(left: object, right: object) -> int:
    """-1, 0 or 1: less, equal or more; lists by their first items that differ."""
    return (left > right) - (left < right)


def all_compared(left: list, right: list) -> list:
    return [compared(x, y) for x, y in zip(left, right)]


def chosen(which: list, left: list, right: list) -> list:
    return [x if one else y for one, (x, y) in pairs(which, list(pairs(left, right)))]


def parts(values: list, start: int, count: int, skip: int, more: int) -> list:
    """Slices of a list: `count` of them, of `more` + 1 items, with `skip` items between them.

    >>> parts(list(range(10)), 1, 2, 2, 1), parts([1, 2, 3], -1, 3, 0, 0)
    ([1, 2, 5, 6], [1, 2])
    """
    if skip < 0 or more < 0:
        raise RunError("the parts of a list have sizes that are not negative")
    step = 1 + more + skip
    return [values[n] for k in range(count)
            for n in range(start + k * step, start + k * step + more + 1) if 0 <= n < len(values)]


def numbers(first: int, behind: int, step: int = 1) -> list:
    if step == 0:
        raise RunError("a range has a step that is not zero")
    return list(range(first, behind, step))


def index_of(values: list, value: object, start: int = 0) -> int:
    return next((n for n in range(max(start, 0), len(values)) if values[n] == value), -1)


def sorted_place(values: list, value: object) -> int:
    return bisect.bisect_left(values, value)


def deviation(values: list, less: int) -> float:
    """The standard deviation of values, or of those they are a sample of."""
    if len(values) <= less:
        return 0.0
    middle = sum(values) / len(values)
    return math.sqrt(sum((v - middle) ** 2 for v in values) / (len(values) - less))


def at_extreme(values: list, others: list, largest: bool) -> object:
    """What stands beside the first largest or smallest value."""
    wanted = max(values) if largest else min(values)
    return others[values.index(wanted)]


def all_at_extreme(values: list, others: list, largest: bool) -> list:
    """What stands beside each of the largest or smallest values."""
    wanted = max(values) if largest else min(values)
    return [other for value, other in zip(values, others) if value == wanted]


def counts(values: list) -> list:
    """How often each value comes, in the order in which they come first."""
    return [values.count(value) for value in set_of(values)]


def columns(values: list, fold: Callable) -> list:
    """A fold of the first items of lists, one of the second ones, and so on."""
    if len({len(each) for each in values}) > 1:
        raise RunError("lists of different lengths cannot meet item by item")
    return [fold([each[n] for each in values]) for n in range(len(values[0]))]


def grouped(values: list, key: Callable) -> list:
    """Lists of the values of one key each, in the order in which keys come first."""
    groups: dict = {}
    for value in values:
        groups.setdefault(key(value), []).append(value)
    return list(groups.values())
