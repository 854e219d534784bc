"""Python items as they are when a source hands them out, exactly of their type.

A source may change a list after it has handed it out, and an operator may change an item that the
source still has. So what can be changed is copied at that moment; what cannot be, is taken as it
is. A value of a declared type becomes exactly of that type, and no method of a subclass is called
for it: an analysis may trust what is declared.

>>> from enum import IntEnum
>>> from anabranch.ir.types import ANY, INT
>>> Level = IntEnum("Level", {"LOW": 1})
>>> taker(INT)(Level.LOW)
1
>>> given = [[1], [2]]; taken = taker(ANY)(given); given[0].append(3); taken
[[1], [2]]

Many items are checked at once, which is a quick yes. Where it says no, the items may still be good;
only one by one they tell.

>>> are_exact([1, 2, 3], INT), are_exact([1, True], INT), are_exact([2 ** 63], INT)
(True, False, False)
"""

from __future__ import annotations

import copy
import numbers
import operator
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from itertools import chain, repeat
from operator import le
from uuid import UUID

import numpy as np

from anabranch.core.once import once
from anabranch.io.columns import columns_of
from anabranch.io.values.codecs import RecordEncoder, choice_encoder, misfit
from anabranch.io.values.scalars import (
    HIGHEST,
    LOWEST,
    BadValue,
    coded_fields,
    coded_items,
    native_bool,
    native_bytes,
    native_date,
    native_decimal,
    native_float,
    native_int,
    native_none,
    native_str,
    native_time,
    native_timestamp,
    native_uuid,
    shown,
)
from anabranch.ir.foreign import values_of
from anabranch.ir.records import Record
from anabranch.ir.types import (
    BOOL,
    BYTES,
    FLOAT,
    INT,
    NONE,
    STR,
    AnyOf,
    ChoiceOf,
    DictType,
    ListOf,
    OptionalOf,
    RecordOf,
    Scalar,
    TupleType,
    Type,
    without_none,
)

Taker = Callable[[object], object]

ATOMS = frozenset({type(None), bool, int, float, complex, str, bytes, range, datetime, date, time,
                   timedelta, timezone, Decimal, Fraction, UUID, type(...), type(NotImplemented)})
"""Values of exactly these types cannot be changed, nor anything in them."""

PLAIN = {BOOL: bool, INT: int, FLOAT: float, STR: str, BYTES: bytes, NONE: type(None)}
FLAT = frozenset({list, dict, set, deque, bytearray})
KEPT = (list, tuple, dict, set, frozenset, deque, bytearray, array, np.ndarray,
        *(type(view) for view in ({}.keys(), {}.values(), {}.items())))
"""What holds all its items already. Whatever else is iterated may make them as it goes."""


class Refused:
    """Stands for an item of a list that could not be copied, until its turn comes."""

    def __init__(self, value: object, problem: BadValue):
        self.value, self.problem = value, problem

    def __repr__(self) -> str:
        return repr(self.value)


def holds_items(given: Iterable) -> bool:
    """Whether an iterable is a collection, which is taken as it is when a run begins."""
    return any(type(given).__iter__ is kind.__iter__ for kind in KEPT if isinstance(given, kind))


def snapshot(given: Iterable, item: Type) -> list:
    """The items of a collection as they are now; changing the collection changes nothing here."""
    items = list(given)
    if _is_plain(item) or _are_constant(items):
        return items
    return list(map(_copied_or_refused, items))


def _are_constant(items: list) -> bool:
    """A quick yes, for values and for records and tuples of values."""
    kinds = set(map(type, items))
    return kinds <= ATOMS or (all(map(_is_tuple, kinds)) and (
        set(map(type, chain.from_iterable(items))) <= ATOMS))


def _is_tuple(kind: type) -> bool:
    return kind is tuple or (has_only_fields(kind) and kind.__iter__ is tuple.__iter__)


def taker(given: Type, copies: Taker | None = None) -> Taker:
    """From an item as a source hands it out to the item that the program is given; `BadValue` for
    one that is not of the type, or cannot be copied. What has no declared type is `copied`, unless
    `copies` does something else."""
    copies = copies or copied
    if isinstance(given, Scalar):
        return EXACTLY[given.name]
    if isinstance(given, OptionalOf):
        inner = taker(given.item, copies)
        return lambda value: None if value is None else inner(value)
    if isinstance(given, ChoiceOf):
        check = choice_encoder(given, unchecked)
        return lambda value: (check(value), value)[1]
    if isinstance(given, ListOf):
        return _list_taker(given, copies)
    if isinstance(given, DictType):
        return _dict_taker(given, copies)
    if isinstance(given, TupleType):
        return _tuple_taker(given, copies)
    return _RecordTaker(given, copies) if isinstance(given, RecordOf) else copies


def unchecked(value: object) -> object:
    """An item of a snapshot, which has been copied before."""
    if type(value) is Refused:
        raise value.problem
    return value


def copied(value: object) -> object:
    """The value, or a copy of one that can be changed.

    >>> pair = (1, "a"); copied(pair) is pair, copied(([1], 2))
    (True, ([1], 2))
    """
    if _is_constant(value):
        return value
    if type(value) in FLAT and _is_flat(value):
        return value.copy()
    try:
        return copy.deepcopy(value)
    except Exception as error:
        raise BadValue("an item that can be copied", shown(value),
                       f"a {type(value).__name__} may be changed after it was handed out, and "
                       f"cannot be copied: {error}") from None


def _copied_or_refused(value: object) -> object:
    try:
        return copied(value)
    except BadValue as problem:
        return Refused(value, problem)


def _is_constant(value: object) -> bool:
    kind = type(value)
    if kind in ATOMS:
        return True
    if kind is frozenset or _is_tuple(kind):
        return set(map(type, value)) <= ATOMS or all(map(_is_constant, value))
    return isinstance(value, np.generic) and kind is not np.void


def has_only_fields(cls: type) -> bool:
    """Whether a class is one of records, which have nothing but their fields: a record whose other
    bases are without slots can be given attributes."""
    return issubclass(cls, Record) and not cls.__dictoffset__


def _is_flat(value: list | dict | set | deque | bytearray) -> bool:
    """Whether nothing that is in it can be changed."""
    return set(map(type, value)) <= ATOMS and (
        type(value) is not dict or set(map(type, value.values())) <= ATOMS)


def _is_plain(item: Type, within: tuple[type, ...] = ()) -> bool:
    """Whether no value of a type can be changed."""
    if isinstance(item, OptionalOf):
        return _is_plain(item.item, within)
    if isinstance(item, RecordOf) and item.cls not in within:
        return has_only_fields(item.cls) and all(
            _is_plain(kind, (*within, item.cls)) for kind in item.fields.values())
    if isinstance(item, TupleType):
        return all(_is_plain(kind, within) for kind in item.items)
    return isinstance(item, (Scalar, RecordOf))


def _list_taker(given: ListOf, copies: Taker) -> Taker:
    inner = taker(given.item, copies)

    def take(value):
        if not isinstance(value, (list, tuple)) or isinstance(value, Record):
            raise BadValue(str(given), shown(value))
        return coded_items(inner, _elements(value))
    return take


def _dict_taker(given: DictType, copies: Taker) -> Taker:
    key_of, item_of = taker(given.key, copies), taker(given.item, copies)

    def take(value):
        if not isinstance(value, dict):
            raise BadValue(str(given), shown(value))
        steps = [f"[{key!r}]" for key in value]
        items = coded_fields(steps, repeat(item_of), value.values())
        return dict(zip(coded_items(key_of, value), items))
    return take


def _tuple_taker(given: TupleType, copies: Taker) -> Taker:
    takers = [taker(item, copies) for item in given.items]

    def take(value):
        if not isinstance(value, tuple) or not (given.is_open or len(value) == len(takers)):
            raise BadValue(str(given), shown(value))
        items = _elements(value)
        return tuple(coded_items(takers[0], items) if given.is_open else
                     coded_fields([f"[{n}]" for n in range(len(takers))], takers, items))
    return take


def _elements(value: list | tuple) -> Iterable:
    """The elements, also of a subclass that would iterate over something else."""
    return (tuple if isinstance(value, tuple) else list).__iter__(value)


class _RecordTaker(RecordEncoder):
    """Gives a record of exactly the class of the type: the item itself where all of it fits."""

    def __init__(self, given: RecordOf, copies: Taker):
        self.given, self.copies = given, copies

    @once
    def encoders(self) -> list[Taker]:
        return [taker(kind, self.copies) for kind in self.given.fields.values()]

    @once
    def kinds(self) -> tuple[type, ...] | None:
        """The types that the values of most records have, which are then only looked at where not
        every value of the type will do; None if only one by one they tell."""
        kinds = tuple(map(PLAIN.get, self.given.fields.values()))
        return kinds if None not in kinds and _is_tuple(self.given.cls) else None

    @once
    def looks(self) -> list[tuple[int, Taker]]:
        return [(place, self.encoders[place]) for place, kind in enumerate(self.kinds)
                if kind in (int, str)]

    def __call__(self, item: object) -> object:
        if type(item) is self.given.cls and tuple(map(type, item)) == self.kinds:
            try:
                for place, look in self.looks:
                    look(tuple.__getitem__(item, place))
            except BadValue:
                return self._one_by_one(item)
            return item
        return self._one_by_one(item)

    def _one_by_one(self, item: object) -> object:
        cls = self.given.cls
        if type(item) is Refused:
            raise item.problem
        values = item if type(item) is cls else _values(item, self.given)
        taken = coded_fields(self.given.fields, self.encoders, _elements(values))
        if values is item and has_only_fields(cls) and all(
                map(operator.is_, taken, _elements(item))):
            return item
        return tuple.__new__(cls, taken)


def _values(item: object, given: RecordOf) -> tuple:
    """The fields of a record of another class, or of an object of the class that the type stands
    for; no property of a record's class is asked."""
    if (values := values_of(item, given.cls)) is not None:
        return values
    if (problem := misfit(item, given)) is not None:
        raise problem
    places = type(item).__record_places__
    return tuple(tuple.__getitem__(item, places[name]) for name in given.cls.__record_fields__)


# The slots of the base class give the plain value of a subclass, whatever that has overridden.

def exact_int(value: object) -> int:
    """A bool stays one: it is an int, and is shown as it came."""
    if type(value) is bool or (type(value) is int and LOWEST <= value <= HIGHEST):
        return value
    return int.__int__(native_int(_plain(value, int)))


def exact_float(value: object) -> float | int:
    """An int stays one."""
    if type(value) in (float, bool):
        return value
    value = _plain(_plain(value, float), int)
    if issubclass(type(value), numbers.Integral):
        value = operator.index(value)
        native_float(value)
        return value
    return float.__float__(native_float(value))


def exact_str(value: object) -> str:
    if type(value) is str and value.isascii():
        return value
    return native_str(_plain(value, str))


def exact_bytes(value: object) -> bytes:
    if issubclass(type(value), (bytearray, memoryview)):
        return memoryview(value).tobytes()
    return native_bytes(_plain(value, bytes))


def exact_timestamp(value: object) -> datetime:
    if type(value) is not datetime and issubclass(type(value), datetime):
        value = _plain_timestamp(value)
    native_timestamp(value)
    return value


_PLAIN = {int: int.__int__, float: float.__float__, str: str.__str__, bytes: bytes.__bytes__}


def _plain(value: object, kind: type) -> object:
    """A value of a subclass as one of the kind itself; any other value as it is."""
    return _PLAIN[kind](value) if issubclass(type(value), kind) else value


def _plain_timestamp(value: datetime) -> datetime:
    # Those of pandas have nanoseconds.
    if getattr(value, "nanosecond", 0):
        raise BadValue("timestamp of whole microseconds", shown(value))
    parts = [getattr(datetime, part).__get__(value) for part in (
        "year", "month", "day", "hour", "minute", "second", "microsecond", "tzinfo")]
    return datetime(*parts, fold=datetime.fold.__get__(value))


EXACTLY: dict[str, Taker] = {
    "bool": native_bool, "int": exact_int, "float": exact_float, "str": exact_str,
    "bytes": exact_bytes, "timestamp": exact_timestamp, "None": native_none,
    "date": native_date, "time": native_time, "Decimal": native_decimal, "UUID": native_uuid}


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
