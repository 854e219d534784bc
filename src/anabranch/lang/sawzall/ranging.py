"""Loops that count up to a bound that stays as it is: they run over a range, and what they count
is an index of the array whose length is the bound."""

from __future__ import annotations

from anabranch.ir.types import BYTES, INT, STR
from anabranch.lang.common.syntax import Literal, Name, Node, Operation
from anabranch.lang.common.terms import Term
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.assigning import text_of
from anabranch.lang.sawzall.changing import counts_up, every_node
from anabranch.lang.sawzall.names import Local
from anabranch.lang.sawzall.types import ArrayOf, plain

PLAIN = (Literal, Name, Operation)
SMALL = 1 << 31
"""So much more than an index is never beyond 64 bits."""


class Ranging:
    """The part of the generator that writes such loops."""

    def write_range(self, node: syntax.Loop) -> bool:
        """Writes `for (i := 0; i < len(a); i++)`, if it is such a loop."""
        first = self._first(node)
        bound = node.condition.operands[1] if first is not None else None
        if bound is None or not self._stays(bound):
            return False
        ends = (text_of(first), text_of(self.checker.check_as(bound, INT)))
        text = self.names.python_name(node.first.name)
        within = self.indexed_by(getattr(bound, "arguments", ()))
        self.names.declare(node.first.name, Local(INT, text, self.around.depth, natural=True,
                                                  within=within))
        self.lines.add(f"for {text} in range({', '.join(ends)}):", node.condition.span)
        self.repeated(node.body, lambda: None)
        return True

    def _first(self, node: syntax.Loop) -> Term | None:
        """The first value of what is counted, where it is no negative number, and nothing can be
        undefined."""
        if self.ignores or self.undefines or not counts_up(node) or node.first.kind is not None \
                or not all(isinstance(each, PLAIN) for each in every_node(node.first.value)) \
                or not self._is_natural(node.first.value):
            return None
        return self.checker.value(node.first.value)

    def _stays(self, bound: Node) -> bool:
        """Whether a bound is the same for all turns: a number, or the length of what is never
        assigned to."""
        if isinstance(bound, Literal):
            return bound.type == INT
        return isinstance(bound, syntax.Invoke) and str(bound.function) == "len" and \
            "len" not in self.changing.declared and len(bound.arguments) == 1 and \
            bool(self.indexed_by(bound.arguments))

    def _is_natural(self, node: Node) -> bool:
        """Whether a number is surely not negative, and far from the largest."""
        if isinstance(node, Literal):
            return node.type == INT and node.value < SMALL
        if isinstance(node, Operation):
            return node.operator == "+" and all(map(self._is_natural, node.operands))
        local = self.names.get(str(node))
        return isinstance(local, Local) and local.natural

    def indexed_by(self, owners: tuple[Node, ...]) -> frozenset[str]:
        """The Python names of those among some values that are variables with a length that
        stays."""
        if self.ignores or self.undefines:
            return frozenset()
        names = [str(o) for o in owners if isinstance(o, Name)]
        found = [self.names.get(name) for name in names if name not in self.changing.assigned]
        return frozenset(local.text for local in found if isinstance(local, Local) and (
            isinstance(plain(local.type), ArrayOf) or plain(local.type) in (STR, BYTES)))
