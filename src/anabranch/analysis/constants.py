"""Names outside of a function that keep one value while the program runs."""

from __future__ import annotations

import ast
from collections import Counter
from datetime import datetime, timedelta
from functools import lru_cache

from anabranch.analysis.syntax import UNRESOLVED, FunctionSyntax
from anabranch.core.source import ParsedFile, parsed_file

PLAIN = (bool, int, float, str, datetime, timedelta)
READING_METHODS = frozenset((
    "get", "keys", "values", "items", "index", "count", "copy", "union", "intersection",
    "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint"))
READING = frozenset(("len", "sorted", "min", "max", "sum", "any", "all", "set", "frozenset",
                     "tuple", "list", "dict", "enumerate", "zip", "reversed", "isinstance"))


def rebound(file: str) -> frozenset[str]:
    """The names outside of it that some function of a file assigns."""
    return _declared_outside(parsed_file(file))


@lru_cache(maxsize=64)
def _declared_outside(file: ParsedFile) -> frozenset[str]:
    return frozenset(n for node in ast.walk(file.tree)
                     if isinstance(node, (ast.Global, ast.Nonlocal)) for n in node.names)


@lru_cache(maxsize=64)
def _assignments(file: ParsedFile) -> Counter[str]:
    return Counter(n.id for n in ast.walk(file.tree)
                   if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def plain_constant(syntax: FunctionSyntax, name: str) -> object:
    """The number or text that a name outside of a function stands for, if its file assigns it once;
    else `UNRESOLVED`."""
    found = syntax.resolve(name)
    if type(found) not in PLAIN or name in rebound(syntax.file):
        return UNRESOLVED
    return found if _assignments(parsed_file(syntax.file))[name] <= 1 else UNRESOLVED


def is_unchanging(syntax: FunctionSyntax, name: str) -> bool:
    """Whether a name outside of a function stands for plain values that nothing changes: a number,
    a text, a tuple of such, or a list, set or dict that its file assigns once and then only reads.
    """
    found = syntax.resolve(name)
    if name in rebound(syntax.file) or not _holds_plain(found):
        return False
    if isinstance(found, (list, set, dict)):
        file = parsed_file(syntax.file)
        return _assignments(file)[name] == 1 and all(map(_only_reads, _uses(file).get(name, ())))
    return True


def _holds_plain(found: object) -> bool:
    if type(found) is dict:
        return all(map(_holds_plain, (*found, *found.values())))
    if type(found) in (tuple, list, set, frozenset):
        return all((type(v) is tuple and _holds_plain(v)) or _is_plain(v) for v in found)
    return _is_plain(found)


def _is_plain(found: object) -> bool:
    return found is None or type(found) in PLAIN


@lru_cache(maxsize=64)
def _uses(file: ParsedFile) -> dict[str, list[tuple[ast.AST, ast.Name]]]:
    """Where each name is read: what stands around it, and the name itself."""
    found: dict[str, list] = {}
    for parent in ast.walk(file.tree):
        for node in ast.iter_child_nodes(parent):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found.setdefault(node.id, []).append((parent, node))
    return found


def _only_reads(use: tuple[ast.AST, ast.Name]) -> bool:
    match use:
        case (ast.Compare() | ast.For() | ast.comprehension(), _):
            return True
        case (ast.Subscript(value=value, ctx=ast.Load()), name):
            return value is name
        case (ast.Attribute(attr=attribute, ctx=ast.Load()), _):
            return attribute in READING_METHODS
        case (ast.Call(func=ast.Name(id=called)), _):
            return called in READING
    return False
