"""Sets whose order can be seen: that of texts and most objects differs from one run to the next."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from anabranch.analysis.facts import EffectKind
from anabranch.analysis.scope import every_node
from anabranch.analysis.typed import NUMBERS, SetOf
from anabranch.ir.types import without_none

ORDERED_CALLS = frozenset(("list", "tuple", "iter", "enumerate", "zip", "map", "filter", "deque",
                           "chain", "islice", "accumulate", "dict", "next"))
ORDERED_METHODS = frozenset(("join", "extend", "writelines"))
# Of several items with the same key, the first that comes stays first.
STABLE_CALLS = frozenset(("sorted", "min", "max", "nlargest", "nsmallest"))
ANY_ORDER = STABLE_CALLS | {"sum", "any", "all", "set", "frozenset", "len", "Counter", "fsum"}


def note_sets(walk) -> None:
    """Notes every place of a function where the order of a set's items can be seen."""
    harmless = {id(argument) for node in every_node(walk.syntax.node)
                if isinstance(node, ast.Call) and _name(node) in ANY_ORDER and not _has_key(node)
                for argument in node.args}
    for node in every_node(walk.syntax.node):
        for seen in () if id(node) in harmless else _seen(node):
            if _is_unordered(walk, seen):
                walk.context.add(EffectKind.RANDOM, ast.unparse(seen), (
                    f"goes through `{ast.unparse(seen)}`, a set, whose order differs from run to "
                    "run"), walk.syntax.at(seen))


def _seen(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions whose order a node lets be seen."""
    match node:
        case ast.For(iter=iterated):
            yield iterated
        case ast.ListComp() | ast.GeneratorExp() | ast.DictComp():
            yield from (generator.iter for generator in node.generators)
        case ast.YieldFrom(value=value) | ast.Starred(value=value):
            yield value
        case ast.Call(func=ast.Attribute(value=owner, attr="pop"), args=[]):
            yield owner
        case ast.Call() if _shows(node):
            yield from node.args


def _shows(node: ast.Call) -> bool:
    name = _name(node)
    if isinstance(node.func, ast.Attribute) and name in ORDERED_METHODS:
        return True
    return name in ORDERED_CALLS or (name in STABLE_CALLS and _has_key(node))


def _name(node: ast.Call) -> str:
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def _has_key(node: ast.Call) -> bool:
    return any(keyword.arg == "key" for keyword in node.keywords)


def _is_unordered(walk, node: ast.expr) -> bool:
    found = without_none(walk.type(node))
    return isinstance(found, SetOf) and found.item not in NUMBERS
