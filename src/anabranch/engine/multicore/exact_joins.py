"""Whether parts of an aggregate, joined, are what one fold over all values gives, to the last bit.

They are not where floats are added up, as sums are rounded; nor where values are compared of which
some are neither less than another nor more, unless these are left out of the parts.
"""

from __future__ import annotations

from anabranch.analysis.typing.inference import infer_result
from anabranch.analysis.typing.types import DictOf, ItemsOf, SetOf, TupleOf, fields_of_class
from anabranch.ir import aggregates
from anabranch.ir.aggregates import Call, Max, Mean, Min, Sum
from anabranch.ir.function import Function
from anabranch.ir.types import (
    ANY,
    BOOL,
    BYTES,
    FLOAT,
    INT,
    STR,
    TIMESTAMP,
    ListOf,
    OptionalOf,
    RecordOf,
    Type,
    fields_of,
    without_none,
)

PLAIN = {BOOL, INT, STR, BYTES, TIMESTAMP}
"""Types whose values have one order, and which nothing rounds."""


def joins_exactly(call: Call, item: Type) -> bool:
    """Whether the aggregate, over values of such items, may be computed in parts."""
    if call.aggregate in (Sum, Mean):
        return _value_type(call, item) in (INT, BOOL)
    if compares(call):
        kind = without_none(_value_type(call, item))
        return kind == FLOAT or _is_plain(kind)
    built_in = call.aggregate.__module__ == aggregates.__name__
    return call.aggregate.can_join() and (built_in or not any(
        map(_may_be_rounded, fields_of_class(call.aggregate).values())))


def compares(call: Call) -> bool:
    """Whether the aggregate depends on an order of the values: a NaN has no place in it."""
    return call.aggregate in (Min, Max)


def _value_type(call: Call, item: Type) -> Type:
    if isinstance(call.value, Function):
        return infer_result(call.value, [item])
    return (fields_of(item) or {}).get(call.value, ANY) if call.value else item


def _may_be_rounded(kind: Type) -> bool:
    """Whether a value of a state may hold a sum of floats. In a set values are only kept.

    >>> [_may_be_rounded(kind) for kind in (INT, ListOf(FLOAT), SetOf(FLOAT), DictOf(STR, ANY))]
    [False, True, False, True]
    """
    match kind:
        case SetOf():
            return False
        case DictOf(_, item) | ListOf(item) | OptionalOf(item) | ItemsOf(item):
            return _may_be_rounded(item)
        case TupleOf(items):
            return any(map(_may_be_rounded, items))
    return not _is_plain(kind)


def _is_plain(kind: Type) -> bool:
    return kind in PLAIN or (
        isinstance(kind, RecordOf) and set(fields_of_class(kind.cls).values()) <= PLAIN)
