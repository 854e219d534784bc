"""What an expression is, known before it runs: its kind, and its native code.

A kind is exact: an int that stands in a field declared float is still an int here, as in Python.
"""

from __future__ import annotations

import ast
import sys
from collections import namedtuple
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import Enum, EnumMeta
from functools import reduce
from inspect import getattr_static
from types import FunctionType

from anabranch.analysis.syntax import FunctionSyntax
from anabranch.core.source import Span
from anabranch.ir.records import Record
from anabranch.ir.times import elapsed_of
from anabranch.ir.types import BOOL, BYTES, FLOAT, INT, STR, TIMESTAMP, Type, without_none

KINDS = {BOOL: "bool", INT: "int", FLOAT: "float", STR: "str", TIMESTAMP: "time"}
ZEROS = {"bool": "False", "int": "0", "float": "0.0", "str": "-1", "time": "0",
         "span": "0", "bytes": "-1"}
DTYPES = {"bool": "bool", "int": "int64", "float": "float64", "str": "int64", "time": "int64",
          "span": "int64"}
HELD = {**DTYPES, "bytes": "int64"}
"""Bytes are held as part of a key alone."""
NUMERIC = ("bool", "int", "float")
CODED = ("str", "bytes")
"""What is held as numbers of texts, below zero for None."""
OPAQUE = ("bytes", "other")
"""What a kernel hands on, and does not compute with; bytes can be keys."""
MICROSECOND = timedelta(microseconds=1)
VARIABLE = object()
# Stands in generated text for the arguments that every function of a stage has.
CONTEXT = "<context>"
# The text that an expression computed once for each distinct text is about.
TEXT = "_text"


class Unsupported(Exception):
    """This function has no native form: why, and where in the user's text."""

    def __init__(self, why: str, span: Span | None = None):
        super().__init__(why)
        self.why, self.span = why, span


def unsupported(syntax: FunctionSyntax, node: ast.AST, why: str) -> Unsupported:
    place = syntax.at(node)
    return Unsupported(f"{why} at line {place.line}", place)


def no_form(what: str, error: Exception) -> str:
    """Why there is no kernel of something where making one failed.

    >>> no_form("t.a[1:]", KeyError("a"))
    "has no native form of t.a[1:] (KeyError: 'a')"
    """
    first = str(error).strip().split("\n")[0]
    return f"has no native form of {what} ({type(error).__name__}{first and ': '}{first})"


def is_of_library(called: FunctionType) -> bool:
    """Whether a function is one of Python's own."""
    return (called.__module__ or "").split(".")[0] in sys.stdlib_module_names


@dataclass(frozen=True)
class Value:
    """A scalar. `none` is the code that tells whether it is None, for one that may be.

    `constant` is its Python value if that is known. A value that is an input column unchanged has
    its number in `column`. A text made from another one has that one's code in `code` and in
    `made` the Python expression over `_text` that makes it.
    """

    kind: str
    code: str
    none: str | None = None
    constant: object = VARIABLE
    column: int | None = None
    made: str | None = None

    @property
    def unchanged(self) -> int | None:
        """The input column that this is, as it came."""
        return self.column if self.made is None else None

    @property
    def flagged(self) -> bool:
        """Whether a variable of its own tells that it is None; the code of a text tells itself."""
        return bool(self.none) and self.kind not in CODED

    @property
    def shown(self) -> str:
        return f"{self.kind} or None" if self.none and self.kind != "none" else self.kind

    @property
    def is_constant(self) -> bool:
        return self.constant is not VARIABLE


@dataclass(frozen=True)
class Rec:
    """A record: its class and the value of each field."""

    cls: type
    fields: dict[str, Value | Rec]


class HeldCollection:
    """The class of the records that stand for collections of a state; each has its own subclass.

    `made` is the Python class, `missing` the code of what a key that is not there stands for,
    `bound` how many items a deque keeps.
    """

    table: object
    key: Value
    value: Value | None
    made: type
    missing: str | None
    bound: int | None


def is_held(shape: object) -> bool:
    return isinstance(shape, Rec) and issubclass(shape.cls, HeldCollection)


Shape = Value | Rec
NONE = Value("none", "0", "True", None)


def constant(value: object) -> Value | None:
    """The value of a Python constant; texts need a code and are made elsewhere."""
    if value is None:
        return NONE
    if type(value) is bool:
        return Value("bool", repr(value), constant=value)
    if type(value) is int and -2**63 <= value < 2**63:
        return Value("int", f"({value})" if value != -2**63 else "LOWEST", constant=value)
    if type(value) is float:
        return Value("float", _float_code(value), constant=value)
    return _time_constant(value)


def _time_constant(value: object) -> Value | None:
    is_time = type(value) is datetime and not value.fold and (
        value.tzinfo is None or value.tzinfo is UTC)
    if not is_time and type(value) is not timedelta:
        return None
    length = elapsed_of(value) // MICROSECOND
    fits = -2**62 < length < 2**62
    return Value("time" if is_time else "span", f"({length})", constant=value) if fits else None


def is_fixed(owner: object, name: str) -> bool:
    """Whether an attribute of an object from outside stays what it is: a field of a frozen
    dataclass or of a named tuple, a member of an `Enum`, or what such a member stands for.

    >>> from enum import Enum
    >>> class Side(Enum):
    ...     LEFT = 1
    >>> is_fixed(Side, "LEFT"), is_fixed(Side.LEFT, "value"), is_fixed(Side.LEFT, "other")
    (True, True, False)
    >>> is_fixed(complex(1), "real")
    False
    """
    if isinstance(owner, EnumMeta):
        return name in owner.__members__ and type(owner) is EnumMeta
    kind = type(owner)
    if isinstance(owner, type) or kind.__getattribute__ not in _PLAIN:
        return False
    found = getattr_static(kind, name, None)
    if isinstance(owner, Enum):
        return name in ("value", "name") and found is getattr_static(Enum, name)
    if isinstance(owner, tuple):
        return isinstance(found, _FIELD_OF_TUPLE)
    is_frozen = is_dataclass(kind) and kind.__dataclass_params__.frozen
    return is_frozen and name in vars(owner) and not hasattr(found, "__set__") and (
        name in {field.name for field in fields(kind)})


_PLAIN = (object.__getattribute__, tuple.__getattribute__)
_FIELD_OF_TUPLE = type(namedtuple("_One", "field").field)


def _float_code(value: float) -> str:
    if value != value:
        return "NAN"
    if value in (float("inf"), float("-inf")):
        return "INF" if value > 0 else "(-INF)"
    return f"({value!r})"


def is_plain(shape: object) -> bool:
    """Whether arrays can hold it: a scalar of a native kind, or a record of such."""
    if isinstance(shape, Rec):
        return issubclass(shape.cls, Record) and all(map(is_plain, shape.fields.values()))
    return isinstance(shape, Value) and shape.kind in DTYPES


def leaves(shape: Shape, prefix: str) -> list[tuple[str, Value]]:
    """The scalars of a value, each with a name.

    >>> [name for name, _ in leaves(Rec(object, {"a": Value("int", "x")}), "t")]
    ['t_1a']
    """
    if isinstance(shape, Value):
        return [(prefix, shape)]
    return [leaf for name, inner in shape.fields.items()
            for leaf in leaves(inner, within(prefix, name))]


def within(prefix: str, name: str) -> str:
    """The name of a field's variable; the length keeps `a.b_c` and `a_b.c` apart."""
    return f"{prefix}_{len(name)}{name}"


def flag(name: str) -> str:
    """The name of the variable that tells whether another one is None."""
    return f"no_{name}"


def common(shapes: list[Shape]) -> Shape | None:
    """What values that reach one place have in common; None when they are of different kinds."""
    return reduce(lambda a, b: None if a is None else _both(a, b), shapes)


def _both(left: Shape, right: Shape) -> Shape | None:
    if isinstance(left, Rec) and isinstance(right, Rec) and left.cls is right.cls:
        fields = {n: _both(v, right.fields[n]) for n, v in left.fields.items()}
        return None if None in fields.values() else Rec(left.cls, fields)
    if isinstance(left, Rec) or isinstance(right, Rec):
        return None
    if "none" in (left.kind, right.kind):
        other = right if left.kind == "none" else left
        return other if left == right else replace(other, none="?", column=None, made=None,
                                                   constant=VARIABLE)
    if left.kind != right.kind:
        return None
    return _same_kind(left, right)


def _same_kind(left: Value, right: Value) -> Value | None:
    column = left.unchanged if left.unchanged == right.unchanged else None
    if left.kind in OPAQUE and column is None and (left.kind, left.column, right.column) != (
            "bytes", None, None):
        # Columns that are handed on as they are, perhaps with much in them, are not held.
        return None
    none = left.none or right.none
    return Value(left.kind, "?", none and "?", column=column)


def received(shape: Shape, prefix: str) -> Shape:
    """The values as the parameters of the function that they are handed to."""
    if isinstance(shape, Rec):
        return Rec(shape.cls, {n: received(v, within(prefix, n)) for n, v in shape.fields.items()})
    if shape.unchanged is not None:
        return column_value(shape.kind, shape.column, shape.none is not None)
    if shape.kind == "none":
        return NONE
    none = shape.none and (f"({prefix} < 0)" if shape.kind in CODED else flag(prefix))
    return Value(shape.kind, prefix, none)


def kind_of(declared: Type) -> str:
    """The kind of a column of this type.

    >>> from anabranch.ir.types import ListOf, OptionalOf
    >>> kind_of(OptionalOf(BYTES)), kind_of(INT), kind_of(ListOf(INT))
    ('bytes', 'int', 'other')
    """
    own = without_none(declared)
    return "bytes" if own == BYTES else KINDS.get(own, "other")


def column_value(kind: str, column: int, optional: bool) -> Value:
    code = f"in{column}[i]"
    none = (f"({code} < 0)" if kind in CODED else f"no{column}[i]") if optional else None
    return Value(kind, code, none, column=column)


def parameters(shape: Shape, prefix: str) -> list[str]:
    """The names that `received` refers to, apart from columns."""
    names = []
    for name, leaf in leaves(received(shape, prefix), prefix):
        if leaf.column is None and leaf.kind != "none":
            names += [name, flag(name)] if leaf.flagged else [name]
    return names
