"""Names and nested functions within a function's tree, by its text alone.

Which names it binds, which of them are its own variables, and which belong to a function around it.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from anabranch.analysis.syntax import body_of

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


COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@lru_cache(maxsize=4096)
def local_names(node: ast.AST) -> frozenset[str]:
    """The variables of a function: its parameters, and all names that its own text binds."""
    arguments = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
    return (arguments | set(_bound(body_of(node)))) - outer_names(node)


@lru_cache(maxsize=4096)
def outer_names(node: ast.AST) -> frozenset[str]:
    """The names that a function declares global or nonlocal."""
    return frozenset(n for inner in _own(body_of(node))
                     if isinstance(inner, (ast.Global, ast.Nonlocal)) for n in inner.names)


@lru_cache(maxsize=4096)
def global_names(node: ast.AST) -> frozenset[str]:
    return frozenset(n for inner in _own(body_of(node)) if isinstance(inner, ast.Global)
                     for n in inner.names)


@lru_cache(maxsize=4096)
def is_generator(node: ast.AST) -> bool:
    return any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in _own(body_of(node)))


def _own(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The nodes of a function itself, not those of functions and classes in it."""
    for node in nodes:
        yield node
        inside = evaluated_with(node) if isinstance(node, (*FUNCTIONS, ast.ClassDef)) else (
            children(node))
        yield from _own(inside)


def evaluated_with(node: ast.AST) -> list[ast.expr]:
    """What is evaluated where a function or a class stands: its decorators, defaults, bases and
    annotations.

    >>> [ast.unparse(n) for n in evaluated_with(ast.parse("def f(x: a, y=b) -> c: d").body[0])]
    ['b', 'a', 'c']
    """
    outside = getattr(node, "decorator_list", [])
    if isinstance(node, ast.ClassDef):
        return [*outside, *node.bases, *(k.value for k in node.keywords)]
    return [*outside, *node.args.defaults, *filter(None, node.args.kw_defaults),
            *annotations_of(node)]


def annotations_of(node: ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.expr]:
    """The annotations of a function's parameters and of what it gives."""
    arguments = (n for n in children(node.args) if isinstance(n, ast.arg))
    return [*filter(None, (*(a.annotation for a in arguments), getattr(node, "returns", None)))]


def _bound(body: list[ast.stmt]) -> Iterator[str]:
    hidden = {id(n) for node in _own(body) if isinstance(node, COMPREHENSIONS)
              for g in node.generators for n in ast.walk(g.target)}
    for node in _own(body):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) if id(node) not in hidden:
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(
                    name=name):
                yield name
            case ast.alias(name=name, asname=alias):
                yield (alias or name).split(".")[0]
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                yield name
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                yield name
