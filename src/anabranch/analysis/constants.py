"""Names outside of a function that keep one value while the program runs."""

from __future__ import annotations

import ast
from collections import Counter
from functools import lru_cache

from anabranch.analysis.syntax import UNRESOLVED, FunctionSyntax
from anabranch.source import ParsedFile, parsed_file

PLAIN = (bool, int, float, str)


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
