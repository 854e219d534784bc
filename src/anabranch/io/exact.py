"""Many Python items checked at once: whether each is of its type, as it is.

It is a quick yes. Where it says no, the items may still be good; only one by one they tell.

>>> from anabranch.ir.types import INT
>>> are_exact([1, 2, 3], INT), are_exact([1, True], INT), are_exact([2 ** 63], INT)
(True, False, False)
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import chain
from operator import le

from anabranch.io.columns import columns_of
from anabranch.io.taken import Refused, has_only_fields
from anabranch.io.values import HIGHEST, LOWEST
from anabranch.ir.types import (
    BOOL,
    BYTES,
    FLOAT,
    INT,
    STR,
    AnyOf,
    OptionalOf,
    RecordOf,
    Type,
    without_none,
)

EXACT = {BOOL: bool, INT: int, FLOAT: float, STR: str, BYTES: bytes}


def are_exact(items: Sequence, item: Type) -> bool:
    """Whether all items are what reading them one by one would give."""
    if isinstance(item, AnyOf):
        return Refused not in set(map(type, items))
    if not isinstance(item, RecordOf):
        return _are_exact(items, item)
    kinds = columns_of(item).values()
    return has_only_fields(item.cls) and set(map(type, items)) <= {item.cls} and all(
        map(_are_exact, zip(*items), kinds))


def _are_exact(values: Sequence, given: Type) -> bool:
    kind = without_none(given)
    found, allowed = set(map(type, values)), EXACT.get(kind)
    if not found <= ({allowed, type(None)} if isinstance(given, OptionalOf) else {allowed}):
        return False
    if kind == INT:
        numbers = [v for v in values if v is not None] if type(None) in found else values
        return min(numbers, default=0) >= LOWEST and max(numbers, default=0) <= HIGHEST
    return kind != STR or "".join(filter(None, values)).isascii()


def are_in_order(items: Sequence, time: str, last: object) -> bool:
    """Whether the times of all items are there and none goes back, also not behind the last one
    that came before them.

    >>> are_in_order([1j, 2j], "imag", None), are_in_order([1j, 2j], "imag", 1.5)
    (True, False)
    >>> are_in_order([complex(0, float("nan"))], "imag", None)
    False
    """
    times = [getattr(item, time, None) for item in items]
    if any(isinstance(t, datetime) and t.tzinfo is not None for t in times):
        return False
    before = times[:1] if last is None else [last]
    try:
        return all(map(le, chain(before, times), chain(times, times[-1:])))
    except TypeError:
        return False
