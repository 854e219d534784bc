"""Statements as native code. What a function gives goes to `deliver`, by item.

Assignments are to names, to fields of the state, and into what a state holds.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from anabranch.analysis.scope import every_node
from anabranch.ir.records import State
from anabranch.kernels.native.state.dicts import held_of, put
from anabranch.kernels.native.state.sequences import change
from anabranch.kernels.native.translate.body import Body, Wider
from anabranch.kernels.native.translate.control import as_conditions, hold, loop_over
from anabranch.kernels.native.translate.formatting import is_late
from anabranch.kernels.native.translate.values import (
    Rec,
    Shape,
    Unsupported,
    Value,
    common,
    leaves,
    no_form,
)
from anabranch.kernels.native.translate.walk import scalar, shape_of, thing, truth


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


@dataclass(frozen=True)
class Giving:
    """What happens with what a function gives: `item` for each yield, `returned` at a return with
    a value, `leave` before the function ends."""

    item: Callable[[Body, Shape], None]
    returned: Callable[[Body, ast.expr], None] | None = None
    leave: Callable[[Body], None] = lambda body: None


def translate(body: Body, giving: Giving) -> None:
    """Writes the whole function."""
    _own_parameters(body)
    falls = _block(body, giving, body.syntax.body)
    if falls:
        _end(body, giving, body.syntax.node)


def _own_parameters(body: Body) -> None:
    """A parameter that is assigned becomes a variable first."""
    stored = {n.id for n in every_node(body.syntax.node)
              if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for name in stored & set(body.names):
        given = body.names.pop(name)
        if isinstance(given, Rec) and issubclass(given.cls, State):
            raise body.refuse(body.syntax.node, f"assigns its state '{name}'")
        body.bind(body.syntax.node, name, given)


def _end(body: Body, giving: Giving, node: ast.AST) -> None:
    if giving.returned is not None and not body.syntax.is_generator:
        raise body.refuse(node, "may end without a result")
    giving.leave(body)
    body.write("return")


def _block(body: Body, giving: Giving, statements: list[ast.stmt]) -> bool:
    """Writes statements; whether control can go on behind them."""
    for statement in statements:
        handler = HANDLERS.get(type(statement))
        if handler is None:
            raise body.refuse(statement, f"uses {_first_line(statement)}")
        if _written(body, giving, statement, handler) is False:
            return False
    return True


def _written(body: Body, giving: Giving, statement: ast.stmt, handler: Callable) -> bool | None:
    try:
        return handler(body, giving, statement)
    except (Unsupported, Wider):
        raise
    except Exception as error:
        raise body.refuse(statement, no_form(_first_line(statement), error)) from error


def _first_line(statement: ast.stmt) -> str:
    return ast.unparse(statement).split("\n")[0]


def _expression(body: Body, giving: Giving, node: ast.Expr) -> None:
    match node.value:
        case ast.Yield(value=ast.expr() as value):
            giving.item(body, shape_of(body, value))
        case ast.YieldFrom(value=value):
            items(body, giving, value)
        case ast.Constant():
            pass
        case ast.Call(func=ast.Attribute(value=owner)) if (held := held_of(body, owner)):
            change(body, node.value, held)
        case _:
            raise body.refuse(node, f"uses {_first_line(node)}")


def items(body: Body, giving: Giving, node: ast.expr) -> None:
    """Gives every item of a list display, a comprehension over a range, or one list or another."""
    match node:
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            for part in parts:
                giving.item(body, shape_of(body, part))
        case ast.IfExp(test=test, body=yes, orelse=no):
            _either(body, truth(body, test), lambda: items(body, giving, yes),
                    lambda: items(body, giving, no))
        case ast.ListComp(generators=[one]) | ast.GeneratorExp(generators=[one]):
            _comprehension(body, giving, node, one)
        case _:
            raise body.refuse(node, f"gives the items of {ast.unparse(node)}")


def _comprehension(body: Body, giving: Giving, node, one: ast.comprehension) -> None:
    if not isinstance(one.target, ast.Name) or one.target.id in body.names or one.is_async:
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    loop_over(body, one.target, one.iter)
    with body.indented():
        for condition in one.ifs:
            body.write(f"if not {truth(body, condition)}: continue")
        giving.item(body, shape_of(body, node.elt))
    del body.names[one.target.id]


def _either(body: Body, test: str, yes: Callable, no: Callable) -> tuple:
    """Writes both branches; a name has a value behind them if both gave it one."""
    before = set(body.assigned)
    body.write(f"if {test}:")
    goes_on, left = _branch(body, yes)
    body.assigned = set(before)
    body.write("else:")
    also, right = _branch(body, no)
    body.assigned = left & right if goes_on and also else left if goes_on else right
    return goes_on, also


def _branch(body: Body, write: Callable) -> tuple[bool, set[str]]:
    with body.indented():
        goes_on = write() is not False
        body.write("pass")
    return goes_on, set(body.assigned)


def _if(body: Body, giving: Giving, node: ast.If) -> bool:
    yes, no = _either(body, truth(body, node.test), lambda: _block(body, giving, node.body),
                      lambda: _block(body, giving, node.orelse))
    return yes or no


def _for(body: Body, giving: Giving, node: ast.For) -> None:
    if not isinstance(node.target, ast.Name) or node.orelse:
        raise body.refuse(node, f"uses {_first_line(node)}")
    before = set(body.assigned)
    loop_over(body, node.target, node.iter)
    with body.indented():
        _block(body, giving, node.body)
    body.assigned = before


def _while(body: Body, giving: Giving, node: ast.While) -> None:
    if node.orelse:
        raise body.refuse(node, "uses while with else")
    before = set(body.assigned)
    body.write(f"while {truth(body, node.test)}:")
    with body.indented():
        _block(body, giving, node.body)
        body.write("pass")
    body.assigned = before


def _assignment(body: Body, giving: Giving, node: ast.stmt) -> None:
    ASSIGNMENTS[type(node)](body, node)


def _return(body: Body, giving: Giving, node: ast.Return) -> bool:
    if node.value is not None and not body.syntax.is_generator:
        if giving.returned is None:
            raise body.refuse(node, "returns a value")
        giving.returned(body, node.value)
        giving.leave(body)
        body.write("return")
    else:
        _end(body, giving, node)
    return False


def _break(body: Body, giving: Giving, node: ast.Break) -> bool:
    body.write("break")
    return False


def _continue(body: Body, giving: Giving, node: ast.Continue) -> bool:
    body.write("continue")
    return False


def _raise(body: Body, giving: Giving, node: ast.Raise) -> bool:
    """Whatever is raised, the rows tier does the row again and raises it."""
    body.write("raise Bail")
    return False


def _assert(body: Body, giving: Giving, node: ast.Assert) -> None:
    body.write(f"if not {truth(body, node.test)}: raise Bail")


def _try(body: Body, giving: Giving, node: ast.Try) -> bool:
    """A row at which something is raised is done by the rows tier, so no handler is needed here."""
    leaving = (ast.Return, ast.Break, ast.Continue)
    if node.finalbody and any(isinstance(n, leaving) for s in node.body for n in ast.walk(s)):
        raise body.refuse(node, "leaves a try that has a finally")
    return _block(body, giving, [*node.body, *node.orelse, *node.finalbody])


def _match(body: Body, giving: Giving, node: ast.Match) -> bool:
    if not isinstance(node.subject, (ast.Name, ast.Attribute)):
        raise body.refuse(node, f"uses {_first_line(node)}")

    def is_of(subject: ast.expr, cls: ast.expr) -> bool:
        found = shape_of(body, subject)
        return isinstance(found, Rec) and thing(body, cls) is found.cls
    chain = as_conditions(node, is_of, lambda n: body.refuse(n, f"matches {ast.unparse(n)}"))
    return _block(body, giving, chain)


def _pass(body: Body, giving: Giving, node: ast.Pass) -> None:
    pass


HANDLERS: dict[type[ast.AST], Callable[[Body, Giving, ast.AST], bool | None]] = {
    ast.Expr: _expression, ast.If: _if, ast.For: _for, ast.While: _while, ast.Return: _return,
    ast.Break: _break, ast.Continue: _continue, ast.Pass: _pass, ast.Raise: _raise,
    ast.Assert: _assert, ast.Try: _try, ast.Match: _match,
    **dict.fromkeys(ASSIGNMENTS, _assignment),
}
