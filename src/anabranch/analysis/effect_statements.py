"""What each kind of statement does to variables, the state, the input and what is shared."""

from __future__ import annotations

import ast
import sys

from anabranch.analysis import shared
from anabranch.analysis.effect_calls import enter
from anabranch.analysis.roots import NEW, UNKNOWN, Value, is_immutable
from anabranch.analysis.syntax import UNRESOLVED
from anabranch.analysis.typed import NUMBERS


def _assign(walk, node: ast.Assign) -> None:
    found = walk.value(node.value)
    for target in node.targets:
        walk.store(target, found, node.value)
        if isinstance(target, ast.Name) and isinstance(node.value, ast.Lambda):
            walk.inner_functions.add(target.id)


def _assign_annotated(walk, node: ast.AnnAssign) -> None:
    if node.value is not None:
        walk.store(node.target, walk.value(node.value), node.value)


def _assign_augmented(walk, node: ast.AugAssign) -> None:
    """`x += y` assigns x, and may change the object that x was."""
    before, given = walk.value(_as_read(node.target)), walk.items(node.value)
    own = all(r.kind in ("item", "state") for r in before.itself)
    if is_immutable(walk.types.get(node.target)) or (own and walk.type(node.value) in NUMBERS):
        walk.store(node.target, NEW)
    else:
        walk.change(before, node.target, "append")
        walk.put(node.target, before, given)
        walk.store(node.target, before | Value.holding([given]))


def _as_read(target: ast.expr) -> ast.expr:
    """The target of `x += y` as the expression that is read first."""
    match target:
        case ast.Name(id=name):
            read = ast.Name(name, ast.Load())
        case ast.Attribute(value=owner, attr=attribute):
            read = ast.Attribute(owner, attribute, ast.Load())
        case ast.Subscript(value=owner, slice=index):
            read = ast.Subscript(owner, index, ast.Load())
        case _:
            raise TypeError(f"{type(target).__name__} cannot be assigned in place")
    return ast.copy_location(read, target)


def _delete(walk, node: ast.Delete) -> None:
    for target in node.targets:
        if isinstance(target, (ast.Attribute, ast.Subscript)):
            walk.change(walk.value(target.value), target)
        elif isinstance(target, ast.Name) and target.id in walk.outer:
            shared.assigned(walk, target, target.id)


def _for(walk, node: ast.For) -> None:
    walk.store(node.target, walk.items(node.iter))
    walk.block([*node.body, *node.orelse])


def _with(walk, node: ast.With) -> None:
    for item in node.items:
        enter(walk, item.context_expr)
        if item.optional_vars is not None:
            walk.store(item.optional_vars, UNKNOWN)
    walk.block(node.body)


def _return(walk, node: ast.Return) -> None:
    if node.value is not None:
        found = walk.value(node.value)
        walk.returned = walk.returned | found
        walk.emit(node.value, found)


def _function(walk, node: ast.FunctionDef) -> None:
    for decorator in node.decorator_list:
        walk.context.unresolved(node.name, f"decorates `{node.name}` while it runs",
                                walk.syntax.at(decorator))
    walk.inner_functions.add(node.name)
    walk.bind(node.name, NEW)
    walk.inner(node, UNKNOWN)


def _import(walk, node: ast.Import | ast.ImportFrom) -> None:
    for alias in node.names:
        name = (alias.asname or alias.name).split(".")[0]
        found = _imported(node, alias)
        if found is UNRESOLVED:
            walk.context.unresolved(name, f"imports `{alias.name}` while it runs",
                                    walk.syntax.at(node))
        walk.imported[name] = found


def _imported(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> object:
    """What has been imported before; the first import of a module runs its code."""
    if isinstance(node, ast.ImportFrom):
        module = sys.modules.get(node.module or "")
        return getattr(module, alias.name, UNRESOLVED) if not node.level else UNRESOLVED
    whole = sys.modules.get(alias.name, UNRESOLVED)
    bound_name = alias.name if alias.asname else alias.name.split(".")[0]
    return whole if whole is UNRESOLVED else sys.modules[bound_name]


def _match(walk, node: ast.Match) -> None:
    subject = walk.value(node.subject)
    for pattern in (p for case in node.cases for p in ast.walk(case.pattern)):
        name = getattr(pattern, "name", None) or getattr(pattern, "rest", None)
        if isinstance(name, str):
            walk.bind(name, subject | subject.part())
    for case in node.cases:
        walk.inside(case)


def _class(walk, node: ast.ClassDef) -> None:
    walk.context.unresolved(node.name, f"defines the class `{node.name}` while it runs",
                            walk.syntax.at(node))


def _nothing(walk, node: ast.Global) -> None:
    """The walk knows the names from outside already."""


STATEMENTS = {
    ast.Assign: _assign, ast.AnnAssign: _assign_annotated, ast.AugAssign: _assign_augmented,
    ast.Delete: _delete, ast.For: _for, ast.With: _with, ast.Return: _return,
    ast.FunctionDef: _function, ast.Import: _import, ast.ImportFrom: _import, ast.Match: _match,
    ast.ClassDef: _class, ast.AsyncFunctionDef: _class, ast.Global: _nothing,
    ast.Nonlocal: _nothing,
}
