"""Functions and aggregates that a program defines: their bodies replace calls.

`create aggregate mean(x float, w float) as sum(x * w) / sum(w)` is checked once as it stands, and
at each call the arguments, whose types must be those that are declared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace

from anabranch.core.errors import ProgramError
from anabranch.ir.types import FLOAT, INT, Type, without_none
from anabranch.lang.common.check import shown
from anabranch.lang.common.syntax import Call, Name, Node
from anabranch.lang.common.terms import walk
from anabranch.lang.cql import syntax
from anabranch.lang.cql.algebra import Column
from anabranch.lang.cql.check import KEPT, Aggregated, Checker, Rows, takes


class Functions:
    """What has been defined so far, by its name."""

    def __init__(self):
        self.known: dict[str, tuple[syntax.FunctionDefinition, tuple[Column, ...]]] = {}

    def define(self, node: syntax.FunctionDefinition, parameters: tuple[Column, ...],
               result: Type | None) -> None:
        """Checks a definition, whose parameters are these, and adds it."""
        name = str(node.name).lower()
        if name in self.known or name in KEPT:
            raise ProgramError(f"there is a function '{node.name}' already", node.name.span)
        body = self.expanded(node.body)
        clause = None if node.kind == "aggregate" else "a function"
        term = Checker(Rows(((str(node.name), parameters),)), clause, True).check(body)
        if node.kind == "aggregate" and not any(isinstance(t, Aggregated) for t in walk(term)):
            raise ProgramError(f"'{node.name}' is no aggregate", node.body.span,
                               expected="one that is made of others: sum(x * w) / sum(w)",
                               help="or create function")
        if result is not None and not takes(result, term.type):
            raise ProgramError(f"'{node.name}' gives another type than it is declared to",
                               node.body.span, expected=shown(result), got=shown(term.type))
        if (result, without_none(term.type)) == (FLOAT, INT):
            body = syntax.Given(body.span, body, FLOAT, str(node.name))
        self.known[name] = replace(node, body=body), parameters

    def expanded(self, node):
        """A piece of syntax with the bodies of what is called."""
        if not self.known:
            return node
        if isinstance(node, tuple):
            return tuple(map(self.expanded, node))
        if not isinstance(node, Node) or not is_dataclass(node):
            return node
        node = _with(node, self.expanded)
        if isinstance(node, Call) and str(node.function).lower() in self.known:
            return self._body(node)
        return node

    def _body(self, node: Call) -> Node:
        definition, parameters = self.known[str(node.function).lower()]
        if len(node.arguments) != len(parameters):
            raise ProgramError(f"{definition.name} takes {len(parameters)} "
                               f"argument{'s' * (len(parameters) != 1)}", node.span,
                               got=str(len(node.arguments)))
        given = {p.name.lower(): syntax.Given(argument.span, argument, p.type, str(definition.name))
                 for p, argument in zip(parameters, node.arguments)}
        return _substituted(definition.body, given)


def _substituted(node, given: Mapping[str, Node]):
    if isinstance(node, tuple):
        return tuple(_substituted(each, given) for each in node)
    if isinstance(node, Name):
        return given.get(node.parts[-1].lower(), node)
    if isinstance(node, Call):
        return replace(node, arguments=_substituted(node.arguments, given))
    if isinstance(node, syntax.Aggregation):
        return replace(node, argument=_substituted(node.argument, given),
                       condition=_substituted(node.condition, given))
    if not isinstance(node, Node):
        return node
    return _with(node, lambda part: _substituted(part, given))


def _with(node: Node, change: Callable) -> Node:
    """The node with its parts changed."""
    parts = {f.name: getattr(node, f.name) for f in fields(node) if f.name not in ("span", "type")}
    changed = {name: change(part) for name, part in parts.items()}
    return replace(node, **changed) if changed != parts else node
