"""Assignments as native code: to names, to fields of the state, and into what a state holds."""

from __future__ import annotations

import ast
from collections.abc import Callable

from anabranch.ir.records import State
from anabranch.kernels.native.body import Body
from anabranch.kernels.native.dicts import held_of, put
from anabranch.kernels.native.late import is_late
from anabranch.kernels.native.loops import hold
from anabranch.kernels.native.values import Rec, Shape, Value, common, leaves
from anabranch.kernels.native.walk import scalar, shape_of


def _assign(body: Body, node: ast.Assign) -> None:
    match node.targets, node.value:
        case [ast.Tuple(elts=targets)], ast.Tuple(elts=values) if len(targets) == len(values):
            _assign_together(body, node, targets, values)
        case [target], value:
            _store(body, target, shape_of(body, value))
        case targets, value:
            _assign_together(body, node, targets, [value] * len(targets))


def _assign_together(body: Body, node: ast.Assign, targets: list, values: list) -> None:
    """`a, b = b, a` or `a = b = c`: all values are taken before the first is stored."""
    for name, target in zip(hold(body, node, values), targets):
        _store(body, target, body.names[name])


def _store(body: Body, target: ast.expr, given: Shape) -> None:
    match target:
        case ast.Name(id=name):
            body.bind(target, name, given)
        case ast.Attribute(value=ast.Name(id=owner), attr=field) if _is_state(body, owner, field):
            _store_field(body, target, body.names[owner].fields[field], given)
        case ast.Subscript(value=owner, slice=key) if (
                isinstance(given, Value) and (held := held_of(body, owner))):
            put(body, owner, held, scalar(body, key), given)
        case _:
            raise body.refuse(target, f"assigns {ast.unparse(target)}")


def _is_state(body: Body, name: str, field: str) -> bool:
    owner = body.names.get(name)
    return isinstance(owner, Rec) and issubclass(owner.cls, State) and field in owner.fields


def _store_field(body: Body, target: ast.Attribute, place: Shape, given: Shape) -> None:
    both = common([place, given])
    given_leaves = dict(leaves(given, ""))
    fits = both is not None and all(
        leaf.none or not given_leaves[n].none for n, leaf in leaves(place, ""))
    if not fits:
        raise body.refuse(target, f"{ast.unparse(target)} is {_shown(place)} and is given "
                                  f"{_shown(given)}")
    names, codes = [], []
    for name, leaf in leaves(place, ""):
        names += [leaf.code, leaf.none] if leaf.flagged else [leaf.code]
        codes += body.passed(leaf, given_leaves[name])
    body.write(f"{', '.join(names)} = {', '.join(codes)}")


def _shown(shape: Shape) -> str:
    if is_late(shape):
        return "a text put together of others"
    return "a record" if isinstance(shape, Rec) else shape.shown


def _augment(body: Body, node: ast.AugAssign) -> None:
    read = ast.copy_location(_loaded(node.target), node.target)
    value = ast.copy_location(ast.BinOp(read, node.op, node.value), node)
    _store(body, node.target, shape_of(body, value))


def _loaded(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Attribute):
        return ast.Attribute(target.value, target.attr, ast.Load())
    return ast.Name(target.id, ast.Load()) if isinstance(target, ast.Name) else target


def _annotated(body: Body, node: ast.AnnAssign) -> None:
    if node.value is not None:
        _store(body, node.target, shape_of(body, node.value))


ASSIGNMENTS: dict[type[ast.stmt], Callable[[Body, ast.stmt], None]] = {
    ast.Assign: _assign, ast.AugAssign: _augment, ast.AnnAssign: _annotated}
