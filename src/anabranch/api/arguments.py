"""Arguments as users write them become what the graph holds, or an error.

>>> [str(a) for a in annotations_of({"selectivity": (0, 1), "forwards": ("uid",)}, None)]
['@Selectivity(0, 1)', '@Forwards(uid)']
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from types import BuiltinFunctionType
from typing import Literal, TypedDict, TypeVar

from anabranch.analysis.syntax import Missing, syntax_of
from anabranch.analysis.typing.types import ObjectOf
from anabranch.core.errors import ProgramError, UnknownNameError, UsageError, did_you_mean
from anabranch.core.source import Span, caller_span
from anabranch.ir.function import Function
from anabranch.ir.graph import Annotation
from anabranch.ir.types import (
    DictType,
    ListOf,
    TupleType,
    Type,
    accepts,
    fields_of,
    type_of,
    without_none,
)

Item = TypeVar("Item", covariant=True)
"""What a stream's items are, for type checkers and editors."""
Out = TypeVar("Out")
"""What a function makes of them."""

KEY = "key attribute"
STATES = {"stateless": Annotation("Stateless"), "unpartitioned": Annotation("Unpartitioned")}


def _state(value: object) -> Annotation:
    if isinstance(value, str) and value in STATES:
        return STATES[value]
    raise UsageError(f"state={value!r} is not known", expected=" or ".join(map(repr, STATES)))


def _selectivity(value: object) -> Annotation:
    low, high = (value, value) if isinstance(value, int) else value
    return Annotation("Selectivity", (low, high))


def _forwards(value: object) -> Annotation:
    if isinstance(value, Mapping):
        value = [f"{out}={given}" for out, given in value.items()]
    return Annotation("Forwards", as_tuple(value))


def _flag(name: str) -> Callable[[object], Annotation | None]:
    return lambda value: Annotation(name) if value else None


def _commutative(value: object) -> Annotation | None:
    """`True`, or "sorted" where the outputs come in an order of their own as well."""
    if value not in (True, False, None, "sorted"):
        raise UsageError(f"commutative={value!r} is not known", expected="True or 'sorted'")
    how = ("sorted",) if value == "sorted" else ()
    return Annotation("Commutative", how) if value else None


DECLARATIONS: dict[str, Callable[[object], Annotation | None]] = {
    "state": _state,
    "keys": lambda value: Annotation("Keys", as_tuple(value)),
    "selectivity": _selectivity,
    "forwards": _forwards,
    "pure": _flag("Pure"),
    "commutative": _commutative,
    "parallel": _flag("Parallel"),
    "fuse": lambda value: Annotation("Fuse", (value,)),
    "group": lambda value: Annotation("Group", (value,)),
}


class Declared(TypedDict, total=False):
    """The properties that can be declared of an operator, for type checkers and editors."""

    state: Literal["stateless", "unpartitioned"]
    keys: str | Iterable[str]
    selectivity: int | tuple[int, int | None]
    forwards: str | Iterable[str] | Mapping[str, str]
    pure: bool
    commutative: bool | Literal["sorted"] | None
    parallel: bool
    fuse: object
    group: object


def annotations_of(declared: Mapping[str, object], span: Span | None) -> tuple[Annotation, ...]:
    """The annotations for declared properties such as `selectivity=(0, 1)`."""
    made = []
    for name, value in declared.items():
        if name not in DECLARATIONS:
            raise ProgramError(f"'{name}' cannot be declared of an operator", span,
                               help=did_you_mean(name, DECLARATIONS))
        made.append(DECLARATIONS[name](value))
    return tuple(a for a in made if a is not None)


def as_tuple(names: str | Iterable[str] | None) -> tuple[str, ...]:
    """One name or several; what computes a key is refused at the user's line."""
    if names is None or isinstance(names, str):
        return () if names is None else (names,)
    several = tuple(names) if isinstance(names, Iterable) else (names,)
    if wrong := [name for name in several if not isinstance(name, str)]:
        raise ProgramError("attributes are given by their names", caller_span(),
                           expected="a name, or several", got=repr(wrong[0]),
                           help="a key that is computed can be an attribute of what a map gives")
    return several


def attributes(names: str | Iterable[str] | None, item: Type, span: Span,
               what: str = "attribute") -> tuple[str, ...]:
    """The names, after a check that items of this type have them."""
    names, known = as_tuple(names), fields_of(item)
    for name in names:
        if known is not None and name not in known:
            raise UnknownNameError(f"{item} has no {what} '{name}'", span, name, known)
        if known is not None and what == KEY:
            check_key(f"{item}.{name}", known[name], span)
    return names


def check_key(what: str, key: Type, span: Span) -> None:
    """A list can be changed, so it is no key, nor is a record that holds one."""
    parts = [without_none(key)]
    for part in parts:
        if isinstance(part, (ListOf, DictType)):
            held = "list" if isinstance(part, ListOf) else "dict"
            raise ProgramError(f"{what} cannot be a key: it holds a {held}", span, got=str(key),
                               help="give the attributes that make the key with by=...")
        inner = part.items if isinstance(part, TupleType) else (fields_of(part) or {}).values()
        parts += [without_none(t) for t in inner if without_none(t) not in parts]


class NoMethodError(UnknownNameError, AttributeError):
    """A misspelt method, told as what is wrong with a program."""


def no_method(what: str, cls: type, name: str, help: str) -> NoMethodError:
    """The error for a method that there is not; `help` where no other has such a name."""
    known = [each for each in dir(cls) if not each.startswith("_")]
    close = get_close_matches(name, known, n=1)
    return NoMethodError(f"{what} has no method '{name}'", caller_span(), name, known,
                         help=None if close else help)


def no_coroutine(what: str, call: Callable, span: Span) -> ProgramError:
    return ProgramError(f"{what} waits for no coroutine", span,
                        got=f"async def {getattr(call, '__name__', '?')}",
                        help="write a plain function; asyncio.run(...) inside of it may await")


def gives_generator(call: Callable) -> bool:
    """Whether a function yields, or returns a generator expression.

    >>> gives_generator(lambda t: (word for word in t.split()))
    True
    >>> gives_generator(lambda t: [word for word in t.split()])
    False
    """
    if inspect.isgeneratorfunction(call):
        return True
    syntax = syntax_of(call)
    if isinstance(syntax, Missing):
        return False
    if isinstance(syntax.node, ast.Lambda):
        return isinstance(syntax.node.body, ast.GeneratorExp)
    return any(isinstance(node, ast.Return) and isinstance(node.value, ast.GeneratorExp)
               for node in syntax.body)


def function(call: object, span: Span, what: str, takes: int = 1) -> Function:
    """A user's function; what cannot be called with so many items is refused at the user's line."""
    if not callable(call):
        raise ProgramError(f"{what} takes a function", span, got=repr(call))
    if inspect.iscoroutinefunction(call) or inspect.isasyncgenfunction(call):
        raise no_coroutine(f"{what} calls its function and", call, span)
    try:
        (signature := _signature(call)) and signature.bind(*range(takes))
    except TypeError as error:
        items = "one item" if takes == 1 else f"{takes} items"
        raise ProgramError(f"{what} calls its function with {items}: {error}", span) from None
    if isinstance(call, (BuiltinFunctionType, type)):
        return _called(call, takes, span)
    return Function.of(call, span)


def _called(call: Callable, takes: int, span: Span) -> Function:
    """`map(len)` as `map(lambda item: len(item))`, so that what is known of calling it applies."""
    name, items = call.__name__, ", ".join(f"item{i}" for i in range(takes))
    made = Function.from_source(f"lambda {items}: {name}({items})", {name: call}, span)
    return replace(made, name=name)


def declared_type(to: object, span: Span) -> Type:
    """The type that a program declares with `to=`, or an error at that line."""
    try:
        return type_of(to)
    except ProgramError as error:
        error.where = error.where or span
        raise


def agreed(declared: Type, found: Type, name: str, span: Span) -> Type:
    """The type that `to=` declares, if a function may give such items."""
    if accepts(declared, found) or accepts(found, declared):
        return declared
    raise ProgramError(f"{name} gives other items than to= says", span, expected=str(declared),
                       got=str(found), help="convert what it returns, or declare that type")


def refuse_objects(result: Type, span: Span) -> None:
    """What a function makes as an item has to be a record."""
    if isinstance(result, ObjectOf):
        name = result.cls.__name__
        raise ProgramError(f"an item is made of {name}, which is no record", span,
                           help=f"put @ab.record above the class {name}: what it makes is a record "
                                "then")


def _signature(call: Callable) -> inspect.Signature | None:
    """What a callable takes; not everyone tells."""
    try:
        return inspect.signature(call)
    except (TypeError, ValueError):
        return None
