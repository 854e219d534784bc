"""The type of what a user's function gives, found before anything runs.

A misspelt attribute, a clash of types or a wrong call of a record is a `ProgramError` at the
user's expression. What is not certain is `AnyOf`, with the reason.

>>> from anabranch.ir.types import STR
>>> from anabranch.ir.function import Function
>>> str(infer_result(Function.from_source("lambda text: len(text) / 2", {}), [STR]))
'float'
>>> str(infer_yields(Function.from_source("lambda text: text.split()", {}), [STR]))
'str'
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from anabranch.analysis.by_name import is_read_by_name, read_by_name
from anabranch.analysis.output_count import falls_through, outputs
from anabranch.analysis.scope import children, every_node, own_nodes
from anabranch.analysis.syntax import FunctionSyntax, Missing, body_of, syntax_of
from anabranch.analysis.typing import diagnostics
from anabranch.analysis.typing.calls import check_field
from anabranch.analysis.typing.diagnostics import strict
from anabranch.analysis.typing.expressions import ExpressionTyper, attribute, binary, targets
from anabranch.analysis.typing.types import (
    NUMBERS,
    ItemsOf,
    annotated,
    element,
    hint_of,
    is_state,
    joined,
    joined_all,
    of_items,
    returned,
)
from anabranch.core.errors import ProgramError
from anabranch.ir.function import Function
from anabranch.ir.types import ANY, NONE, TIMESTAMP, AnyOf, ListOf, RecordOf, Type, without_none


def infer_result(function: Function, parameters: list[Type]) -> Type:
    """The type of what a function returns; its return annotation wins."""
    checked = _checked(function, parameters)
    declared = returned(function.call)
    if declared is not None:
        return of_items(declared)
    if isinstance(checked, Missing):
        return AnyOf(checked.reason)
    return of_items(_returned(*checked))


def infer_yields(function: Function, parameters: list[Type]) -> Type:
    """The type of the items that a function yields, or of those in what it returns."""
    checked = _checked(function, parameters)
    declared = returned(function.call)
    if isinstance(declared, (ItemsOf, ListOf)):
        return of_items(declared.item)
    if isinstance(checked, Missing):
        return AnyOf(checked.reason)
    syntax, found = checked
    if syntax.is_generator:
        return of_items(joined_all(found.yielded))
    given = _returned(syntax, found)
    if given in (*NUMBERS, TIMESTAMP, NONE):
        raise ProgramError(f"{function.name} gives {given}, which has no items", syntax.span,
                           expected="a list of outputs",
                           help="map takes what a function returns as one output")
    return of_items(element(given) or AnyOf("what it returns is no list"))


def gives_nothing(function: Function) -> bool:
    """Whether a function certainly never yields or returns an item.

    >>> gives_nothing(Function.from_source("lambda text: []", {}))
    True
    """
    syntax = syntax_of(function.call)
    return isinstance(syntax, FunctionSyntax) and outputs(syntax).high == 0


def _checked(function: Function, parameters: list[Type]) -> tuple[FunctionSyntax, Typed] | Missing:
    syntax = syntax_of(function.call)
    if isinstance(syntax, Missing):
        return syntax
    by_name = frozenset(name for name, each in _parameters(syntax, parameters).items()
                        if is_read_by_name(each))
    if by_name:
        read_by_name(syntax.code, by_name)
        syntax = syntax_of(function.call)
    return syntax, typed(syntax, parameters, strict)


def _returned(syntax: FunctionSyntax, found: Typed) -> Type:
    if syntax.is_generator:
        return AnyOf("it is a generator")
    at_end = [NONE] if falls_through(syntax) else []
    return joined_all([*found.returned, *at_end])


PASSES = 6
TESTS = {"isinstance", "hasattr", "getattr", "callable", "type", "issubclass"}


@dataclass(frozen=True)
class Typed:
    """The types of all expressions, of what is returned, and of what is yielded."""

    types: dict[ast.AST, Type]
    returned: list[Type]
    yielded: list[Type]


def typed(syntax: FunctionSyntax, parameters: list[Type],
          report: diagnostics.Report = diagnostics.lenient) -> Typed:
    """The types in a function that is called with arguments of these types.

    A variable has one type all through the function, that of all values it is ever given: first
    these types are iterated until they hold, then the expressions are checked once.
    """
    report = diagnostics.lenient if _tests_types(syntax.node) else report
    start = _parameters(syntax, parameters)
    variables, loose = start, _changes_lists(syntax.node)
    for _ in range(PASSES):
        found = _walked(syntax, variables, start, diagnostics.lenient, loose).assigned
        found = {n: joined(t, variables.get(n, t)) for n, t in found.items()}
        if found == variables:
            break
        variables = found
    else:
        variables = dict.fromkeys(variables, ANY)
    final = _walked(syntax, variables, start, report, loose)
    return Typed(final.types, final.returned, final.yielded)


def _walked(syntax, variables, start, report, loose) -> ExpressionTyper:
    typer = ExpressionTyper(syntax, variables, report, loose)
    typer.assigned = dict(start)
    walk(typer, syntax.body)
    return typer


def _parameters(syntax: FunctionSyntax, given: list[Type]) -> dict[str, Type]:
    """The types given by the caller; where those are not known, the annotations."""
    types: dict[str, Type] = dict.fromkeys((*syntax.bound, *syntax.defaults), ANY)
    for name, found in zip(syntax.parameters, [*given, *[ANY] * len(syntax.parameters)]):
        types[name] = _annotation(syntax, name) if found == ANY else found
    # A name that inner functions or the module may assign has no type that can be seen here.
    shared = {n for node in every_node(syntax.node) if isinstance(node, (ast.Nonlocal, ast.Global))
              for n in node.names}
    return types | dict.fromkeys(shared, ANY)


def _annotation(syntax: FunctionSyntax, name: str) -> Type:
    hint = hint_of(syntax.function, name)
    return ANY if hint is ... else annotated(hint)


@lru_cache(maxsize=1024)
def _tests_types(node: ast.AST) -> bool:
    """Whether it looks at types itself, or catches errors: then a clash may never be reached."""
    return any((isinstance(n, ast.Name) and n.id in TESTS)
               or isinstance(n, (ast.Match, ast.Try, ast.TryStar))
               for n in own_nodes(body_of(node)))


@lru_cache(maxsize=1024)
def _changes_lists(node: ast.AST) -> bool:
    """Whether a list may come to hold something else: only calls and stores can do that, and only
    to one that has a name or is an argument; a list that is given out at once stays as it is."""
    nodes = list(own_nodes(body_of(node)))
    changing = any(isinstance(n, (ast.Call, ast.AugAssign)) or (
        isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)) for n in nodes)
    held = (part for n in nodes for part in _held_parts(n))
    return changing and any(isinstance(n, (ast.List, ast.Set, ast.ListComp, ast.SetComp))
                            for part in held for n in every_node(part))


def _held_parts(node: ast.AST) -> list[ast.expr]:
    """The expressions whose values a node gives to a name, to an attribute or to a call."""
    match node:
        case (ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value)
              | ast.NamedExpr(value=value) | ast.AugAssign(value=value)):
            return [value]
        case ast.For(iter=ast.List(elts=items) | ast.Tuple(elts=items)):
            return items
        case ast.Call(func=func, args=arguments, keywords=keywords):
            return [func, *arguments, *(k.value for k in keywords)]
    return []


def walk(typer: ExpressionTyper, statements: Iterable[ast.stmt]) -> None:
    for statement in statements:
        HANDLERS.get(type(statement), _parts)(typer, statement)


def _parts(typer: ExpressionTyper, node: ast.AST) -> None:
    """Every expression of a statement, then the statements inside it."""
    for child in children(node):
        if isinstance(child, ast.expr):
            typer.type(child)
        elif isinstance(child, ast.stmt):
            walk(typer, [child])
        else:
            _parts(typer, child)
            _bind_names(typer, child)


def _bind_names(typer, node: ast.AST) -> None:
    name = getattr(node, "name", None) or getattr(node, "rest", None)
    if isinstance(node, (ast.ExceptHandler, ast.pattern)) and name:
        typer.assign(name, ANY)


def _assign(typer, node: ast.Assign) -> None:
    found = typer.type(node.value)
    for target in node.targets:
        _store(typer, target, found, node.value)


def _store(typer, target: ast.expr, found: Type, value: ast.expr) -> None:
    if isinstance(target, ast.Attribute):
        _store_attribute(typer, target, found, value)
    elif isinstance(target, (ast.Name, ast.Tuple, ast.List, ast.Starred)):
        for name, part in targets(target, found).items():
            typer.assign(name, part)
    else:
        typer.type(target)


def _store_attribute(typer, target: ast.Attribute, found: Type, value: ast.expr) -> None:
    owner = without_none(typer.type(target.value))
    if not isinstance(owner, RecordOf):
        return
    attribute(typer, target, owner)
    if target.attr not in owner.cls.__record_fields__:
        return
    if is_state(owner.cls):
        check_field(typer, owner.cls, target.attr, found, value)
    else:
        typer.report(diagnostics.immutable(typer.syntax, target, owner))


def _assign_augmented(typer, node: ast.AugAssign) -> None:
    if isinstance(node.target, ast.Name):
        before = typer.types[node.target] = typer.variable(node.target.id)
    else:
        before = typer.type(node.target)
    found = binary(typer, node, node.op, before, typer.type(node.value))
    _store(typer, node.target, found, node)


def _assign_annotated(typer, node: ast.AnnAssign) -> None:
    if node.value is not None:
        _store(typer, node.target, typer.type(node.value), node.value)


def _for(typer, node: ast.For) -> None:
    _store(typer, node.target, typer.element(node.iter), node.iter)
    walk(typer, [*node.body, *node.orelse])


def _with(typer, node: ast.With) -> None:
    for item in node.items:
        typer.type(item.context_expr)
        if item.optional_vars is not None:
            _store(typer, item.optional_vars, ANY, item.context_expr)
    walk(typer, node.body)


def _return(typer, node: ast.Return) -> None:
    typer.returned.append(typer.type(node.value) if node.value else NONE)


def _define(typer, node: ast.FunctionDef) -> None:
    """An inner function: nothing is known of it, and it is checked only when it is called."""
    typer.assign(node.name, ANY)


def _import(typer, node: ast.Import) -> None:
    for alias in node.names:
        typer.assign((alias.asname or alias.name).split(".")[0], ANY)


HANDLERS: dict[type[ast.AST], Callable[[ExpressionTyper, ast.AST], None]] = {
    ast.Assign: _assign, ast.AugAssign: _assign_augmented, ast.AnnAssign: _assign_annotated,
    ast.For: _for, ast.With: _with, ast.Return: _return, ast.FunctionDef: _define,
    ast.AsyncFunctionDef: _define, ast.ClassDef: _define, ast.Import: _import,
    ast.ImportFrom: _import,
}
