"""Rows that Hypothesis draws for a record class, by the types of its fields."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from anabranch.core.errors import UsageError
from anabranch.core.source import caller_span
from anabranch.ir.types import (
    BOOL,
    BYTES,
    DATE,
    DECIMAL,
    FLOAT,
    INT,
    STR,
    TIME,
    TIMESTAMP,
    UUID_TYPE,
    ChoiceOf,
    DictType,
    ListOf,
    OptionalOf,
    RecordOf,
    TupleType,
    Type,
    field_types,
    type_of,
)

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

FEW, MOST = 6, 30
"""Numbers from a small range, so that keys come again; and so many rows at most."""


def rows(record: type, *, most: int = MOST, time: str | None = None, **fields: Any
         ) -> SearchStrategy:
    """A Hypothesis strategy of lists of rows. Fields that are named have strategies of their own;
    with `time`, the rows are in its order.

        check(program, given={"payments": rows(Payment, kind=st.sampled_from(["card", "test"]))})
    """
    from hypothesis import strategies as st

    found = type_of(record)
    if not isinstance(found, RecordOf):
        raise UsageError(f"{record!r} is no record class", caller_span())
    made, types = found.cls, found.fields
    for name in fields:
        if name not in types:
            raise UsageError(f"{record.__name__} has no field '{name}'", caller_span())
    drawn = st.lists(st.builds(made, **{
        name: fields[name] if name in fields else _strategy(kind)
        for name, kind in types.items()}), max_size=most)
    if time:
        drawn = drawn.map(lambda found: sorted(found, key=lambda row: getattr(row, time)))
    _items[drawn] = made
    return drawn


_items: WeakKeyDictionary[SearchStrategy, type] = WeakKeyDictionary()
"""The record class that a strategy draws rows of."""


def is_strategy(value: object) -> bool:
    """Whether Hypothesis, if it is there at all, is to draw the rows."""
    if "hypothesis" not in sys.modules:
        return False
    from hypothesis.strategies import SearchStrategy

    return isinstance(value, SearchStrategy)


def item_of(strategy: SearchStrategy) -> type | None:
    """The record class of what `rows` has made."""
    return _items.get(strategy)


def _strategy(kind: Type) -> SearchStrategy:
    from hypothesis import strategies as st

    if isinstance(kind, OptionalOf):
        return st.none() | _strategy(kind.item)
    if isinstance(kind, ListOf):
        return st.lists(_strategy(kind.item), max_size=3)
    if isinstance(kind, DictType):
        return st.dictionaries(_strategy(kind.key), _strategy(kind.item), max_size=3)
    if isinstance(kind, TupleType):
        items = list(map(_strategy, kind.items))
        return st.lists(items[0], max_size=3).map(tuple) if kind.is_open else st.tuples(*items)
    if isinstance(kind, ChoiceOf):
        return st.sampled_from([kind.cls(value) if kind.cls else value for value in kind.values])
    if isinstance(kind, RecordOf):
        return st.builds(kind.cls, **{name: _strategy(each)
                                      for name, each in field_types(kind.cls).items()})
    scalars = _scalars()
    if kind not in scalars:
        raise UsageError(f"nothing is drawn for a field of the type {kind}", caller_span(),
                         help="give a strategy for it: rows(Record, field=strategy)")
    return scalars[kind]


def _scalars() -> dict[Type, SearchStrategy]:
    from datetime import UTC

    from hypothesis import strategies as st

    few = st.integers(-FEW, FEW)
    return {
        INT: few | st.integers(-2 ** 31, 2 ** 31), BOOL: st.booleans(),
        FLOAT: few.map(float) | st.floats(-1e6, 1e6, allow_nan=False),
        STR: st.sampled_from(["", "a", "b", "card"]) | st.text(max_size=5),
        BYTES: st.binary(max_size=4), DATE: st.dates(), TIME: st.times(),
        TIMESTAMP: st.datetimes(timezones=st.just(UTC)), UUID_TYPE: st.uuids(),
        DECIMAL: st.decimals(-1000, 1000, places=2),
    }
