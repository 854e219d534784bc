"""`match` as a chain of `if`: values, alternatives, records by attribute, names and guards."""

from __future__ import annotations

import ast
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field

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
