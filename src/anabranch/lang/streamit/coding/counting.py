"""Loops that count: those of which the rounds are known before the first one begins."""

from __future__ import annotations

from anabranch.lang.common.syntax import Call, Operation
from anabranch.lang.streamit import syntax
from anabranch.lang.streamit.coding.builtins import NAMES


def counted(loop: syntax.For) -> str | None:
    """The variable of a loop that counts up by one to a limit, which nothing in it changes."""
    name = _counter(loop)
    if name is None or any(isinstance(n, (syntax.Jump, syntax.Return))
                           for n in syntax.walk(loop.body)):
        return None
    limit = loop.condition.operands[1]
    if any(isinstance(n, (syntax.Pop, syntax.Step, Call, syntax.Member, syntax.Peek))
           for n in syntax.walk(limit)):
        return None
    read = {n.name for n in syntax.walk(limit) if isinstance(n, syntax.Ref)}
    if read and calls(loop.body):
        return None
    return None if (read | {name}) & assigned(loop.body) or name in read else name


def _counter(loop: syntax.For) -> str | None:
    condition, step = loop.condition, loop.step
    if not (isinstance(condition, Operation) and condition.operator in ("<", "<=")
            and isinstance(condition.operands[0], syntax.Ref)):
        return None
    name = condition.operands[0].name
    if isinstance(step, syntax.Evaluate) and isinstance(step.expression, syntax.Step):
        return name if _is(step.expression.target, name) and step.expression.amount == 1 else None
    if isinstance(step, syntax.Assign) and step.operator == "+" and _is(step.target, name):
        return name if getattr(step.value, "value", None) == 1 else None
    return None


def _is(node: syntax.Node, name: str) -> bool:
    return isinstance(node, syntax.Ref) and node.name == name


def assigned(node: object) -> set[str]:
    """The names that are assigned, or declared anew, somewhere in a piece of syntax."""
    found: set[str] = set()
    for each in syntax.walk(node):
        if isinstance(each, (syntax.Assign, syntax.Step)):
            found.add(root(each.target))
        elif isinstance(each, syntax.Declarator):
            found.add(each.name)
    return found


def calls(node: object) -> set[str]:
    """The functions of the program that are called somewhere: they may change any field."""
    return {str(n.function) for n in syntax.walk(node) if isinstance(n, Call)} - NAMES


def root(target: syntax.Node) -> str:
    """The variable whose part a place is: `a` of `a[1].x`; "" for what is no place."""
    while isinstance(target, (syntax.Index, syntax.Member)):
        target = target.base
    return target.name if isinstance(target, syntax.Ref) else ""
