"""Names from outside of a function: which of them stand for something that can change."""

from __future__ import annotations

import ast
import dataclasses
import datetime
import decimal
import enum
import fractions
import io
import re
import types
import uuid
import weakref
from collections.abc import Iterator

from anabranch.analysis.facts import EffectKind
from anabranch.analysis.roots import NEW, UNKNOWN, Root, Value
from anabranch.analysis.syntax import UNRESOLVED, FunctionSyntax
from anabranch.source import ParsedFile, parsed_file

FIXED = (type(None), bool, int, float, complex, str, bytes, range, slice, type, enum.Enum,
         decimal.Decimal, fractions.Fraction, re.Pattern, uuid.UUID, datetime.date, datetime.time,
         datetime.timedelta, datetime.tzinfo, types.ModuleType, types.FunctionType,
         types.BuiltinFunctionType, types.MethodDescriptorType, type(Ellipsis),
         types.NotImplementedType, types.GenericAlias, types.UnionType)


def named(walk, node: ast.expr, name: str) -> Value:
    """Reading a name from outside: NEW when its value can never change."""
    found = walk.static(node)
    if found is UNRESOLVED:
        walk.context.unresolved(name, f"uses `{name}`, which has no value yet",
                                walk.syntax.at(node))
        return UNKNOWN
    if isinstance(found, Iterator):
        kind = EffectKind.IO if isinstance(found, io.IOBase) else EffectKind.WRITES
        walk.context.add(kind, name, f"uses the {type(found).__name__} `{name}`, which goes on "
                         "with every use", walk.syntax.at(node), id(found))
    fixed = is_fixed(found)
    if fixed and name not in _reassigned(walk.syntax.file):
        return NEW
    label = f"the {_origin(walk.syntax, name)}{type(found).__name__} `{name}`"
    root = Root("shared", name, label=label, identity=None if fixed else id(found))
    walk.context.reads(root, walk.syntax.at(node))
    return NEW if fixed else Value.of(root)


def default(name: str, value: object) -> Value:
    """A parameter that nobody gives has the same object at every call."""
    if is_fixed(value):
        return NEW
    return Value.of(Root("shared", name, label=f"the default value of `{name}`",
                         identity=id(value)))


def bound(name: str, value: object) -> Value:
    """The object of a method, or what a partial was given."""
    if is_fixed(value):
        return NEW
    kind = type(value).__name__
    return Value.of(Root("shared", name, label=f"the {kind} `{name}` that it is bound to",
                         identity=id(value)))


def assigned(walk, node: ast.expr, name: str) -> None:
    label = f"the {_origin(walk.syntax, name)}variable `{name}`"
    walk.context.add(EffectKind.WRITES, name, f"assigns {label}", walk.syntax.at(node))


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
    for node in ast.walk(syntax.node):
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
