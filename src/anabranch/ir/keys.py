"""Keys: what makes two of them the same one, everywhere.

Keys are compared as the keys of a Python dict are: `1`, `1.0` and `True` are one key, and so are
both zeros, and two aware datetimes of one instant; texts of different normal forms are two. There
are two exceptions. All NaN are one key, as in SQL's `group by`: a dict takes one NaN object for
equal to itself and to no other, and which object it is differs from process to process. And an
object that is equal only to itself is refused: its copy in another process would be another key.

>>> canonical((1, float("nan"))) == canonical((1, float("nan")))
True
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Hashable, Iterable
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from itertools import chain
from numbers import Number
from uuid import UUID

from anabranch.core.errors import RunError
from anabranch.core.lazy import numpy_types

NAN = ("not a number", "anabranch")
"""Stands for every NaN in a key: equal to itself wherever it travels, and saved like any key."""

CERTAIN = frozenset({type(None), bool, int, str, bytes, datetime, date, time, timedelta, timezone,
                     Fraction, UUID, range})
"""Values of exactly these types are equal to themselves, and equal ones have one hash in all
processes that are forks of one."""

_HASHES = frozenset(kind.__hash__ for kind in (
    *CERTAIN, float, complex, Decimal, Enum)) - {object.__hash__}


def canonical(key: Hashable) -> Hashable:
    """The key that stands for all that are the same one."""
    if type(key) in CERTAIN:
        return key
    if _is_made_of_parts(key):
        return _of_parts(key, list(map(canonical, _parts(key))))
    if _is_equal_only_to_itself(type(key)):
        name = type(key).__name__
        raise RunError(f"a {name} cannot be a key: it is equal only to itself",
                       expected="a key of which a copy is the same key: numbers, text, bytes, "
                                "times, records",
                       help=f"give {name} the methods __eq__ and __hash__, or take an attribute "
                            "of it")
    return NAN if _differs_from_itself(key) else key


def hash_of(key: Hashable) -> int:
    """A hash of a canonical key that is the same in all processes that are forks of one. Keys whose
    class has its own idea of a hash are all given the same, so that they meet in one place."""
    return hash(key) if is_certain(key) else 0


def hashes_of_keys(keys: list[Hashable]) -> list[int]:
    """`hash_of` the canonical keys of many.

    >>> hashes_of_keys([1.0, "a", (float("nan"), 2)]) == [1, hash("a"), hash((NAN, 2))]
    True
    """
    kinds = set(map(type, keys))
    if kinds <= CERTAIN or (kinds == {tuple} and (
            set(map(type, chain.from_iterable(keys))) <= CERTAIN)):
        return list(map(hash, keys))
    return [hash_of(canonical(key)) for key in keys]


def state_of(states: dict, key: Hashable, new: Callable[[], object]) -> object:
    """The state of a key that is not found as it came: it may be known in its canonical form, in
    which all keys are held."""
    key = canonical(key)
    state = states.get(key)
    if state is None:
        state = states[key] = new()
    return state


def is_certain(key: Hashable) -> bool:
    """Whether the hash of a key follows from its value alone."""
    kind = type(key)
    if kind in CERTAIN or kind is float:
        return True
    if _is_made_of_parts(key):
        return all(map(is_certain, _parts(key)))
    return kind.__hash__ in _HASHES or issubclass(kind, numpy_types("generic"))


def _is_made_of_parts(key: Hashable) -> bool:
    """Tuples, records and frozensets are compared by what is in them."""
    return type(key).__hash__ in (tuple.__hash__, frozenset.__hash__)


def _parts(key: tuple | frozenset) -> Iterable:
    return (tuple if isinstance(key, tuple) else frozenset).__iter__(key)


def _of_parts(key: tuple | frozenset, parts: list) -> Hashable:
    if isinstance(key, tuple):
        same = all(part is own for part, own in zip(parts, tuple.__iter__(key)))
        return key if same else tuple(parts)
    return key if all(part in key for part in parts) else frozenset(parts)


def _is_equal_only_to_itself(kind: type) -> bool:
    """Members of enumerations are too, but of each there is one in every process."""
    return kind.__hash__ is object.__hash__ or (
        kind.__eq__ is object.__eq__ and not issubclass(kind, Enum))


def _differs_from_itself(key: Hashable) -> bool:
    try:
        return bool(key != key)
    except Exception:
        # What cannot even be compared the operator's dict will refuse.
        return False


def key_hash(value: object) -> int:
    """A hash that does not depend on the process; values that are equal have equal hashes.

    >>> key_hash(1) == key_hash(1.0) == key_hash(True), key_hash("IBM")
    (True, 1244168183)
    """
    if not is_certain(value):
        raise RunError(f"items cannot be routed by a {type(value).__name__}", got=repr(value),
                       expected="a key of numbers, strings, bytes, times or records of these")
    if isinstance(value, (str, bytes)):
        text = value.encode(errors="surrogatepass") if isinstance(value, str) else value
        return zlib.crc32(text)
    if isinstance(value, tuple):
        return _combined([key_hash(v) for v in tuple.__iter__(value)])
    if isinstance(value, (datetime, time)) and value.utcoffset() is not None:
        return hash(_since_midnight(value))
    if isinstance(value, (date, time)):
        return zlib.crc32(value.isoformat().encode())
    if isinstance(value, (Number, timedelta, *numpy_types("bool_"))) and value == value:
        # Python's own hash of a number is the same in every process, unlike that of a string.
        return hash(value)
    if isinstance(value, frozenset):
        return sum(map(key_hash, value))
    # None, NaN, and kinds that hash differently in each process: each kind meets in one place.
    return 0


def _combined(hashes: list[int]) -> int:
    result = 0
    for each in hashes:
        result = (result * 1_000_003 ^ each) & 0xFFFFFFFFFFFFFFFF
    return result


def _since_midnight(value: datetime | time) -> timedelta:
    """An instant as the distance from a midnight in UTC. As in Python's own hash, an hour that a
    clock shows twice is taken for the first: in one zone the two are equal."""
    first = value.replace(fold=0)
    days = first.toordinal() if isinstance(value, datetime) else 0
    clock = timedelta(days, first.second, first.microsecond, 0, first.minute, first.hour)
    return clock - first.utcoffset()
