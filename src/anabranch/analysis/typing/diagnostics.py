"""What inference says about a wrong program, at the user's expression."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from anabranch.analysis.syntax import FunctionSyntax
from anabranch.analysis.typing.operations import SYMBOLS
from anabranch.core.errors import ProgramError, UnknownNameError, did_you_mean
from anabranch.core.source import Span
from anabranch.ir.types import BYTES, STR, Type

Report = Callable[[ProgramError], None]


_collected: ContextVar[list[ProgramError] | None] = ContextVar("collected", default=None)


def strict(error: ProgramError) -> None:
    """The first error ends it, unless all of them are collected."""
    if (collected := _collected.get()) is None:
        raise error
    collected.append(error)


@contextmanager
def collecting() -> Iterator[list[ProgramError]]:
    """Errors are collected meanwhile, and inference goes on: what is wrong may be anything."""
    errors: list[ProgramError] = []
    token = _collected.set(errors)
    try:
        yield errors
    finally:
        _collected.reset(token)


def lenient(error: ProgramError) -> None:
    """For analyses of a program that has been checked already."""


def no_attribute(syntax: FunctionSyntax, node: ast.Attribute, owner: Type,
                 known: Iterable[str]) -> ProgramError:
    return UnknownNameError(f"{owner} has no attribute '{node.attr}'", syntax.at_attribute(node),
                            node.attr, known)


def immutable(syntax: FunctionSyntax, node: ast.Attribute, owner: Type) -> ProgramError:
    return ProgramError(f"{owner} is a record: its fields cannot be assigned", syntax.at(node),
                        help=f"make a changed copy with .replace({node.attr}=...)")


def clash(syntax: FunctionSyntax, node: ast.AST, op: ast.AST, left: Type,
          right: Type) -> ProgramError:
    symbol = SYMBOLS[type(op)]
    return ProgramError(f"{left} {symbol} {right} is a type clash", syntax.at(node),
                        help=_conversion(op, left, right))


def _conversion(op: ast.AST, left: Type, right: Type) -> str:
    texts = [t for t in (left, right) if t in (STR, BYTES)]
    if not texts or left == right:
        return f"`{SYMBOLS[type(op)]}` does not take these types"
    other = right if left == texts[0] else left
    return f"convert one side with {texts[0]}(...) or {other}(...)"


def unary_clash(syntax: FunctionSyntax, node: ast.UnaryOp, operand: Type) -> ProgramError:
    return ProgramError(f"{SYMBOLS[type(node.op)]}{operand} is a type clash", syntax.at(node))


def not_iterable(syntax: FunctionSyntax, node: ast.AST, found: Type) -> ProgramError:
    return ProgramError("this is not iterable", syntax.at(node), expected="a list or the like",
                        got=str(found))


def not_indexed(syntax: FunctionSyntax, node: ast.AST, found: Type) -> ProgramError:
    return ProgramError("this cannot be indexed", syntax.at(node), expected="a list or the like",
                        got=str(found))


def wrong_field(where: Span, owner: type, field: str, wanted: Type, given: Type) -> ProgramError:
    return ProgramError(f"{owner.__name__}.{field} is of another type", where,
                        expected=str(wanted), got=str(given))


def no_field(where: Span, owner: type, field: str) -> ProgramError:
    return ProgramError(f"{owner.__name__} has no field '{field}'", where,
                        help=did_you_mean(field, owner.__record_fields__))


def too_many(where: Span, owner: type, count: int) -> ProgramError:
    fields = list(owner.__record_fields__)
    return ProgramError(f"{owner.__name__} takes {len(fields)} values", where, got=str(count),
                        help=f"its fields are: {', '.join(fields)}")


def lacking(where: Span, owner: type, fields: list[str]) -> ProgramError:
    return ProgramError(f"{owner.__name__} is not given {', '.join(map(repr, fields))}", where,
                        help=f"its fields are: {', '.join(owner.__record_fields__)}")


def given_twice(where: Span, owner: type, field: str) -> ProgramError:
    return ProgramError(f"{owner.__name__} is given '{field}' twice", where)


def by_name(where: Span, owner: type) -> ProgramError:
    return ProgramError(f"{owner.__name__} takes its fields by name here", where,
                        help="write field=value")
