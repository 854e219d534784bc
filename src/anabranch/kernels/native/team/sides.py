"""What a fork asks of its two sides: whether workers there take a tag's events.

The tree of a plan is known before it is used, so an answer is an entry of the array `takes`, which
has a row for each worker and a column for each tag that is asked for.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from anabranch.kernels.native.translate.body import Body
from anabranch.kernels.native.translate.values import Value
from anabranch.kernels.native.translate.walk import scalar

TAKES = "takes"


@dataclass(frozen=True)
class ForkSide:
    """`place` is the code of the number of the worker on this side, `tags` are those that have been
    asked for so far."""

    place: str
    tags: list

    def asked(self, body: Body, node: ast.Call) -> Value:
        """The answer to a question with a tag that is a constant."""
        if node.keywords or len(node.args) != 1:
            raise body.refuse(node, f"uses {ast.unparse(node)}")
        tag = _constant(body, node.args[0])
        if tag not in self.tags:
            self.tags.append(tag)
        return Value("bool", f"{TAKES}[{self.place}, {self.tags.index(tag)}]")


def _constant(body: Body, node: ast.expr) -> object:
    if isinstance(node, ast.Tuple):
        return tuple(_constant(body, part) for part in node.elts)
    value = scalar(body, node)
    if not value.is_constant:
        raise body.refuse(node, f"asks for {ast.unparse(node)}, which is no constant")
    return value.constant
