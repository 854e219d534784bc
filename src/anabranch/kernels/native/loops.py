"""The heads of loops as native code: over a range, or over the items of a display."""

from __future__ import annotations

import ast

from anabranch.kernels.native.body import Body
from anabranch.kernels.native.values import Value
from anabranch.kernels.native.walk import scalar, shape_of


def loop_over(body: Body, target: ast.Name, source: ast.expr) -> None:
    """Begins a loop and gives its variable a value; what follows, one level deeper, is its body."""
    if isinstance(source, (ast.Tuple, ast.List)) and source.elts:
        _over_items(body, target, source.elts)
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
