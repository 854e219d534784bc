"""Names from outside of a function: which of them stand for something that can change."""

from __future__ import annotations

import ast
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import io
import re
import struct
import sys
import types
import uuid
import weakref
from collections import defaultdict
from collections.abc import Iterator

from anabranch.analysis.facts import EffectKind
from anabranch.analysis.objects import default_values, getters, reached
from anabranch.analysis.roots import NEW, UNKNOWN, Root, Value
from anabranch.analysis.scope import every_node
from anabranch.analysis.syntax import UNRESOLVED, FunctionSyntax
from anabranch.source import ParsedFile, parsed_file

FIXED = (type(None), bool, int, float, complex, str, bytes, range, slice, type, enum.Enum,
         decimal.Decimal, fractions.Fraction, re.Pattern, uuid.UUID, datetime.date, datetime.time,
         datetime.timedelta, datetime.tzinfo, types.ModuleType, types.FunctionType,
         types.BuiltinFunctionType, types.MethodDescriptorType, type(Ellipsis),
         types.NotImplementedType, types.GenericAlias, types.UnionType, struct.Struct)
OPEN = (types.ModuleType, types.FunctionType, type)


def named(walk, node: ast.expr, name: str) -> Value:
    """Reading a name from outside: NEW when its value can never change.

    A module, a class or a function is no value that changes, yet its attributes can be assigned.
    """
    found = walk.static(node)
    if found is UNRESOLVED:
        walk.context.unresolved(name, f"uses `{name}`, which has no value yet",
                                walk.syntax.at(node))
        return UNKNOWN
    fixed, where = is_fixed(found), walk.syntax.at(node)
    root = Root("shared", name, label=f"the {_origin(walk.syntax, name)}{type(found).__name__} "
                f"`{name}`", **(_traits(walk.context.survey(found)) if not fixed
                                else {"identity": last_name(name)}))
    if not fixed:
        used(walk, node, root, found)
    elif name in _reassigned(walk.syntax.file) or _is_attribute(walk, node, found):
        walk.context.reads(root, where)
    return NEW if fixed and not isinstance(found, OPEN) else Value.of(root)


def _is_attribute(walk, node: ast.expr, found: object) -> bool:
    """Whether it is data of a class or a module of the user's, which may be assigned elsewhere."""
    if not isinstance(node, ast.Attribute) or isinstance(found, (*OPEN, enum.Enum)):
        return False
    owner = walk.static(node.value)
    module = owner.__name__ if isinstance(owner, types.ModuleType) else owner.__module__
    return module.split(".")[0] not in sys.stdlib_module_names and not callable(found)


def used(walk, node: ast.expr, root: Root, value: object) -> None:
    """Using an object from outside: what is in it may run code, or go on with every use."""
    if isinstance(value, OPEN):
        return
    where = walk.syntax.at(node)
    walk.context.reads(root, where)
    parts = walk.context.survey(value)
    for part in parts:
        if isinstance(part, Iterator):
            kind = EffectKind.IO if isinstance(part, io.IOBase) else EffectKind.WRITES
            walk.context.add(kind, root.name, f"uses the {type(part).__name__} `{root.name}`, "
                             "which goes on with every use" if part is value else
                             f"uses {root.label}, with a {type(part).__name__} in it that goes on "
                             "with every use", where, frozenset((id(part),)))
    for cls in dict.fromkeys(map(type, parts)):
        walk.special(cls, node, Value.of(root))
        walk.special(cls, node, Value.of(root), getters)


def last_name(name: str) -> frozenset[str]:
    """The attribute at the end of a dotted name: another name may end in it too."""
    return frozenset((name.rpartition(".")[2],))


def _traits(parts: list[object]) -> dict[str, object]:
    """Which objects that can change lie in a value, and whether one grows when it is looked at."""
    return {"identity": frozenset(map(id, parts)),
            "grows": any(isinstance(part, defaultdict) for part in parts)}


def default(name: str, value: object) -> Value:
    """A parameter that nobody gives has the same object at every call."""
    if is_fixed(value) and not isinstance(value, OPEN):
        return NEW
    return Value.of(_parameter(name, value, f"the default value of `{name}`"))


def bound(name: str, value: object) -> Value:
    """The object of a method, or what a partial was given."""
    if is_fixed(value) and not isinstance(value, OPEN):
        return NEW
    kind = type(value).__name__
    return Value.of(_parameter(name, value, f"the {kind} `{name}` that it is bound to"))


def _parameter(name: str, value: object, label: str) -> Root:
    return Root("shared", name, label=label, **_traits(list(reached(value))))


def defaults_of(cls: type) -> Iterator[Value]:
    """What instances share with each other when they are made without it."""
    return (default(f"{cls.__name__}.{n}", v) for n, v in default_values(cls).items())


def remembered(node: ast.Call, function: object) -> Value:
    """What a function with a memory gives: the same object to everyone who asks."""
    if not isinstance(function, functools._lru_cache_wrapper):
        return NEW
    name = ast.unparse(node.func)
    return Value.of(Root("shared", name, label=f"what `{name}` remembers",
                         identity=frozenset((id(function),))))


def assigned(walk, node: ast.expr, name: str) -> None:
    label = f"the {_origin(walk.syntax, name)}variable `{name}`"
    walk.context.add(EffectKind.WRITES, name, f"assigns {label}", walk.syntax.at(node),
                     last_name(name))


def _origin(syntax: FunctionSyntax, name: str) -> str:
    return "enclosing " if name in syntax.code.co_freevars else "global "


def is_fixed(value: object) -> bool:
    """Whether neither the object nor anything in it can be changed.

    >>> is_fixed((1, "a")), is_fixed(([],)), is_fixed({})
    (True, False, False)
    """
    if isinstance(value, FIXED):
        return True
    if isinstance(value, (tuple, frozenset)):
        return all(is_fixed(v) for v in value)
    parameters = getattr(type(value), "__dataclass_params__", None)
    if parameters is not None and parameters.frozen:
        return all(is_fixed(getattr(value, f.name)) for f in dataclasses.fields(value))
    return callable(value) and type(value).__module__ in ("operator", "functools", "numpy")


def outer_names(syntax: FunctionSyntax) -> frozenset[str]:
    """The names that the function, or one inside it, assigns outside of itself."""
    found = set()
    for node in every_node(syntax.node):
        if isinstance(node, ast.Global):
            found.update(node.names)
        elif isinstance(node, ast.Nonlocal):
            found.update(n for n in node.names if n in syntax.code.co_freevars)
    return frozenset(found)


_REASSIGNED: weakref.WeakKeyDictionary[ParsedFile, frozenset] = weakref.WeakKeyDictionary()


def _reassigned(file: str) -> frozenset[str]:
    """The names that some function of a file declares global or nonlocal: those may change while
    the program runs, whatever their value."""
    parsed = parsed_file(file)
    if parsed not in _REASSIGNED:
        _REASSIGNED[parsed] = frozenset(
            n for node in ast.walk(parsed.tree) if isinstance(node, (ast.Global, ast.Nonlocal))
            for n in node.names)
    return _REASSIGNED[parsed]
