"""The heads of loops as native code, and `match` as a chain of `if`.

Loops go over a range, the items of a display, or a state's sequence. Patterns are values,
alternatives, records by attribute, and names, with guards.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field

from anabranch.kernels.native.state.dicts import held_of, size
from anabranch.kernels.native.state.sequences import is_sequence, item, length
from anabranch.kernels.native.translate.body import Body
from anabranch.kernels.native.translate.values import Rec, Value
from anabranch.kernels.native.translate.walk import scalar, shape_of


def loop_over(body: Body, target: ast.Name, source: ast.expr) -> None:
    """Begins a loop and gives its variable a value; what follows, one level deeper, is its body."""
    held = held_of(body, source)
    if isinstance(source, (ast.Tuple, ast.List)) and source.elts:
        _over_items(body, target, source.elts)
    elif is_sequence(held):
        _over_sequence(body, target, held)
    else:
        _over_range(body, target, source)


def _over_items(body: Body, target: ast.Name, parts: list[ast.expr]) -> None:
    """As in Python, all items are computed before the first turn."""
    held = hold(body, target, parts)
    turn = f"r{len(body.lines)}"
    body.write(f"for {turn} in range({len(held)}):")
    with body.indented():
        for number, name in enumerate(held):
            body.write(f"if {turn} == {number}:")
            with body.indented():
                body.bind(target, target.id, body.names[name])
                body.write("pass")


def _over_sequence(body: Body, target: ast.Name, held: Rec) -> None:
    """One that changes while it is gone over is Python's to do."""
    turn, given = f"r{len(body.lines)}", size(held).code
    body.write(f"given_{turn} = {given}")
    body.write(f"for {turn} in range({length(held).code}):")
    with body.indented():
        body.write(f"if {given} != given_{turn}: raise Bail")
        body.bind(target, target.id, item(body, target, held, Value("int", turn)))


def hold(body: Body, node: ast.AST, values: list[ast.expr]) -> list[str]:
    """Computes values and keeps them in variables that no name of the user's can be."""
    names = [f"{len(body.lines)}_{n}" for n in range(len(values))]
    for name, value in zip(names, values):
        body.bind(node, name, shape_of(body, value))
    return names


def _over_range(body: Body, target: ast.Name, source: ast.expr) -> None:
    is_range = (isinstance(source, ast.Call) and isinstance(source.func, ast.Name)
                and body.syntax.resolve(source.func.id) is range and not source.keywords)
    if not is_range:
        raise body.refuse(source, f"loops over {ast.unparse(source)}")
    bounds = [scalar(body, a) for a in source.args]
    if any(b.kind != "int" or b.none for b in bounds) or not 1 <= len(bounds) <= 3:
        raise body.refuse(source, f"loops over {ast.unparse(source)}")
    codes = [body.code(b) for b in bounds]
    if len(codes) == 3:
        codes[2] = f"stepping({codes[2]})"
    turn = f"r{len(body.lines)}"
    body.write(f"for {turn} in range({', '.join(codes)}):")
    with body.indented():
        body.bind(target, target.id, Value("int", turn))


Refuse = Callable[[ast.AST], Exception]


@dataclass
class _Pattern:
    """The tests that a subject must pass, and the names that it gives."""

    tests: list[ast.expr] = field(default_factory=list)
    names: list[ast.Assign] = field(default_factory=list)

    def guard(self, condition: ast.expr) -> ast.expr:
        """A condition over the names, which have no values yet, as one over the subject."""
        return _Named({a.targets[0].id: a.value for a in self.names}).visit(deepcopy(condition))


@dataclass
class _Named(ast.NodeTransformer):
    """Puts what names stand for in their place."""

    stand_for: dict[str, ast.expr]

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.stand_for.get(node.id, node)


def as_conditions(node: ast.Match, is_of: Callable[[ast.expr, ast.expr], bool],
                  refuse: Refuse) -> list[ast.stmt]:
    """The statements that do what a `match` does; its subject is a name or an attribute of one.

    `is_of(subject, class)` says whether a subject is known to be of a class.
    """
    chain: list[ast.stmt] = []
    for case in reversed(node.cases):
        found = _Pattern()
        _take(case.pattern, node.subject, found, is_of, refuse)
        tests = found.tests + ([found.guard(case.guard)] if case.guard else [])
        body = [*found.names, *case.body]
        chain = [_located(ast.If(_all(tests), body, chain), node)] if tests else body
    return chain


def _take(pattern: ast.pattern, subject: ast.expr, found: _Pattern, is_of: Callable,
          refuse: Refuse) -> None:
    match pattern:
        case ast.MatchValue(value):
            found.tests.append(_located(ast.Compare(subject, [ast.Eq()], [value]), pattern))
        case ast.MatchSingleton(None):
            none = ast.Constant(None)
            found.tests.append(_located(ast.Compare(subject, [ast.Is()], [none]), pattern))
        case ast.MatchOr(patterns):
            found.tests.append(_any(patterns, subject, is_of, refuse))
        case ast.MatchAs(inner, name):
            if inner is not None:
                _take(inner, subject, found, is_of, refuse)
            if name is not None:
                target = ast.Name(name, ast.Store())
                found.names.append(_located(ast.Assign([target], subject), pattern))
        case ast.MatchClass(cls, [], attributes, patterns) if is_of(subject, cls):
            for attribute, inner in zip(attributes, patterns):
                part = _located(ast.Attribute(subject, attribute, ast.Load()), pattern)
                _take(inner, part, found, is_of, refuse)
        case _:
            raise refuse(pattern)


def _any(patterns: list[ast.pattern], subject: ast.expr, is_of: Callable,
         refuse: Refuse) -> ast.expr:
    alternatives = []
    for pattern in patterns:
        found = _Pattern()
        _take(pattern, subject, found, is_of, refuse)
        if found.names:
            raise refuse(pattern)
        alternatives.append(_all(found.tests) if found.tests else ast.Constant(True))
    return _located(ast.BoolOp(ast.Or(), alternatives), patterns[0])


def _all(tests: list[ast.expr]) -> ast.expr:
    return tests[0] if len(tests) == 1 else _located(ast.BoolOp(ast.And(), tests), tests[0])


def _located(made: ast.AST, like: ast.AST) -> ast.AST:
    return ast.fix_missing_locations(ast.copy_location(made, like))
