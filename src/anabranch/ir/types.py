"""The types of items: what a record's annotations mean, and how types meet.

>>> type_of(list[int | None])
ListOf(item=OptionalOf(item=Scalar(name='int')))
"""

from __future__ import annotations

import ast
import types
import typing
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from uuid import UUID

from anabranch.core.errors import ProgramError
from anabranch.core.source import Span, caller_span, cell_name, node_span, parsed_file
from anabranch.ir.foreign import is_foreign, record_of
from anabranch.ir.records import ClassScope


class Type:
    """The root of all types; `str()` shows a type as the user would write it."""


@dataclass(frozen=True)
class Scalar(Type):
    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class ListOf(Type):
    item: Type

    def __str__(self) -> str:
        return f"list[{self.item}]"


@dataclass(frozen=True)
class DictType(Type):
    """A dict, as a field has it; its keys are single values."""

    key: Type
    item: Type

    def __str__(self) -> str:
        return f"dict[{self.key}, {self.item}]"


@dataclass(frozen=True)
class TupleType(Type):
    """A tuple, as a field has it: of these items, or of any number of the one (`is_open`)."""

    items: tuple[Type, ...]
    is_open: bool = False

    def __str__(self) -> str:
        return f"tuple[{', '.join(map(str, self.items))}{', ...' if self.is_open else ''}]"


@dataclass(frozen=True)
class OptionalOf(Type):
    item: Type

    def __str__(self) -> str:
        return f"{self.item} | None"


@dataclass(frozen=True)
class RecordOf(Type):
    """A record; two are equal when their classes are the same."""

    cls: type

    def __str__(self) -> str:
        return self.cls.__name__

    @property
    def fields(self) -> dict[str, Type]:
        return field_types(self.cls)


@dataclass(frozen=True)
class ChoiceOf(Type):
    """One of a few values: those of a `Literal`, or the members of an `Enum`, which is the class
    then, and which files have as the members' values."""

    base: Type
    values: tuple
    cls: type | None = None

    def __str__(self) -> str:
        return self.cls.__name__ if self.cls else f"Literal[{', '.join(map(repr, self.values))}]"


@dataclass(frozen=True)
class AnyOf(Type):
    """A type that is not known, with the reason; checks let it pass."""

    reason: str = "no type is declared"

    def __str__(self) -> str:
        return "?"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AnyOf)

    def __hash__(self) -> int:
        return hash(AnyOf)


BOOL, INT, FLOAT, STR, BYTES, TIMESTAMP, NONE = map(
    Scalar, ("bool", "int", "float", "str", "bytes", "timestamp", "None"))
DATE, TIME, DECIMAL, UUID_TYPE = map(Scalar, ("date", "time", "Decimal", "UUID"))
ANY = AnyOf()

_SCALARS = {bool: BOOL, int: INT, float: FLOAT, str: STR, bytes: BYTES, datetime: TIMESTAMP,
            type(None): NONE, date: DATE, time: TIME, Decimal: DECIMAL, UUID: UUID_TYPE}

DICT_KEYS = (STR, INT, DATE, UUID_TYPE)

IN_COLUMNS = frozenset({BOOL, INT, FLOAT, STR, BYTES, TIMESTAMP, NONE})
"""The single values that columns hold as they are; the others travel as Python's objects."""


def type_of(annotation: object) -> Type:
    """The type that a Python annotation denotes; a `ProgramError` when it denotes none of ours."""
    if annotation in (typing.Any, object):
        return ANY
    if isinstance(annotation, Type):
        return annotation
    if isinstance(annotation, type) and annotation in _SCALARS:
        return _SCALARS[annotation]
    if isinstance(annotation, type) and hasattr(annotation, "__record_fields__"):
        return RecordOf(annotation)
    if is_foreign(annotation):
        return RecordOf(record_of(annotation))
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return _choice(annotation, tuple(member.value for member in annotation), annotation)
    return _generic(annotation)


def _choice(annotation: object, values: tuple, cls: type | None = None) -> Type:
    kinds = {type(value) for value in values}
    if not kinds or not kinds <= {str, int} or len(kinds) > 1:
        raise ProgramError(f"{_shown(annotation)} is not a type of a stream's items",
                           expected="values that are all str, or all int")
    return ChoiceOf(_SCALARS[kinds.pop()], values, cls)


def _generic(annotation: object) -> Type:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is list:
        return ListOf(type_of(arguments[0]))
    if origin is dict:
        return _dict_of(annotation, *map(type_of, arguments))
    if origin is tuple and arguments:
        is_open = arguments[-1] is ...
        return TupleType(tuple(map(type_of, arguments[:-1] if is_open else arguments)), is_open)
    if origin is typing.Literal:
        rest = tuple(a for a in arguments if a is not None)
        chosen = _choice(annotation, rest)
        return chosen if len(rest) == len(arguments) else OptionalOf(chosen)
    if origin in (typing.Union, types.UnionType):
        rest = [a for a in arguments if a is not type(None)]
        if len(rest) == 1 and len(rest) < len(arguments):
            return OptionalOf(type_of(rest[0]))
    raise ProgramError(f"{_shown(annotation)} is not a type of a stream's items",
                       expected=TYPES)


def _dict_of(annotation: object, key: Type, item: Type) -> DictType:
    if key not in DICT_KEYS and not isinstance(key, ChoiceOf):
        raise ProgramError(f"{_shown(annotation)} is not a type of a stream's items",
                           expected="keys that are str, int, date, UUID, Enum or Literal")
    return DictType(key, item)


TYPES = ("bool, int, float, str, bytes, datetime, date, time, Decimal, UUID, Enum, Literal, "
         "list[T], dict[K, T], tuple[T, ...], a Record, or T | None")


def _shown(annotation: object) -> str:
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)


def field_types(cls: type) -> dict[str, Type]:
    """The schema of a record class, in the order of its annotations."""
    cached = cls.__dict__.get("__field_types__")
    if cached is None:
        cached = {name: _field_type(cls, name, hint) for name, hint in _readable(cls).items()}
        cls.__field_types__ = cached
    return cached


def _field_type(cls: type, name: str, hint: object) -> Type:
    try:
        return type_of(hint)
    except ProgramError as error:
        where = _field_span(cls, name) or caller_span()
        raise ProgramError(f"{cls.__name__}.{name}: {error.what}", where,
                           expected=error.expected) from None


def _field_span(cls: type, name: str) -> Span | None:
    """Where the text of a class gives a field its type."""
    for base in cls.__mro__:
        scope = base.__dict__.get("__record_scope__")
        if isinstance(scope, ClassScope):
            for node in ast.walk(parsed_file(scope.file).tree):
                match node:
                    case ast.ClassDef(name=found, body=body) if found == base.__name__:
                        for line in body:
                            if isinstance(line, ast.AnnAssign) and ast.unparse(
                                    line.target) == name:
                                return node_span(scope.file, line.annotation)
    return None


def _readable(cls: type) -> dict[str, object]:
    try:
        return annotations_of(cls)
    except (NameError, AttributeError, TypeError, SyntaxError) as error:
        raise ProgramError(f"an annotation of {cls.__name__} cannot be read: {error}",
                           caller_span()) from None


def annotations_of(cls: type) -> dict[str, object]:
    """The resolved annotations of a record's or state's fields, inherited ones first."""
    cached = cls.__dict__.get("__annotations_found__")
    if cached is None:
        scope = {name: value for base in reversed(cls.__mro__)
                 for name, value in base.__dict__.get("__record_scope__", {}).items()}
        hints = typing.get_type_hints(cls, localns=scope)
        cached = cls.__annotations_found__ = {name: hints[name] for name in cls.__record_fields__}
    return cached


def are_one_again(one: Type, other: Type) -> bool:
    """Whether two record classes come from one class statement, which has been run again."""
    return isinstance(one, RecordOf) and isinstance(other, RecordOf) and one != other and (
        _full_name(one.cls) == _full_name(other.cls))


def _full_name(cls: type) -> tuple[str, str]:
    return cls.__module__, cls.__qualname__


def fields_shown(record: RecordOf) -> dict[str, str]:
    return {name: str(kind) for name, kind in record.fields.items()}


def told_again(wanted: Type, given: Type) -> str | None:
    """What to do where a stream has items of a record class that has been defined again since."""
    if not are_one_again(wanted, given):
        return None
    scopes = [getattr(each.cls, "__record_scope__", None) for each in (wanted, given)]
    found = (s for s in scopes if isinstance(s, ClassScope))
    later = max(found, key=lambda s: s.serial, default=None)
    cell = None if later is None else cell_name(later.file, later.around)
    where = f" in {cell}" if cell else ""
    return (f"{wanted} was defined again{where}, with other fields: run again what makes and what "
            "takes its items")


def fields_of(item: Type) -> dict[str, Type] | None:
    """The attributes of an item of this type; None when they are not known."""
    if isinstance(item, RecordOf):
        return item.fields
    return None if isinstance(item, AnyOf) else {}


def without_none(item: Type) -> Type:
    return item.item if isinstance(item, OptionalOf) else item


def meet(left: Type, right: Type) -> Type:
    """The type of a value that is one or the other.

    >>> str(meet(INT, FLOAT)), str(meet(STR, NONE)), str(meet(STR, INT))
    ('float', 'str | None', '?')
    """
    if left == right:
        return left
    if NONE in (left, right):
        other = right if left == NONE else left
        return other if isinstance(other, (OptionalOf, AnyOf)) else OptionalOf(other)
    if isinstance(left, OptionalOf) or isinstance(right, OptionalOf):
        inner = meet(without_none(left), without_none(right))
        return inner if isinstance(inner, AnyOf) else OptionalOf(inner)
    if {left, right} == {INT, FLOAT}:
        return FLOAT
    return ANY


def accepts(wanted: Type, given: Type) -> bool:
    """Whether a value of type `given` may stand where `wanted` is declared.

    >>> accepts(FLOAT, INT), accepts(INT, FLOAT), accepts(OptionalOf(STR), NONE)
    (True, False, True)
    """
    if isinstance(wanted, AnyOf) or isinstance(given, AnyOf) or wanted == given:
        return True
    if isinstance(wanted, OptionalOf):
        return given == NONE or accepts(wanted.item, without_none(given))
    if isinstance(wanted, ListOf) and isinstance(given, ListOf):
        return accepts(wanted.item, given.item)
    if isinstance(wanted, DictType) and isinstance(given, DictType):
        return accepts(wanted.key, given.key) and accepts(wanted.item, given.item)
    if isinstance(wanted, TupleType) and isinstance(given, TupleType):
        return (wanted.is_open, len(wanted.items)) == (given.is_open, len(given.items)) and all(
            map(accepts, wanted.items, given.items))
    if isinstance(wanted, ChoiceOf) or isinstance(given, ChoiceOf):
        return not any(isinstance(t, ChoiceOf) and t.cls for t in (wanted, given)) and accepts(
            *(t.base if isinstance(t, ChoiceOf) else t for t in (wanted, given)))
    if are_one_again(wanted, given):
        return fields_shown(wanted) == fields_shown(given)
    return (wanted, given) in ((FLOAT, INT), (FLOAT, BOOL), (INT, BOOL))
