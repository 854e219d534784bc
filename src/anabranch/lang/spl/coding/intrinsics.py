"""What a program may ask of its compiler: its file, its ports, the values of a run."""

from __future__ import annotations

import os
from collections.abc import Mapping

from anabranch.core.errors import ProgramError
from anabranch.lang.spl import syntax
from anabranch.lang.spl.coding.expressions import Call, Expressions
from anabranch.lang.spl.coding.operations import UNKNOWN, Code
from anabranch.lang.spl.composites import Instance
from anabranch.lang.spl.types import (
    BOOLEAN,
    INT32,
    RSTRING,
    VOID,
    Collection,
    SplType,
    TupleOf,
    field_name,
)

TEXTS = Collection("list", (RSTRING,))


def intrinsics(op: Instance, given: Mapping[str, str]) -> dict[str, Call]:
    """The functions that are answered while an operator is compiled; `given` are the values of
    the command line."""
    path = os.path.abspath(op.span.file)
    composite, _, name = op.name.rpartition(".")
    texts = {"getThisFileName": os.path.basename(path), "getThisFilePath": path,
             "getThisFileDir": os.path.dirname(path), "getApplicationDir": os.path.dirname(path),
             "getThisToolkitDir": os.path.dirname(path), "dataDirectory": ".",
             "getDataDirectory": ".", "getThisCompositeInstanceName": composite or "Main",
             "getThisOperatorInstanceName": name, "getThisOperatorName": op.name,
             "getThisOperatorLogicalName": op.name}

    def told(text: str) -> Call:
        def call(node: syntax.Invoke, found: Expressions, wanted: SplType | None) -> Code:
            return Code(RSTRING, repr(text), constant=text)
        return call

    def line(node: syntax.Invoke, found: Expressions, wanted: SplType | None) -> Code:
        return Code(INT32, repr(node.span.line), constant=node.span.line)

    def value(node: syntax.Invoke, found: Expressions, wanted: SplType | None) -> Code:
        name, *default = _arguments(node, found, (RSTRING, RSTRING))
        return _given(node, name, default, given, lambda text: text, RSTRING)

    def values(node: syntax.Invoke, found: Expressions, wanted: SplType | None) -> Code:
        name, *default = _arguments(node, found, (RSTRING, TEXTS))
        return _given(node, name, default, given, lambda text: text.split(","), TEXTS)

    return {**{name: told(text) for name, text in texts.items()}, "getThisLine": line,
            "getSubmissionTimeValue": value, "getCompileTimeValue": value,
            "getSubmissionTimeListValue": values, "getCompileTimeListValue": values,
            "isTraceable": _no, "isLoggable": _no, "assignFrom": _assign_from,
            "inputPort": _port([p.name for p in op.inputs], []),
            "outputPort": _port([o.name for o in op.outputs], [o.alias for o in op.outputs])}


def _no(node: syntax.Invoke, found: Expressions, wanted: SplType | None) -> Code:
    """Nothing is traced or logged."""
    return Code(BOOLEAN, "False", constant=False)


def _assign_from(node: syntax.Invoke, found: Expressions, wanted: SplType | None) -> Code:
    """A tuple gets the attributes that another one has too, of the same types."""
    if len(node.arguments) != 2:
        raise ProgramError("assignFrom takes two tuples", node.span)
    target, source = node.arguments
    found.check_mutable(target)
    target = found.settled(target)
    into, given = found.value(target), found.value(source)
    for code, where in ((into, target), (given, source)):
        if not isinstance(code.type, TupleOf):
            raise ProgramError("assignFrom takes two tuples", where.span, got=str(code.type))
    texts = {}
    for name, kind in into.type.fields:
        same = given.type.attributes.get(name) == kind
        text = f"{(given if same else into).text}.{field_name(name)}"
        texts[name] = found.copied(kind, text) if same else text
    found.store(target, found.made(into.type, texts).text, node.span)
    return Code(VOID, "None")


def _port(names: list[str], aliases: list[str]) -> Call:
    def call(node: syntax.Invoke, found: Expressions, wanted: SplType | None) -> Code:
        text = getattr(node.arguments[0], "text", "") if node.arguments else ""
        known = names if text in names else aliases
        if text not in known:
            raise ProgramError(f"there is no port {text}", node.span, expected=" or ".join(names))
        return Code(INT32, repr(known.index(text)), constant=known.index(text))
    return call


def _arguments(node: syntax.Invoke, found: Expressions, kinds: tuple[SplType, ...]) -> list:
    if not 1 <= len(node.arguments) <= len(kinds):
        raise ProgramError(f"{node.function.text} takes a name and a default", node.span)
    for argument, kind in zip(node.arguments, kinds):
        found.fit(argument, kind, "this argument")
    return [found.constant(a, k) for a, k in zip(node.arguments, kinds)]


def _given(node: syntax.Invoke, name: str, default: list, given: Mapping[str, str], read,
           kind: SplType) -> Code:
    value = read(given[name]) if name in given else default[0] if default else UNKNOWN
    if value is UNKNOWN:
        raise ProgramError(f"there is no submission-time value {name}", node.span,
                           help=f"--set {name}=VALUE")
    return Code(kind, repr(value), constant=value)
