"""Structures and arrays as items of compiled code: records with the sizes that the machine has."""

from __future__ import annotations

import numpy as np

from anabranch.lang.streamit.coding.constants import COMPILED, dtype_of
from anabranch.lang.streamit.coding.places import field_name
from anabranch.lang.streamit.types import ArrayOf, Primitive, StructOf, Type, base_of, shape_of

ITEM = "v"
"""The field of a record that is an array."""


def value_dtype(type: Type) -> np.dtype:
    """How one value is held, of a type that is no array."""
    if not isinstance(type, StructOf):
        return np.dtype(dtype_of(type, COMPILED))
    zero = type.new()
    return np.dtype([_field(name, each, getattr(zero, field_name(name)))
                     for name, each in type.fields.items()])


def _field(name: str, type: Type, zero: object) -> tuple:
    shape = zero.shape if isinstance(type, ArrayOf) else ()
    return field_name(name), value_dtype(base_of(type)), shape


def item_dtype(type: Type) -> np.dtype:
    """How an item of a channel is held: an array is the only field of a record."""
    if isinstance(type, ArrayOf):
        return np.dtype([(ITEM, value_dtype(base_of(type)), shape_of(type))])
    return value_dtype(type)


def is_held(type: Type) -> bool:
    """Whether compiled code can hold items of a type."""
    return isinstance(type, (Primitive, StructOf)) or shape_of(type) is not None


def records(value: object, type: Type) -> np.ndarray:
    """Structures, one or an array of them, as records."""
    given = np.empty((), object) if not isinstance(value, np.ndarray) else value
    if given is not value:
        given[()] = value
    found = np.zeros(given.shape, value_dtype(base_of(type)))
    for place in np.ndindex(given.shape):
        _fill(found[place], given[place])
    return found


def _fill(record: np.void, struct: object) -> None:
    for name in record.dtype.names:
        value = getattr(struct, name)
        if record.dtype[name].names:
            _fill(record[name], value)
        elif isinstance(value, np.ndarray) and value.dtype == object:
            for place in np.ndindex(value.shape):
                _fill(record[name][place], value[place])
        else:
            record[name] = value
