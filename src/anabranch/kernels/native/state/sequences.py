"""Lists and deques of a state as native code: items in a table, by position.

The record that stands for a sequence has one number, how many items it has been given. Item number
n has the position n, or in a deque with a bound what is left of n divided by it. Items can be
appended, looked up, gone over, added up and compared, and all of them forgotten at once.
"""

from __future__ import annotations

import ast
import sys
from collections import deque

from anabranch.kernels.native.state.dicts import ENTRY, put, size
from anabranch.kernels.native.state.layout import opening
from anabranch.kernels.native.translate.body import Body, Helper
from anabranch.kernels.native.translate.values import CONTEXT, Rec, Value, common, is_held
from anabranch.kernels.native.translate.walk import scalar

# From 3.12 on Python's sum of floats carries what is lost along, which native code does not.
ADDED = {"int": "add({}, {})", **({"float": "{} + {}"} if sys.version_info < (3, 12) else {})}
COMPARED = ("bool", "int", "float", "time")


def is_sequence(shape: object) -> bool:
    return is_held(shape) and shape.cls.made in (list, deque)


def length(held: Rec) -> Value:
    return Value("int", _length(held, size(held).code))


def _length(held: Rec, given: str) -> str:
    return given if held.cls.bound is None else f"min({given}, {held.cls.bound})"


def item(body: Body, node: ast.expr, held: Rec, index: Value) -> Value:
    """`recent[index]`; what lies outside is Python's to refuse."""
    if index.kind != "int" or index.none:
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    return Value(held.cls.value.kind, _item(held, size(held).code, body.code(index)))


def _item(held: Rec, given: str, index: str) -> str:
    own, bound = held.cls.table.array, held.cls.bound or 0
    place = f"position({index}, {given}, {_length(held, given)}, {bound})"
    words = ", ".join([place, *_words(held)])
    return f"at_slot({own(ENTRY)}, find({own('index')}, {own('keys')}, ({words})))"


def _words(held: Rec) -> list[str]:
    return [f"word{n}" for n in range(held.cls.table.words - 1)]


def append(body: Body, node: ast.expr, held: Rec, given: Value) -> None:
    both = common([held.cls.value, given])
    if both is None or both.none:
        raise body.refuse(node, f"appends {given.shown} to {ast.unparse(node)}")
    body.write(f"given = {body.code(given)}")
    count, bound = size(held).code, held.cls.bound
    place = count if bound is None else f"({count} % {bound})"
    for line in opening(held.cls.table, [place, *_words(held)]):
        body.write(line)
    body.write(f"{held.cls.table.array(ENTRY)}[here] = given")
    body.write(f"{count} += 1")


def change(body: Body, node: ast.Call, held: Rec) -> None:
    """`recent.append(x)` and `recent.clear()` of a sequence, `seen.add(x)` of a set."""
    owner, given = node.func.value, node.args
    match node.func.attr, len(given), is_sequence(held):
        case ("append", 1, True) if not node.keywords:
            append(body, owner, held, scalar(body, given[0]))
        case ("clear", 0, True) if not node.keywords:
            body.write(f"{size(held).code} = 0")
        case ("add", 1, False) if not node.keywords:
            put(body, owner, held, scalar(body, given[0]))
        case _:
            raise body.refuse(node, f"uses {ast.unparse(node)}")


def folded(body: Body, node: ast.Call, called: object, held: Rec) -> Value:
    """`sum(recent)`, `min(recent)` and `max(recent)`; of no items they are Python's to do."""
    kind, name = held.cls.value.kind, called.__name__
    step = ADDED.get(kind) if called is sum else (
        {min: "smaller({}, {})", max: "larger({}, {})"}[called] if kind in COMPARED else None)
    if step is None or len(node.args) != 1 or node.keywords:
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    name = held.cls.table.array(name)
    first = f"0.0 + {_item(held, 'given', '0')}" if (called, kind) == (sum, "float") else (
        _item(held, "given", "0"))
    lines = [f"answer = {first}", f"for at in range(1, {_length(held, 'given')}):",
             f"    answer = {step.format('answer', _item(held, 'given', 'at'))}", "return answer"]
    body.registry.helpers[name, held.cls.table.number] = Helper(
        name, ("given", *_words(held)), [(1, line) for line in lines], kind)
    given = ", ".join([CONTEXT, size(held).code, *_words(held)])
    return Value(kind, f"{name}({given})")
