"""What each kind of expression may be a part of, and what evaluating it does."""

from __future__ import annotations

import ast
from dataclasses import replace

from anabranch.analysis import shared
from anabranch.analysis.effect_calls import call
from anabranch.analysis.effect_runs import property_of, run
from anabranch.analysis.roots import NEW, UNKNOWN, Value, union
from anabranch.analysis.scope import children
from anabranch.analysis.syntax import UNRESOLVED
from anabranch.analysis.typed import NUMBERS
from anabranch.ir.types import RecordOf


def _parts(walk, node: ast.AST) -> list[Value]:
    return [walk.value(child) for child in _expressions(node)]


def _expressions(node: ast.AST) -> list[ast.expr]:
    return [c for c in children(node) if isinstance(c, ast.expr)]


def _plain(walk, node: ast.expr) -> Value:
    """A text, a number or a truth: part of nothing."""
    _parts(walk, node)
    return NEW


def _either(walk, node: ast.BoolOp | ast.IfExp) -> Value:
    return union(_parts(walk, node))


def _collection(walk, node: ast.List) -> Value:
    return Value.holding(v.part() if isinstance(e, ast.Starred) else v
                         for e, v in zip(_expressions(node), _parts(walk, node)))


def _dict(walk, node: ast.Dict) -> Value:
    return Value.holding(part for v in _parts(walk, node) for part in (v, v.part()))


def _operation(walk, node: ast.BinOp) -> Value:
    """A sum of lists is a new list of their items; nothing that has items is added to a number."""
    found = Value.holding(v.part() for v in _parts(walk, node))
    left, right = walk.type(node.left), walk.type(node.right)
    with_number = (left in NUMBERS or right in NUMBERS) and not isinstance(node.op, ast.Mult)
    own_meaning = isinstance(left, RecordOf) or isinstance(right, RecordOf)
    return NEW if with_number and not own_meaning else found


def _comprehension(walk, node: ast.ListComp) -> Value:
    for generator in node.generators:
        walk.store(generator.target, walk.items(generator.iter))
        for condition in generator.ifs:
            walk.value(condition)
    parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    return Value.holding([walk.value(p) for p in parts])


def _name(walk, node: ast.Name) -> Value:
    if walk.syntax.is_local(node.id) and node.id not in walk.imported:
        found = walk.variables.get(node.id, NEW)
        for root in found.itself:
            if root.kind == "shared" and root.name == node.id:
                shared.used(walk, node, root, walk.syntax.given.get(node.id))
        return found
    own = walk.variables.get(node.id)
    if own is None:
        return shared.named(walk, node, node.id)
    # The variable of a comprehension or an inner function may stand beside a global of its name.
    return own if walk.static(node) is UNRESOLVED else own | shared.named(walk, node, node.id)


def _attribute(walk, node: ast.Attribute) -> Value:
    if walk.static(node) is not UNRESOLVED:
        return shared.named(walk, node, ast.unparse(node))
    base = walk.value(node.value)
    for root in base.itself:
        if root.kind == "shared":
            # It may be an attribute of the object's class, which is assigned elsewhere.
            own = replace(root, identity=frozenset((node.attr,)))
            walk.context.reads(own, walk.syntax.at(node))
    getter = property_of(walk.type(node.value), node.attr)
    if getter is not None:
        return run(walk, getter, node, [base])
    return base.part(node.attr)


def _subscript(walk, node: ast.Subscript) -> Value:
    base = walk.value(node.value)
    walk.value(node.slice)
    walk.change(Value(frozenset(r for r in base.itself if r.grows)), node.value)
    part = base.part()
    return Value.holding([part]) if isinstance(node.slice, ast.Slice) else part


def _walrus(walk, node: ast.NamedExpr) -> Value:
    found = walk.value(node.value)
    walk.store(node.target, found, node.value)
    return found


def _starred(walk, node: ast.Starred) -> Value:
    return walk.value(node.value)


def _lambda(walk, node: ast.Lambda) -> Value:
    walk.inner(node, UNKNOWN)
    return NEW


def _yield(walk, node: ast.Yield) -> Value:
    if node.value is not None:
        walk.emit(node.value, walk.value(node.value))
    return NEW


def _yield_from(walk, node: ast.YieldFrom) -> Value:
    walk.emit(node.value, walk.items(node.value))
    return NEW


EXPRESSIONS = {
    **dict.fromkeys((ast.Constant, ast.JoinedStr, ast.FormattedValue, ast.Compare, ast.UnaryOp,
                     ast.Slice), _plain),
    **dict.fromkeys((ast.List, ast.Tuple, ast.Set), _collection),
    **dict.fromkeys((ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp), _comprehension),
    ast.Dict: _dict, ast.BinOp: _operation, ast.BoolOp: _either, ast.IfExp: _either,
    ast.Name: _name, ast.Attribute: _attribute, ast.Subscript: _subscript, ast.NamedExpr: _walrus,
    ast.Starred: _starred, ast.Lambda: _lambda, ast.Yield: _yield, ast.YieldFrom: _yield_from,
    ast.Call: call,
}
