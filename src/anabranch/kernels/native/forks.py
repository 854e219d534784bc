"""The user's `fork` and `join` as native functions over shelves of states.

A shelf has an array for each field of the state, with an entry for each worker of a plan.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from anabranch.ir.function import Function
from anabranch.ir.records import State
from anabranch.ir.synchronized import Synchronized
from anabranch.kernels.native.body import Body, Registry
from anabranch.kernels.native.functions import INNER
from anabranch.kernels.native.operators import begin, state_shape
from anabranch.kernels.native.sides import Side
from anabranch.kernels.native.statements import Giving, translate
from anabranch.kernels.native.values import (
    CONTEXT,
    Rec,
    Unsupported,
    Value,
    common,
    flag,
    leaves,
)
from anabranch.kernels.native.walk import shape_of, thing, truth

SHELF = "<shelf>"
"""Stands in generated text for the arrays of the shelf."""


def shelf(name: str) -> str:
    """The name of the array that has a field of all workers' states."""
    return f"h_{name}"


def write_forks(kind: Synchronized, registry: Registry, tags: list) -> list[str]:
    """The functions `fork_state(whole, left, right)` and `join_state(left, right, whole)`, whose
    arguments are places on the shelf; `Unsupported` when one of them has no native form. The tags
    for which the fork asks are added to `tags`."""
    if len(kind.forks) != 1 or len(kind.joins) != 1 or len(kind.states) != 1:
        raise Unsupported("has several types of state")
    fork, join = kind.forks[0].function, kind.joins[0].function
    return [*_function("fork_state", ("whole", "left", "right"),
                       _forked(kind.state, fork, registry, tags)),
            *_function("join_state", ("left", "right", "whole"),
                       _joined(kind.state, join, registry))]


def _function(name: str, places: tuple[str, ...], body: Body) -> list[str]:
    head = f"def {name}({', '.join([CONTEXT, SHELF, *places])}):"
    return ["", "", INNER, head,
            *("    " * depth + line for depth, line in body.lines)]


def _forked(state: type, fork: Function, registry: Registry, tags: list) -> Body:
    body = _begun(fork, state, {"s": "whole"}, registry)
    sides = [name for name in body.syntax.parameters if name not in body.names]
    body.names |= {name: Side(place, tags) for name, place in zip(sides, ("left", "right"))}
    body.assigned |= set(sides)

    def returned(body: Body, node: ast.expr) -> None:
        if not isinstance(node, ast.Tuple) or len(node.elts) != 2:
            raise body.refuse(node, f"gives {ast.unparse(node)}")
        for part, place in zip(node.elts, ("left", "right")):
            _put(body, node, state, _state(body, part), place)
    return _translated(body, returned)


def _joined(state: type, join: Function, registry: Registry) -> Body:
    body = _begun(join, state, {"one": "left", "other": "right"}, registry)
    return _translated(body, lambda body, node: _put(body, node, state, _state(body, node),
                                                     "whole"))


def _begun(function: Function, state: type, places: dict[str, str], registry: Registry) -> Body:
    """Loads the states of the first parameters from the shelf."""
    shapes = [state_shape(state, function.span, prefix) for prefix in places]
    body = begin(function, shapes, registry)
    for shape, (prefix, place) in zip(shapes, places.items()):
        for target, field in _scalars(shape, prefix):
            body.write(f"{target} = {shelf(field)}[{place}]")
    return body


def _translated(body: Body, returned: Callable[[Body, ast.expr], None]) -> Body:
    if body.syntax.is_generator:
        raise Unsupported("gives a generator", body.syntax.span)
    translate(body, Giving(None, _chosen(returned)))
    return body


def _chosen(given: Callable[[Body, ast.expr], None]) -> Callable[[Body, ast.expr], None]:
    """Gives the one or the other where a condition chooses between two."""
    def returned(body: Body, node: ast.expr) -> None:
        if not isinstance(node, ast.IfExp):
            given(body, node)
            return
        for head, branch in ((f"if {truth(body, node.test)}:", node.body), ("else:", node.orelse)):
            body.write(head)
            with body.indented():
                returned(body, branch)
    return returned


def _scalars(shape: Rec, prefix: str) -> list[tuple[str, str]]:
    """The variables of a state, each with the field of the table that it is."""
    found = []
    for (variable, value), (field, _) in zip(leaves(shape, prefix), leaves(shape, "s")):
        found.append((variable, field))
        if value.flagged:
            found.append((flag(variable), flag(field)))
    return found


def _put(body: Body, node: ast.expr, state: type, given: Rec, place: str) -> None:
    wanted = state_shape(state, body.syntax.span)
    if given.cls is not state or not _fits(wanted, given):
        raise body.refuse(node, f"gives {ast.unparse(node)}")
    codes = [code for (_, leaf), (_, value) in zip(leaves(wanted, "s"), leaves(given, "s"))
             for code in body.passed(leaf, value)]
    for (_, field), code in zip(_scalars(wanted, "s"), codes):
        body.write(f"{shelf(field)}[{place}] = {code}")


def _fits(wanted: Rec, given: Rec) -> bool:
    held = dict(leaves(given, ""))
    return common([wanted, given]) is not None and all(
        leaf.none or not held[name].none for name, leaf in leaves(wanted, ""))


def _state(body: Body, node: ast.expr) -> Rec:
    """A state that a function gives: one of its own, or one that it makes."""
    if isinstance(node, ast.Name):
        found = thing(body, node)
        if isinstance(found, Rec) and issubclass(found.cls, State):
            return found
    if isinstance(node, ast.Call):
        made = thing(body, node.func)
        if isinstance(made, type) and issubclass(made, State):
            return _made(body, node, made)
    raise body.refuse(node, f"gives {ast.unparse(node)}")


def _made(body: Body, node: ast.Call, cls: type) -> Rec:
    fields = dict.fromkeys(cls.__record_fields__)
    starred = any(isinstance(a, ast.Starred) for a in node.args)
    unknown = any(k.arg not in fields for k in node.keywords)
    if cls.__init__ is not State.__init__ or starred or unknown or len(node.args) > len(fields):
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    given = dict(zip(fields, (shape_of(body, a) for a in node.args)))
    given |= {k.arg: shape_of(body, k.value) for k in node.keywords}
    return Rec(cls, {name: given[name] if name in given else _default(body, node, cls, name)
                     for name in fields})


def _default(body: Body, node: ast.Call, cls: type, name: str) -> Value:
    value = body.known(cls.__record_fields__[name])
    if not isinstance(value, Value):
        raise body.refuse(node, f"uses the default of {cls.__name__}.{name}")
    return value
