"""Whether two values print the same, and copies for one who compares."""

from __future__ import annotations

import datetime
import decimal
import fractions
from collections.abc import Iterator

import numpy as np

from anabranch.ir.records import Record

ATOMS = frozenset({bool, int, float, complex, str, bytes, type(None), datetime.datetime,
                   datetime.date, datetime.time, datetime.timedelta, decimal.Decimal,
                   fractions.Fraction})


def alike(one: object, other: object) -> bool:
    """The same, part by part: a NaN is like another, 1 is not like True. What neither has an
    equality nor parts that can be looked at cannot be told apart.

    >>> alike([float("nan"), {"a": (1, 2)}], [float("nan"), {"a": (1, 2)}])
    True
    >>> alike(1, True), alike(0.0, -0.0), alike(iter([1]), iter([2]))
    (False, False, True)
    """
    try:
        return _alike(one, other)
    except Exception:
        # What cannot be compared is no evidence.
        return True


def _alike(one: object, other: object) -> bool:
    if one is other:
        return True
    kind = type(one)
    if kind is not type(other):
        return False
    if kind in (float, complex):
        return repr(one) == repr(other)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, dict):
        return _alike(list(one.items()), list(other.items()))
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and _alike(one.tolist(), other.tolist())
    if kind.__eq__ is object.__eq__:
        return _alike(_parts(one), _parts(other))
    return bool(one == other) or repr(one) == repr(other)


def _parts(thing: object) -> list[tuple[str, object]]:
    slots = [name for base in type(thing).__mro__ for name in _listed(vars(base).get("__slots__"))]
    found = {name: getattr(thing, name) for name in slots if hasattr(thing, name)}
    return sorted((found | getattr(thing, "__dict__", {})).items())


def _listed(slots: object) -> Iterator[str]:
    names = () if slots is None else (slots,) if isinstance(slots, str) else slots
    return (name for name in names if not name.startswith("__"))


class Uncopied(Exception):
    """An item that is used up by looking at it."""


def copied(item: object) -> object:
    """The same value, with lists, dicts, sets and arrays of its own. Objects of other classes are
    taken as they are.

    >>> row = [1, ("a", {2})]
    >>> copied(row) == row, copied(row) is row
    (True, False)
    """
    kind = type(item)
    if kind in ATOMS:
        return item
    if kind in (list, tuple, set, frozenset):
        return kind(map(copied, item))
    if isinstance(item, Record):
        return item if all(type(part) in ATOMS for part in item) else kind._make(map(copied, item))
    if kind is dict:
        return {key: copied(value) for key, value in item.items()}
    if kind is np.ndarray:
        return item.copy()
    if hasattr(item, "__next__"):
        raise Uncopied
    return item
