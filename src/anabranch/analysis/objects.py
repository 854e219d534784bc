"""What an object does behind the back of the code that uses it: special methods, iterators.

>>> import itertools
>>> any(isinstance(part, itertools.count) for part in reached({"ids": [itertools.count()]}))
True
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from types import FunctionType, ModuleType

from anabranch.ir.records import Record, State

# These are looked at, or taken for a change, where they are called.
CALLED_BY_NAME = frozenset((
    "__init__", "__new__", "__call__", "__enter__", "__exit__", "__setattr__", "__delattr__",
    "__setitem__", "__delitem__", "__init_subclass__", "__class_getitem__", "__set_name__",
    "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__", "__del__"))
GENERATED = ("<string>", dataclasses.__file__)
SIMPLE = frozenset((str, bytes, int, float, bool, type(None), type, FunctionType))


def special_methods(cls: type) -> list[FunctionType]:
    """The methods written in Python that operators and built-in functions call."""
    return [member for name, member in _members(cls) if isinstance(member, FunctionType)
            and name.startswith("__") and name.endswith("__") and name not in CALLED_BY_NAME
            and member.__code__.co_filename not in GENERATED]


def getters(cls: type) -> list[FunctionType]:
    """The methods written in Python that run when an attribute is read."""
    found = [member.fget if isinstance(member, property) else
             getattr(type(member), "__get__", None) for _, member in _members(cls)]
    return [getter for getter in found if isinstance(getter, FunctionType)]


def _members(cls: type) -> list[tuple[str, object]]:
    return [pair for base in cls.__mro__ if _is_users(base) for pair in vars(base).items()]


def _is_users(base: type) -> bool:
    return base not in (object, Record, State) and base.__module__ not in (
        "builtins", "abc", "typing", "collections.abc", "enum", Record.__module__)


def reached(value: object) -> Iterator[object]:
    """The object and all that lies in it, through collections and attributes; numbers, texts,
    classes and functions are passed over."""
    seen, waiting = set(), [value]
    while waiting:
        part = waiting.pop()
        if id(part) not in seen and type(part) not in SIMPLE:
            seen.add(id(part))
            yield part
            waiting.extend(p for p in _inside(part) if not _is_simple(p))


def _is_simple(value: object) -> bool:
    """A quick test for what most tables hold."""
    kind = type(value)
    return kind in SIMPLE or (kind is tuple and all(type(v) in SIMPLE for v in value))


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return chain(value.keys(), value.values())
    if isinstance(value, (list, tuple, set, frozenset, deque)):
        return value
    if isinstance(value, partial):
        return [value.func, *value.args, *value.keywords.values()]
    owned = None if isinstance(value, (ModuleType, type)) else getattr(value, "__dict__", None)
    return owned.values() if isinstance(owned, dict) else ()


def default_values(cls: type) -> dict[str, object]:
    """The objects that every new instance of a record or dataclass may share."""
    if issubclass(cls, Record):
        return {n: v for n, v in cls.__record_fields__.items() if v is not ...}
    if not dataclasses.is_dataclass(cls):
        return {}
    return {f.name: f.default for f in dataclasses.fields(cls)
            if f.default is not dataclasses.MISSING}


def has_factories(cls: type) -> bool:
    """Whether making an instance calls functions for the defaults of its fields."""
    return dataclasses.is_dataclass(cls) and any(
        not isinstance(f.default_factory, type) for f in dataclasses.fields(cls)
        if f.default_factory is not dataclasses.MISSING)
