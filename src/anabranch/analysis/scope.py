"""Names and nested functions within a function's tree."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def own_nodes(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """The nodes that belong to a function itself, in the order of the text, not those of functions
    inside it.

    >>> [n.id for n in own_nodes(ast.parse("a + (lambda: b)()").body) if isinstance(n, ast.Name)]
    ['a']
    """
    waiting: list[ast.AST] = list(reversed(body))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, FUNCTIONS):
            waiting.extend(reversed(children(node)))


@lru_cache(maxsize=16_384)
def children(node: ast.AST) -> tuple[ast.AST, ...]:
    """The nodes right below a node of a tree, which nobody changes."""
    return tuple(ast.iter_child_nodes(node))


@lru_cache(maxsize=1024)
def every_node(node: ast.AST) -> tuple[ast.AST, ...]:
    """All nodes of a function's tree, which nobody changes and many analyses look at."""
    return tuple(ast.walk(node))


@lru_cache(maxsize=1024)
def bindings(node: ast.AST) -> Counter[str]:
    """How often each name is bound anywhere within, parameters and inner functions included.

    >>> sorted(bindings(ast.parse("lambda t: [t := x for x in t]")).items())
    [('t', 2), ('x', 1)]
    """
    return Counter(name for inner in every_node(node) for name in _bound_by(inner))


def _bound_by(node: ast.AST) -> list[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return [name]
        case ast.arg(arg=name):
            return [name]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.alias(name=name, asname=alias):
            return [(alias or name).split(".")[0]]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
            return [name]
        case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
            return [name]
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return names
    return []
