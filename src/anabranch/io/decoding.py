"""Decoders: from a cell's text, a JSON value or a native value to a typed value.

>>> from anabranch.ir.types import type_of
>>> text_decoder(type_of(int | None))("12"), text_decoder(type_of(list[int]))("[1, 2]")
(12, [1, 2])
>>> json_decoder(type_of(list[float]))([1, "NaN"])
[1.0, nan]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from anabranch.errors import did_you_mean
from anabranch.io.badvalue import BadValue, coded_items, shown
from anabranch.io.values import JSON_DECODERS, NATIVE_DECODERS, TEXT_DECODERS, parsed_json
from anabranch.ir.types import BYTES, STR, AnyOf, ListOf, OptionalOf, RecordOf, Scalar, Type
from anabranch.once import once

Decoder = Callable[[object], object]
Table = dict[str, Decoder]


def text_decoder(wanted: Type) -> Decoder:
    """Decodes a cell: None is a cell with nothing in it, "" an empty text in quotes.

    Lists and records are JSON inside the cell. In an optional column a cell with nothing in it is
    None; so is "", except for text and bytes, which can be empty themselves.
    """
    if isinstance(wanted, Scalar):
        return TEXT_DECODERS[wanted.name]
    if isinstance(wanted, AnyOf):
        return _unchanged
    if isinstance(wanted, OptionalOf):
        inner = text_decoder(wanted.item)
        if wanted.item in (STR, BYTES):
            return lambda cell: None if cell is None else inner(cell)
        return lambda cell: inner(cell) if cell else None
    decode = json_decoder(wanted)
    return lambda cell: decode(parsed_json(cell))


def json_decoder(wanted: Type, fixed: Mapping[str, object] | None = None) -> Decoder:
    """Decodes what `json.loads` gives; the `fixed` fields of a record are not looked for."""
    if fixed:
        return RecordDecoder(wanted, JSON_DECODERS, fixed)
    return _decoder(wanted, JSON_DECODERS)


def native_decoder(wanted: Type) -> Decoder:
    """Decodes what Arrow gives: Python values, with a dict for a record."""
    return _decoder(wanted, NATIVE_DECODERS)


def _decoder(wanted: Type, leaves: Table) -> Decoder:
    if isinstance(wanted, Scalar):
        return leaves[wanted.name]
    if isinstance(wanted, AnyOf):
        return _unchanged
    if isinstance(wanted, OptionalOf):
        inner = _decoder(wanted.item, leaves)
        return lambda value: None if value is None else inner(value)
    if isinstance(wanted, ListOf):
        return _list_decoder(wanted, leaves)
    if isinstance(wanted, RecordOf):
        return RecordDecoder(wanted, leaves)
    raise TypeError(f"no decoder for {type(wanted).__name__}")


def _unchanged(value: object) -> object:
    return value


def _list_decoder(wanted: ListOf, leaves: Table) -> Decoder:
    inner = _decoder(wanted.item, leaves)

    def decode(value):
        if not isinstance(value, list):
            raise BadValue(str(wanted), shown(value))
        return coded_items(inner, value)
    return decode


class RecordDecoder:
    """Makes a record of a dict: other keys are ignored, a missing one takes the field's default.

    An optional field without a default is None when its key is missing.
    """

    def __init__(self, wanted: RecordOf, leaves: Table, fixed: Mapping[str, object] | None = None):
        self.wanted, self.leaves, self.fixed = wanted, leaves, fixed or {}

    @once
    def fields(self) -> list[tuple[str, Decoder, object]]:
        # Made at the first record, not before: a record may contain itself.
        defaults = self.wanted.cls.__record_fields__
        return [(name, lambda _, name=name: self.fixed[name], self.fixed[name])
                if name in self.fixed else
                (name, _decoder(kind, self.leaves), self._default(kind, defaults[name]))
                for name, kind in self.wanted.fields.items()]

    @staticmethod
    def _default(kind: Type, declared: object) -> object:
        return None if declared is ... and isinstance(kind, OptionalOf) else declared

    def __call__(self, value: object) -> object:
        if not isinstance(value, dict):
            raise BadValue(str(self.wanted), shown(value))
        values, name = [], ""
        try:
            for name, decode, default in self.fields:
                values.append(decode(value[name]) if name in value
                              else self._missing(name, default, value))
        except BadValue as error:
            raise error.within(name) from None
        return self.wanted.cls(*values)

    def _missing(self, name: str, default: object, value: dict) -> object:
        if default is not ...:
            return default
        hint = did_you_mean(name, value)
        raise BadValue(f"a value for '{name}'", f"no such key; {hint}" if hint else "no key at all",
                       f"'{name}' is missing")
