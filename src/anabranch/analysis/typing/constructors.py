"""Checks calls that make records and states: `Trade("IBM", 119.5)` and `t.replace(price=1.0)`."""

from __future__ import annotations

import ast

from anabranch.analysis.typing import complaints
from anabranch.analysis.typing.types import fields_of_class, fits, is_state
from anabranch.ir.types import Type
from anabranch.source import Span


def check_arguments(typer, node: ast.Call, cls: type, given: list[Type],
                    named: dict[str | None, Type]) -> None:
    """Reports an unknown, missing, superfluous or clashing argument of a constructor."""
    where = typer.syntax.at(node)
    fields = list(cls.__record_fields__)
    if is_state(cls) and node.args:
        typer.report(complaints.by_name(where, cls))
        return
    open_ended = None in named or any(isinstance(a, ast.Starred) for a in node.args)
    if not open_ended and len(given) > len(fields):
        typer.report(complaints.too_many(where, cls, len(given)))
        return
    positional = _positional(node.args, fields)
    for argument, field in positional:
        _check_value(typer, cls, field, argument)
    _check_keywords(typer, node, cls, {f for _, f in positional})
    lacking = [f for f in fields[len(given):] if f not in named
               and cls.__record_fields__[f] is ...]
    if lacking and not open_ended:
        typer.report(complaints.lacking(where, cls, lacking))


def _positional(arguments: list[ast.expr], fields: list[str]) -> list[tuple[ast.expr, str]]:
    """The arguments whose field is certain: those before the first starred one."""
    stars = [i for i, a in enumerate(arguments) if isinstance(a, ast.Starred)]
    return list(zip(arguments[:stars[0] if stars else None], fields))


def check_changes(typer, node: ast.Call, cls: type) -> None:
    """Reports an unknown or clashing field in `t.replace(...)`."""
    if node.args:
        typer.report(complaints.by_name(typer.syntax.at(node), cls))
    _check_keywords(typer, node, cls, set())


def _check_keywords(typer, node: ast.Call, cls: type, taken: set[str]) -> None:
    for keyword in node.keywords:
        if keyword.arg is None:
            continue
        if keyword.arg not in cls.__record_fields__:
            typer.report(complaints.no_field(_name_span(typer, keyword), cls, keyword.arg))
        elif keyword.arg in taken:
            typer.report(complaints.given_twice(_name_span(typer, keyword), cls, keyword.arg))
        else:
            _check_value(typer, cls, keyword.arg, keyword.value)


def _name_span(typer, keyword: ast.keyword) -> Span:
    whole = typer.syntax.at(keyword)
    return Span(whole.file, whole.line, whole.column, whole.line,
                whole.column + len(keyword.arg))


def _check_value(typer, cls: type, field: str, value: ast.expr) -> None:
    check_field(typer, cls, field, typer.types[value], value)


def check_field(typer, cls: type, field: str, given: Type, node: ast.expr) -> None:
    """Reports a value that cannot be the field's."""
    wanted = fields_of_class(cls)[field]
    if not fits(wanted, given):
        typer.report(complaints.wrong_field(typer.syntax.at(node), cls, field, wanted, given))
