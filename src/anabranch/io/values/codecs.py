"""Codecs: between a typed value and a cell's text, a JSON value or a native value.

What an encoder gives, the decoder of the same carrier and type turns back into the same value.

>>> from anabranch.ir.types import ANY, type_of
>>> text_decoder(type_of(int | None))("12"), text_decoder(type_of(list[int]))("[1, 2]")
(12, [1, 2])
>>> json_decoder(type_of(list[float]))([1, "NaN"])
[1.0, nan]
>>> text_encoder(type_of(list[float]))([0.1, float("nan")])
'[0.1, "NaN"]'
>>> json_encoder(ANY)({"raw": b"abc"})
{'raw': 'YWJj'}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from functools import lru_cache
from itertools import repeat
from uuid import UUID

from anabranch.core.errors import did_you_mean
from anabranch.core.lazy import numpy_types
from anabranch.core.once import once
from anabranch.io.values.scalars import (
    JSON_DECODERS,
    JSON_ENCODERS,
    NATIVE,
    NATIVE_DECODERS,
    TEXT_DECODERS,
    TEXT_ENCODERS,
    BadValue,
    coded_fields,
    coded_items,
    json_text,
    parsed_json,
    shown,
)
from anabranch.ir.foreign import is_foreign
from anabranch.ir.records import Record
from anabranch.ir.types import (
    BYTES,
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
    told_again,
)

Decoder = Callable[[object], object]
Decoders = dict[str, Decoder]


def text_decoder(wanted: Type) -> Decoder:
    """Decodes a cell: None is a cell with nothing in it, "" an empty text in quotes.

    Lists and records are JSON inside the cell. In an optional column a cell with nothing in it is
    None; so is "", except for text and bytes, which can be empty themselves.
    """
    if isinstance(wanted, Scalar):
        return TEXT_DECODERS[wanted.name]
    if isinstance(wanted, AnyOf):
        return _unchanged
    if isinstance(wanted, ChoiceOf):
        return choice_decoder(wanted, text_decoder(wanted.base))
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


def _decoder(wanted: Type, leaves: Decoders) -> Decoder:
    if isinstance(wanted, Scalar):
        return leaves[wanted.name]
    if isinstance(wanted, AnyOf):
        return _unchanged
    if isinstance(wanted, OptionalOf):
        inner = _decoder(wanted.item, leaves)
        return lambda value: None if value is None else inner(value)
    if isinstance(wanted, ChoiceOf):
        return choice_decoder(wanted, _decoder(wanted.base, leaves))
    if isinstance(wanted, ListOf):
        return _list_decoder(wanted, leaves)
    if isinstance(wanted, RecordOf):
        return RecordDecoder(wanted, leaves)
    if isinstance(wanted, DictType):
        return _dict_decoder(wanted, leaves)
    if isinstance(wanted, TupleType):
        return _tuple_decoder(wanted, leaves)
    raise TypeError(f"no decoder for {type(wanted).__name__}")


def choice_decoder(wanted: ChoiceOf, inner: Decoder) -> Decoder:
    """From the value that a carrier has to the value, or the member, that it chooses."""
    chosen = {value: wanted.cls(value) if wanted.cls else value for value in wanted.values}

    def decode(carried):
        value = inner(carried)
        if value not in chosen:
            raise BadValue(" or ".join(map(repr, chosen)), shown(carried))
        return chosen[value]
    return decode


def choice_encoder(given: ChoiceOf, inner: Decoder) -> Decoder:
    """The other way; anything else is refused."""
    def encode(value):
        plain = value.value if given.cls and type(value) is given.cls else value
        if (given.cls and plain is value) or plain not in given.values:
            raise BadValue(str(given), shown(value))
        return inner(plain)
    return encode


def _unchanged(value: object) -> object:
    return value


def _list_decoder(wanted: ListOf, leaves: Decoders) -> Decoder:
    inner = _decoder(wanted.item, leaves)

    def decode(value):
        if not isinstance(value, list):
            raise BadValue(str(wanted), shown(value))
        return coded_items(inner, value)
    return decode


def _dict_decoder(wanted: DictType, leaves: Decoders) -> Decoder:
    """Of an object in JSON, whose keys are texts, or of the pairs that Arrow gives."""
    is_json = leaves is JSON_DECODERS
    key_of = text_decoder(wanted.key) if is_json else _decoder(wanted.key, leaves)
    item_of = _decoder(wanted.item, leaves)

    def decode(value):
        if not isinstance(value, dict if is_json else (dict, list)):
            raise BadValue(str(wanted), shown(value))
        pairs = dict(value)
        keys = coded_items(key_of, pairs)
        return dict(zip(keys, coded_fields(_steps(pairs), repeat(item_of), pairs.values())))
    return decode


def _steps(keys: Iterable) -> Iterable[str]:
    """The steps from a dict to its items, as errors tell them."""
    return (f"[{key!r}]" for key in keys)


def _tuple_decoder(wanted: TupleType, leaves: Decoders) -> Decoder:
    """Of an array in JSON; Arrow has a tuple of several types as a struct."""
    items = [_decoder(item, leaves) for item in wanted.items]

    def decode(value):
        values = list(value.values()) if isinstance(value, dict) else value
        return tuple(_all_of(wanted, items, values))
    return decode


def _all_of(kind: TupleType, coders: list[Decoder], values: object) -> list:
    """The items of a tuple, each through its coder."""
    if not isinstance(values, (list, tuple)) or isinstance(values, Record) or not (
            kind.is_open or len(values) == len(coders)):
        raise BadValue(str(kind), shown(values))
    if kind.is_open:
        return coded_items(coders[0], values)
    return coded_fields(_steps(range(len(values))), coders, values)


class RecordDecoder:
    """Makes a record of a dict: other keys are ignored, a missing one takes the field's default.

    An optional field without a default is None when its key is missing.
    """

    def __init__(self, wanted: RecordOf, leaves: Decoders,
                 fixed: Mapping[str, object] | None = None):
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


Encoder = Callable[[object], object]
Encoders = dict[str, Encoder]

_KINDS = ((type(None), "None"), (bool, "bool"), (int, "int"), (float, "float"), (str, "str"),
          ((bytes, bytearray), "bytes"), (datetime, "timestamp"), (date, "date"), (time, "time"),
          (Decimal, "Decimal"), (UUID, "UUID"))
_OF_NUMPY = (("bool_", "bool"), ("integer", "int"), ("floating", "float"))


def text_encoder(given: Type) -> Callable[[object], str | None]:
    """The text of a cell; None for a cell with nothing in it, which is not the empty text."""
    if isinstance(given, Scalar):
        return TEXT_ENCODERS[given.name]
    if isinstance(given, AnyOf):
        return _any_text
    if isinstance(given, ChoiceOf):
        return choice_encoder(given, text_encoder(given.base))
    if isinstance(given, OptionalOf):
        return _optional(text_encoder(given.item))
    encode = json_encoder(given)
    return lambda value: json_text(encode(value))


@lru_cache(maxsize=256)
def json_encoder(given: Type) -> Encoder:
    """A value that `json.dumps` takes."""
    return _any_json if isinstance(given, AnyOf) else _encoder(given, JSON_ENCODERS)


def native_encoder(given: Type, leaves: Encoders = NATIVE) -> Encoder:
    """A value that Arrow takes: the Python value itself, checked, with a dict for a record."""
    return _encoder(given, leaves)


def scalar_name(value: object) -> str | None:
    """The name of the scalar type that a Python value has by itself."""
    return next((name for kind, name in _KINDS if isinstance(value, kind)), None) or next(
        (name for kind, name in _OF_NUMPY if isinstance(value, numpy_types(kind))), None)


def _encoder(given: Type, leaves: Encoders) -> Encoder:
    if isinstance(given, Scalar):
        return leaves[given.name]
    if isinstance(given, AnyOf):
        return _any_json if leaves is JSON_ENCODERS else lambda value: value
    if isinstance(given, OptionalOf):
        return _optional(_encoder(given.item, leaves))
    if isinstance(given, ChoiceOf):
        return choice_encoder(given, _encoder(given.base, leaves))
    if isinstance(given, ListOf):
        return _list_encoder(given, leaves)
    if isinstance(given, RecordOf):
        return RecordEncoder(given, leaves)
    if isinstance(given, DictType):
        return _dict_encoder(given, leaves)
    if isinstance(given, TupleType):
        return _tuple_encoder(given, leaves)
    raise TypeError(f"no encoder for {type(given).__name__}")


def _dict_encoder(given: DictType, leaves: Encoders) -> Encoder:
    """An object for JSON, with texts as its keys; pairs for Arrow."""
    is_json = leaves is JSON_ENCODERS
    key_of = text_encoder(given.key) if is_json else _encoder(given.key, leaves)
    item_of = _encoder(given.item, leaves)

    def encode(value):
        if not isinstance(value, dict):
            raise BadValue(str(given), shown(value))
        items = coded_fields(_steps(value), repeat(item_of), value.values())
        pairs = zip(coded_items(key_of, value), items)
        return dict(pairs) if is_json else list(pairs)
    return encode


def _tuple_encoder(given: TupleType, leaves: Encoders) -> Encoder:
    """An array for JSON, a struct for Arrow where the items are of several types."""
    items = [_encoder(item, leaves) for item in given.items]
    if leaves is JSON_ENCODERS or given.is_open:
        return lambda value: _all_of(given, items, value)
    return lambda value: dict(zip(places(given), _all_of(given, items, value)))


def places(kind: TupleType) -> list[str]:
    """The names that the items of a tuple have in a struct."""
    return [f"_{n}" for n in range(1, len(kind.items) + 1)]


def _optional(inner: Encoder) -> Encoder:
    return lambda value: None if value is None else inner(value)


def _list_encoder(given: ListOf, leaves: Encoders) -> Encoder:
    inner = _encoder(given.item, leaves)

    def encode(value):
        if not isinstance(value, (list, tuple)) or isinstance(value, Record):
            raise BadValue(str(given), shown(value))
        return coded_items(inner, value)
    return encode


class RecordEncoder:
    """Makes a dict of a record that has the fields of the type, no more and no fewer."""

    def __init__(self, given: RecordOf, leaves: Encoders):
        self.given, self.leaves = given, leaves

    @once
    def encoders(self) -> list[Encoder]:
        # Made at the first record, not before: a record may contain itself.
        return [_encoder(kind, self.leaves) for kind in self.given.fields.values()]

    def __call__(self, item: object) -> dict[str, object]:
        names, values = self.given.fields, conforming(item, self.given)
        return dict(zip(names, coded_fields(names, self.encoders, values)))


def conforming(item: object, given: RecordOf) -> tuple:
    """The values of a record in the order of the type's fields; refuses any other set of fields."""
    if type(item) is given.cls:
        return item
    if (problem := misfit(item, given)) is not None:
        raise problem
    return tuple(getattr(item, name) for name in given.cls.__record_fields__)


def misfit(item: object, given: RecordOf) -> BadValue | None:
    """What is wrong with an item that should have the fields of a type, no more and no fewer."""
    if not isinstance(item, Record):
        name = type(item).__name__
        told = f"a {name} is no record: put @ab.record above its class" if is_foreign(
            type(item)) else None
        return BadValue(str(given), shown(item), told)
    wanted, own = given.cls.__record_fields__, type(item).__record_fields__
    again = told_again(given, RecordOf(type(item)))
    for name in own:
        if name not in wanted:
            return BadValue(f"the fields of {given}", shown(item), f"{given} has no attribute "
                            f"'{name}'; {again or did_you_mean(name, wanted)}", name)
    for name in wanted:
        if name not in own:
            return BadValue(f"the fields of {given}", shown(item),
                            f"'{name}' is missing{f'; {again}' if again else ''}", name)
    return None


def _any_text(value: object) -> str | None:
    """A value of unknown type: text as it is, other scalars by their own type, the rest as JSON."""
    name = scalar_name(value)
    return TEXT_ENCODERS[name](value) if name else json_text(_any_json(value))


def _any_json(value: object) -> object:
    if isinstance(value, Record):
        return json_encoder(RecordOf(type(value)))(value)
    if isinstance(value, (list, tuple)):
        return coded_items(_any_json, value)
    if isinstance(value, dict):
        return _any_dict(value)
    name = scalar_name(value)
    if name is None:
        raise BadValue("a record, a list, a dict or a single value", shown(value))
    return JSON_ENCODERS[name](value)


def _any_dict(value: dict) -> dict:
    if not all(isinstance(key, str) for key in value):
        raise BadValue("a dict with text as its keys", shown(value))
    return dict(zip(value, coded_fields(value, repeat(_any_json), value.values())))
