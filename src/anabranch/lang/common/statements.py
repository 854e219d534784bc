"""Statements that languages with functions share: blocks, branches, loops, results."""

from __future__ import annotations

from dataclasses import dataclass

from anabranch.lang.common.syntax import Node


@dataclass(frozen=True)
class Block(Node):
    statements: tuple[Node, ...]


@dataclass(frozen=True)
class Evaluate(Node):
    """An expression for its effects."""

    expression: Node


@dataclass(frozen=True)
class If(Node):
    condition: Node
    then: Node
    otherwise: Node | None


@dataclass(frozen=True)
class While(Node):
    """With `at_least_once` it is `do`."""

    condition: Node
    body: Node
    at_least_once: bool = False


@dataclass(frozen=True)
class Return(Node):
    value: Node | None
