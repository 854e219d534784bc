"""Dicts and sets of a state as native code: entries lie in a table of their own.

The key of an entry is its own and that of the state's owner. In the function such a collection is a
record of one number, how many entries it has. Entries can be looked up, set and counted; a function
that removes them or goes over them has no native form.
"""

from __future__ import annotations

import ast
from collections import deque

from anabranch.kernels.native.state.layout import arrays_for, opening
from anabranch.kernels.native.translate.body import Body
from anabranch.kernels.native.translate.values import ZEROS, Rec, Value, common, is_held
from anabranch.kernels.native.translate.walk import scalar, thing

ENTRY = "e"


def held_of(body: Body, node: ast.expr) -> Rec | None:
    """The collection of a state that an expression is."""
    if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
        return None
    found = thing(body, node) if isinstance(body.names.get(node.value.id), Rec) else None
    return found if is_held(found) else None


def size(held: Rec) -> Value:
    return next(iter(held.fields.values()))


def contains(body: Body, node: ast.expr, held: Rec, key: Value) -> str:
    return f"({_slot(body, node, held, key)} >= 0)"


def entry(body: Body, node: ast.Subscript, held: Rec) -> Value:
    """`counts[key]`; a key that is not there is Python's to refuse, if it does."""
    slot, array = _slot(body, node, held, scalar(body, node.slice)), _values(body, node, held)
    if held.cls.missing is None:
        return Value(held.cls.value.kind, f"at_slot({array}, {slot})")
    return Value(held.cls.value.kind, f"or_else({array}, {slot}, {held.cls.missing})")


def method(body: Body, node: ast.Call, held: Rec) -> Value:
    """`counts.get(key)` and `counts.get(key, default)`."""
    if node.func.attr != "get" or node.keywords or not 1 <= len(node.args) <= 2:
        raise body.refuse(node, f"uses {ast.unparse(node.func)}")
    slot, array = _slot(body, node, held, scalar(body, node.args[0])), _values(body, node, held)
    kind = held.cls.value.kind
    default = scalar(body, node.args[1]) if len(node.args) == 2 else None
    if default is None or default.kind == "none":
        code = f"or_else({array}, {slot}, {ZEROS[kind]})"
        return Value(kind, code, f"({code if kind == 'str' else slot} < 0)")
    if default.kind != kind or default.none:
        raise body.refuse(node, f"{ast.unparse(node)} is of one type or another")
    return Value(kind, f"or_else({array}, {slot}, {body.code(default)})")


def put(body: Body, node: ast.expr, held: Rec, key: Value, given: Value | None = None) -> None:
    """`counts[key] = given`, or `seen.add(key)` without a value."""
    table, count = held.cls.table, size(held).code
    wanted = held.cls.value
    if (wanted is None) != (given is None) or (wanted and not _is_alike(wanted, given)):
        raise body.refuse(node, f"puts {given.shown if given else 'a key'} into "
                                f"{ast.unparse(node)}")
    if given is not None:
        body.write(f"given = {body.code(given)}")
    body.write(f"before = c[{table.count}]")
    for line in opening(table, _words(body, node, held, key)):
        body.write(line)
    body.write(f"{count} += c[{table.count}] - before")
    if given is not None:
        body.write(f"{table.array(ENTRY)}[here] = given")


def _is_alike(wanted: Value, given: Value) -> bool:
    both = common([wanted, given])
    return both is not None and not both.none


def _values(body: Body, node: ast.expr, held: Rec) -> str:
    if held.cls.value is None:
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    return held.cls.table.array(ENTRY)


def _slot(body: Body, node: ast.expr, held: Rec, key: Value) -> str:
    own, words = held.cls.table.array, _words(body, node, held, key)
    return f"find({own('index')}, {own('keys')}, ({', '.join(f'int64({w})' for w in words)}))"


def _words(body: Body, node: ast.expr, held: Rec, key: Value) -> list[str]:
    if held.cls.made in (list, deque) or key.kind != held.cls.key.kind or key.none:
        raise body.refuse(node, f"has a key of {key.shown} in {ast.unparse(node)}")
    return [body.code(key), *(f"word{n}" for n in range(held.cls.table.words - 1))]


def entry_fields(value: Value | None) -> tuple:
    return () if value is None else tuple(arrays_for(value, ENTRY))
