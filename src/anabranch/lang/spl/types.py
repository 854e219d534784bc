"""The types of SPL, and what their values are in Python.

Integers of every width are ints that wrap around, both kinds of strings are texts. A set is a dict
without values and a map a dict, so that both keep their order in every process. A tuple is a
record.

>>> wrapped("a + b", Primitive("int32")), wrapped("a + b", Primitive("uint8"))
('((a + b + 2147483648 & 4294967295) - 2147483648)', '(a + b & 255)')
>>> str(TupleOf((("uid", Primitive("uint32")), ("tags", Collection("list", (RSTRING,))))))
'tuple<uint32 uid, list<rstring> tags>'
"""

from __future__ import annotations

import keyword
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from anabranch.ir import types as ir
from anabranch.ir.records import Record, record_class
from anabranch.lang.spl.coding.values import Timestamp


class SplType:
    """The root of the types; `str()` shows one as it is written."""


@dataclass(frozen=True)
class Primitive(SplType):
    name: str
    bound: int | None = None

    def __str__(self) -> str:
        return self.name if self.bound is None else f"{self.name}[{self.bound}]"


@dataclass(frozen=True)
class Collection(SplType):
    kind: str
    parts: tuple[SplType, ...]
    bound: int | None = None

    def __str__(self) -> str:
        bound = "" if self.bound is None else f"[{self.bound}]"
        return f"{self.kind}<{', '.join(map(str, self.parts))}>{bound}"

    @property
    def item(self) -> SplType:
        return self.parts[0]


@dataclass(frozen=True)
class TupleOf(SplType):
    """Two are one type when they have the same attributes in the same order."""

    fields: tuple[tuple[str, SplType], ...]

    def __str__(self) -> str:
        return f"tuple<{', '.join(f'{kind} {name}' for name, kind in self.fields)}>"

    @property
    def attributes(self) -> dict[str, SplType]:
        return dict(self.fields)


@dataclass(frozen=True)
class OptionalOf(SplType):
    """A value of a type, or none."""

    item: SplType

    def __str__(self) -> str:
        return f"optional<{self.item}>"


@dataclass(frozen=True)
class NullType(SplType):
    """The type of `null` where nothing tells another."""

    def __str__(self) -> str:
        return "null"


@dataclass(frozen=True)
class EnumOf(SplType):
    names: tuple[str, ...]

    def __str__(self) -> str:
        return f"enum{{{', '.join(self.names)}}}"


@dataclass(frozen=True)
class Void(SplType):
    """What a function gives that is called for what it does."""

    def __str__(self) -> str:
        return "void"


VOID, NULL = Void(), NullType()
SIGNED = {f"int{bits}": bits for bits in (8, 16, 32, 64)}
UNSIGNED = {f"uint{bits}": bits for bits in (8, 16, 32, 64)}
WIDTHS = SIGNED | UNSIGNED
FLOATS = ("float32", "float64")
DECIMALS = {"decimal32": 7, "decimal64": 16, "decimal128": 34}
COMPLEX = {"complex32": "float32", "complex64": "float64"}
STRINGS = ("rstring", "ustring")
INT32, INT64, UINT64, FLOAT64, BOOLEAN, RSTRING, USTRING, TIMESTAMP, BLOB = map(Primitive, (
    "int32", "int64", "uint64", "float64", "boolean", "rstring", "ustring", "timestamp", "blob"))

TIME_PARTS = TupleOf((*((name, INT32) for name in (
    "sec", "min", "hour", "mday", "mon", "year", "wday", "yday", "isdst", "gmtoff")),
    ("zone", RSTRING)))
"""`Sys.tm`: a time taken apart."""

TIME_FORMS = EnumOf(("YYYYMMDDhhmmss", *(f"{date}_hh_mm_ss{more}" for more in ("", "_mmm")
                                        for date in ("YYYY_MM_DD", "MM_DD_YYYY", "DD_MM_YYYY"))))
"""How texts tell times, in `Sys`."""


def is_integer(kind: SplType) -> bool:
    return isinstance(kind, Primitive) and kind.name in WIDTHS


def is_float(kind: SplType) -> bool:
    return isinstance(kind, Primitive) and kind.name in FLOATS


def is_decimal(kind: SplType) -> bool:
    return isinstance(kind, Primitive) and kind.name in DECIMALS


def is_number(kind: SplType) -> bool:
    return is_integer(kind) or is_float(kind) or is_decimal(kind)


def is_complex(kind: SplType) -> bool:
    return isinstance(kind, Primitive) and kind.name in COMPLEX


def is_string(kind: SplType) -> bool:
    return isinstance(kind, Primitive) and kind.name in STRINGS


def is_ordered(kind: SplType) -> bool:
    return is_number(kind) or is_string(kind) or kind in (BOOLEAN, TIMESTAMP)


def is_list(kind: SplType) -> bool:
    return isinstance(kind, Collection) and kind.kind == "list"


def unbounded(kind: SplType) -> SplType:
    """The type without its bounds: values of both can meet."""
    if isinstance(kind, Primitive):
        return Primitive(kind.name)
    if isinstance(kind, Collection):
        return Collection(kind.kind, tuple(map(unbounded, kind.parts)))
    if isinstance(kind, TupleOf):
        return TupleOf(tuple((name, unbounded(t)) for name, t in kind.fields))
    return OptionalOf(unbounded(kind.item)) if isinstance(kind, OptionalOf) else kind


def range_of(kind: Primitive) -> tuple[int, int]:
    """The smallest and the largest value of an integer type.

    >>> range_of(Primitive("int8")), range_of(Primitive("uint16"))
    ((-128, 127), (0, 65535))
    """
    if kind.name in SIGNED:
        half = 1 << SIGNED[kind.name] - 1
        return -half, half - 1
    return 0, (1 << UNSIGNED[kind.name]) - 1


def wrapped(text: str, kind: SplType) -> str:
    """The Python text of a result in the range of its type; that of 64 bits is not written with
    masks, which are beyond the integers of compiled code."""
    if is_integer(kind):
        if kind.name in ("int64", "uint64"):
            return f"{'wrap64' if kind.name == 'int64' else 'wrap_u64'}({text})"
        low, high = range_of(kind)
        if low:
            return f"(({text} + {-low} & {high - low}) - {-low})"
        return f"({text} & {high})"
    if is_decimal(kind):
        return f"decimal_of({text}, {DECIMALS[kind.name]})"
    if kind == Primitive("complex32"):
        return f"single_complex({text})"
    return f"single({text})" if kind == Primitive("float32") else f"({text})"


def field_name(attribute: str) -> str:
    """The field of a record for an attribute: not every name is one in Python.

    >>> field_name("uid"), field_name("from"), field_name("_id")
    ('uid', 'from_', 'x_id')
    """
    if attribute.startswith("_"):
        return f"x{attribute}"
    return f"{attribute}_" if keyword.iskeyword(attribute) else attribute


def item_type(kind: SplType) -> ir.Type:
    """The type that values have in a stream's records."""
    if isinstance(kind, TupleOf):
        return ir.RecordOf(record_of(kind))
    if isinstance(kind, OptionalOf):
        return ir.OptionalOf(item_type(kind.item))
    if is_list(kind):
        return ir.ListOf(item_type(kind.item))
    if isinstance(kind, EnumOf) or is_string(kind):
        return ir.STR
    if is_integer(kind):
        return ir.INT
    if is_float(kind):
        return ir.FLOAT
    if kind == TIMESTAMP:
        return ir.RecordOf(Timestamp)
    own = ir.AnyOf(f"a {kind} is Python's own object")
    return {BOOLEAN: ir.BOOL, BLOB: ir.BYTES}.get(kind, own)


def record_of(kind: TupleOf) -> type[Record]:
    """The record class of a tuple type: one for each structure."""
    return _record(unbounded(kind))


@cache
def _record(kind: TupleOf) -> type[Record]:
    return record_class("Tuple", {field_name(n): item_type(t) for n, t in kind.fields})


def hint_of(kind: SplType) -> object:
    """The annotation of a field of a state."""
    if isinstance(kind, TupleOf):
        return record_of(kind)
    if isinstance(kind, Collection):
        parts = tuple(map(hint_of, kind.parts))
        return {"list": lambda: list[parts[0]], "set": lambda: dict[parts[0], int],
                "map": lambda: dict[parts[0], parts[1]]}[kind.kind]()
    if isinstance(kind, OptionalOf):
        return hint_of(kind.item) | None
    if isinstance(kind, EnumOf) or is_string(kind):
        return str
    if is_complex(kind):
        return complex
    if is_number(kind):
        return int if is_integer(kind) else float if is_float(kind) else Decimal
    return {BOOLEAN: bool, BLOB: bytes, TIMESTAMP: Timestamp}[kind]


def default_of(kind: SplType) -> object:
    """The value of a variable that is given none: zero, empty."""
    if isinstance(kind, TupleOf):
        return record_of(kind)(*(default_of(t) for _, t in kind.fields))
    if isinstance(kind, Collection):
        return [] if kind.kind == "list" else {}
    if isinstance(kind, OptionalOf):
        return None
    if isinstance(kind, EnumOf):
        return kind.names[0]
    if kind == TIMESTAMP:
        return Timestamp(0, 0, 0)
    return hint_of(kind)()
