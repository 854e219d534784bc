"""Which variables are changed part by part, so that their values must not be shared.

Values behave as if they were copied whenever they are assigned. A copy is made only where someone
could tell: when the variable, or the one it is kept in, has a part assigned to somewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

from anabranch.lang.common.syntax import Name, Node, Operation
from anabranch.lang.sawzall import syntax

PARTS = (syntax.Item, syntax.Field, syntax.Slice)
CHANGES = (syntax.Assign, syntax.Increment, syntax.Rest)
DECLARES = (syntax.Variable, syntax.TypeDeclaration, syntax.Part)
NEW = frozenset({"new", "keys", "saw", "sawn", "sawzall", "splitcsvline", "splitcsv", "matchstrs",
                 "matchposns", "sortx"})
"""Functions whose results are nowhere else."""


@dataclass(frozen=True)
class Changing:
    """The names of variables with parts that are assigned to, of those that get other values or
    another length, and of all that are declared, in whatever scope."""

    names: frozenset[str]
    assigned: frozenset[str]
    declared: frozenset[str]

    def must_copy(self, node: Node, changes: bool) -> bool:
        """Whether a value must be copied to be kept; `changes` when where it is kept may change."""
        name = root(node)
        if name is not None:
            return changes or name in self.names
        if isinstance(node, syntax.Composite):
            return any(self.must_copy(item, changes) for item in node.items)
        if isinstance(node, syntax.MapLiteral):
            return any(self.must_copy(value, changes) for _, value in node.pairs)
        if isinstance(node, syntax.Invoke) and str(node.function) in NEW - self.declared:
            return False
        return changes and isinstance(node, (syntax.Invoke, syntax.StatementExpression))


def root(node: Node) -> str | None:
    """The name of the variable whose value, or a part of it, an expression is."""
    while isinstance(node, PARTS):
        node = node.value
    return str(node) if isinstance(node, Name) else None


def changing(statements: tuple[Node, ...]) -> Changing:
    """What a program changes part by part."""
    found, assigned, declared = set(), set(), set()
    for node in every_node(statements):
        if isinstance(node, DECLARES):
            declared.add(str(node.name))
        target = getattr(node, "target", None)
        if isinstance(node, CHANGES):
            (found if isinstance(target, PARTS) else assigned).add(root(target))
            if any(isinstance(part, syntax.Slice) for part in every_node(target)):
                assigned.add(root(target))
    return Changing(frozenset(filter(None, found)), frozenset(filter(None, assigned)),
                    frozenset(declared))


def counts_up(loop: syntax.Loop) -> bool:
    """Whether a loop is `for (i := 0; i < n; i++)`, and nothing else changes `i`."""
    first, test, step = loop.first, loop.condition, loop.step
    if not (isinstance(first, syntax.Variable) and isinstance(test, Operation)
            and isinstance(step, syntax.Increment)):
        return False
    name, steps = str(first.name), (test.operator, step.operator) == ("<", "+")
    return steps and str(test.operands[0]) == str(step.target) == name and not any(
        isinstance(node, CHANGES) and root(node.target) == name for node in every_node(loop.body))


def calls_any(statements: tuple[Node, ...], names: tuple[str, ...]) -> bool:
    """Whether a program calls a function of one of these names."""
    return any(isinstance(node, syntax.Invoke) and isinstance(node.function, Name)
               and str(node.function) in names for node in every_node(statements))


def names_any(statements: tuple[Node, ...], names: tuple[str, ...]) -> bool:
    """Whether one of these names stands anywhere in a program."""
    return any(isinstance(node, Name) and str(node) in names for node in every_node(statements))


def every_node(value: object) -> Iterator[Node]:
    """The syntax in a value, and all that is in it."""
    if isinstance(value, tuple):
        for each in value:
            yield from every_node(each)
    elif isinstance(value, Node):
        yield value
        for each in fields(value):
            yield from every_node(getattr(value, each.name))
