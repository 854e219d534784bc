"""The heads of loops as native code: over a range, the items of a display, a state's sequence."""

from __future__ import annotations

import ast

from anabranch.kernels.native.body import Body
from anabranch.kernels.native.dicts import held_of, size
from anabranch.kernels.native.sequences import is_sequence, item, length
from anabranch.kernels.native.values import Rec, Value
from anabranch.kernels.native.walk import scalar, shape_of


def loop_over(body: Body, target: ast.Name, source: ast.expr) -> None:
    """Begins a loop and gives its variable a value; what follows, one level deeper, is its body."""
    held = held_of(body, source)
    if isinstance(source, (ast.Tuple, ast.List)) and source.elts:
        _over_items(body, target, source.elts)
    elif is_sequence(held):
        _over_sequence(body, target, held)
    else:
        _over_range(body, target, source)


def _over_items(body: Body, target: ast.Name, parts: list[ast.expr]) -> None:
    """As in Python, all items are computed before the first turn."""
    held = hold(body, target, parts)
    turn = f"r{len(body.lines)}"
    body.write(f"for {turn} in range({len(held)}):")
    with body.indented():
        for number, name in enumerate(held):
            body.write(f"if {turn} == {number}:")
            with body.indented():
                body.bind(target, target.id, body.names[name])
                body.write("pass")


def _over_sequence(body: Body, target: ast.Name, held: Rec) -> None:
    """One that changes while it is gone over is Python's to do."""
    turn, given = f"r{len(body.lines)}", size(held).code
    body.write(f"given_{turn} = {given}")
    body.write(f"for {turn} in range({length(held).code}):")
    with body.indented():
        body.write(f"if {given} != given_{turn}: raise Bail")
        body.bind(target, target.id, item(body, target, held, Value("int", turn)))


def hold(body: Body, node: ast.AST, values: list[ast.expr]) -> list[str]:
    """Computes values and keeps them in variables that no name of the user's can be."""
    names = [f"{len(body.lines)}_{n}" for n in range(len(values))]
    for name, value in zip(names, values):
        body.bind(node, name, shape_of(body, value))
    return names


def _over_range(body: Body, target: ast.Name, source: ast.expr) -> None:
    is_range = (isinstance(source, ast.Call) and isinstance(source.func, ast.Name)
                and body.syntax.resolve(source.func.id) is range and not source.keywords)
    if not is_range:
        raise body.refuse(source, f"loops over {ast.unparse(source)}")
    bounds = [scalar(body, a) for a in source.args]
    if any(b.kind != "int" or b.none for b in bounds) or not 1 <= len(bounds) <= 3:
        raise body.refuse(source, f"loops over {ast.unparse(source)}")
    codes = [body.code(b) for b in bounds]
    if len(codes) == 3:
        codes[2] = f"stepping({codes[2]})"
    turn = f"r{len(body.lines)}"
    body.write(f"for {turn} in range({', '.join(codes)}):")
    with body.indented():
        body.bind(target, target.id, Value("int", turn))
