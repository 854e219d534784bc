"""What a program is, in lines of text by operator.

The lines hold what an operator's state depends on: its kind, its functions with the constants and
functions that they use, the fields of its state, where it reads and what it writes. Comments and
layout of the program's text do not matter.
"""

from __future__ import annotations

import ast
import os
import re
import typing
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from types import CodeType, FunctionType

from anabranch.analysis.syntax import Missing, syntax_of
from anabranch.core.source import Span, is_installed
from anabranch.ir.function import Function
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Apply, Filter, FlatMap, Map
from anabranch.ir.records import Record, State
from anabranch.ir.types import RecordOf, Type, annotations_of

Fingerprint = dict[str, list[str]]
CONSTANTS = (bool, int, float, str, bytes, type(None))


def fingerprint(graph: Graph) -> Fingerprint:
    """The lines of each operator, in the order of the graph."""
    return {op.name: list(_operator(graph, op)) for op in graph}


def shape(graph: Graph) -> Fingerprint:
    """The lines of each operator that its saved state depends on, and what is read and written: a
    function may become another one without them."""
    return {op.name: list(_shape(graph, op)) for op in graph}


def _shape(graph: Graph, op: Operator) -> Iterator[str]:
    kind = op.kind
    if type(kind) not in (Apply, Filter, Map, FlatMap):
        yield from _operator(graph, op)
        yield f"given {', '.join(map(_fields, graph.input_types(op)))}"
        return
    yield f"{kind.label} from ({', '.join(op.inputs)}) to ({', '.join(op.outputs)})"
    if isinstance(kind, Apply) and kind.stateful:
        types = graph.input_types(op)[0].fields if kind.by else {}
        yield f"by {', '.join(f'{name}: {types[name]}' for name in kind.by)}"
        yield from _classes(kind.state)
        yield f"something at the end: {kind.at_end is not None}"


def _fields(item: Type) -> str:
    return " ".join(_classes(item.cls)) if isinstance(item, RecordOf) else str(item)


def _classes(cls: type) -> Iterator[str]:
    """The fields of a class, and of those that they name. Modules have other names where a program
    is run."""
    waiting, seen = [cls], []
    while waiting:
        if (hint := waiting.pop(0)) in seen:
            continue
        seen.append(hint)
        waiting += typing.get_args(hint)
        if isinstance(hint, type) and issubclass(hint, (Record, State)):
            hints = annotations_of(hint)
            waiting += hints.values()
            shown = ", ".join(f"{name}: {_plain(each)}" for name, each in hints.items())
            yield f"{hint.__name__}({shown})"


def _plain(hint: object) -> str:
    """
    >>> _plain(dict[str, State | None])
    'dict[str, State | None]'
    """
    return hint.__name__ if isinstance(hint, type) and not typing.get_args(hint) else re.sub(
        r"[\w.]+[.](?=\w)", "", str(hint))


def _operator(graph: Graph, op: Operator) -> Iterator[str]:
    yield f"{op.kind.label} from ({', '.join(op.inputs)}) to ({', '.join(op.outputs)})"
    yield f"types {', '.join(map(str, graph.output_types(op)))}"
    yield from _lines("", op.kind, set())


def _lines(name: str, value: object, seen: set) -> Iterator[str]:
    """A value as lines; what has no text of its own is known by its class."""
    start = f"{name} = " if name else ""
    if isinstance(value, CONSTANTS):
        yield f"{start}{value!r}"
    elif isinstance(value, Function):
        yield from _function(name, value.call, seen)
    elif isinstance(value, FunctionType):
        yield from _function(name, value, seen) if _is_users(value) else [f"{start}{_named(value)}"]
    elif isinstance(value, type):
        yield f"{start}{_named(value)}"
        yield from _class(value, seen)
    elif isinstance(value, (tuple, frozenset)):
        parts = value if isinstance(value, tuple) else sorted(value, key=repr)
        for number, part in enumerate(parts):
            yield from _lines(f"{name}[{number}]", part, seen)
    elif is_dataclass(value):
        yield f"{start}{_named(type(value))}"
        for field in fields(value):
            if "of a run" in field.metadata:
                continue
            yield from _field(f"{name}.{field.name}".lstrip("."), getattr(value, field.name), seen)
    else:
        yield f"{start}{_named(type(value))}"


def _field(name: str, value: object, seen: set) -> Iterator[str]:
    if isinstance(value, Span):
        return
    if name.endswith("path") and isinstance(value, str):
        value = os.path.abspath(value)
    yield from _lines(name, value, seen)


def _function(name: str, call: object, seen: set) -> Iterator[str]:
    """The text of a function, then what the names in it stand for."""
    if id(call) in seen:
        return
    seen.add(id(call))
    syntax = syntax_of(call)
    if isinstance(syntax, Missing):
        yield f"{name} = {_code(getattr(call, '__code__', None))}"
        return
    yield from (f"{name}: {line}" for line in ast.unparse(syntax.node).splitlines())
    used = {n.id for n in ast.walk(syntax.node) if isinstance(n, ast.Name)}
    for each in sorted(used):
        value = syntax.resolve(each)
        if isinstance(value, (*CONSTANTS, tuple, frozenset)) or _is_users(value):
            yield from _lines(each, value, seen)
    for each, value in syntax.given.items():
        yield from _lines(each, value, seen)


def _code(code: CodeType | None) -> str:
    if code is None:
        return "not written in Python"
    constants = [_code(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return f"{code.co_code.hex()} {code.co_names} {constants}"


def _class(cls: type, seen: set) -> Iterator[str]:
    """The fields of a record or a state, and its methods."""
    if id(cls) in seen:
        return
    seen.add(id(cls))
    for name, default in getattr(cls, "__record_fields__", {}).items():
        yield from _lines(f"{cls.__name__}.{name}", None if default is ... else default, seen)
    for name, method in vars(cls).items():
        if isinstance(method, FunctionType) and _is_users(cls):
            yield from _function(f"{cls.__name__}.{name}", method, seen)


def _is_users(value: object) -> bool:
    """Whether a function or a class stands in the user's own text."""
    if isinstance(value, FunctionType):
        return not is_installed(value.__code__.co_filename)
    return isinstance(value, type) and hasattr(value, "__record_fields__")


def _named(value: object) -> str:
    """A name that is the same in every process; a class in a function of the program has one."""
    return value.__qualname__.rpartition("<locals>.")[2]
