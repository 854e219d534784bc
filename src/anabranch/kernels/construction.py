"""What an expression makes of an item: a record, a changed copy, or one value.

The fields are in whatever form a tier has for columns to be; `value(node)` gives that form.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Protocol

from anabranch.analysis.syntax import FunctionSyntax
from anabranch.ir.records import Record


class ConstructedItem(Protocol):
    """An item; `cls` is None for a single value, which is called `value`."""

    cls: type | None
    fields: dict[str, object]


def constructed(syntax: FunctionSyntax, node: ast.expr, items: Mapping[str, ConstructedItem],
                value: Callable[[ast.expr], object], refuse: Callable[[ast.AST], Exception]
                ) -> tuple[type | None, dict[str, object]]:
    """The class and the fields of the item that an expression gives; `items` are those it names."""
    match node:
        case ast.Name(id=name) if name in items:
            return items[name].cls, items[name].fields
        case ast.Call(ast.Attribute(ast.Name(id=name), "replace"), [], changes) if (
                name in items and items[name].cls is not None):
            cls, fields = items[name].cls, items[name].fields
        case ast.Call(ast.Name(id=name), given, changes) if _is_record(syntax.resolve(name)):
            cls = syntax.resolve(name)
            fields = dict(zip(cls.__record_fields__, map(value, given)))
        case _:
            return None, {"value": value(node)}
    fields = fields | {k.arg: value(k.value) for k in changes}
    if set(fields) != set(cls.__record_fields__) or len(node.args) > len(fields):
        raise refuse(node)
    return cls, {name: fields[name] for name in cls.__record_fields__}


def _is_record(found: object) -> bool:
    return isinstance(found, type) and issubclass(found, Record) and (
        found.__new__ is found.__mro__[1].__new__ and found.__init__ is object.__init__)
