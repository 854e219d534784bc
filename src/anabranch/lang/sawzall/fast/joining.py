"""What is emitted in a simple program: basic values, and texts that are put together of them."""

from __future__ import annotations

from anabranch.ir.types import INT, STR, Type
from anabranch.lang.common.syntax import Literal, Node, Operation
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.fast.calls import NotSimple
from anabranch.lang.sawzall.fast.sites import KINDS, NUMBER, TEXT, TRUTH, Joined, Part
from anabranch.lang.sawzall.running import formats
from anabranch.lang.sawzall.types import plain

Emitted = tuple[Part | Joined, list[str]]
"""A part of an emission, and the texts of what it is made of but for constants."""


class Joining:
    """The part of the lowering that knows `format`, `string(n)` and sums of texts."""

    def part(self, node: Node, kind: Type) -> Emitted:
        kind = plain(kind)
        if isinstance(node, Literal) and node.type == kind:
            return Part(kind, node.value), []
        joined = self._joined(node) if kind == STR else None
        if joined is not None:
            return joined
        text = self.wanted(node, KINDS[kind])
        return Part(kind), [f"(1 if {text} else 0)" if KINDS[kind] == TRUTH else text]

    def _joined(self, node: Node) -> Emitted | None:
        """A text that is put together, if it is one."""
        if isinstance(node, Operation) and node.operator == "+":
            return self._parts("%s%s", node.operands, "ss")
        name = str(node.function) if isinstance(node, syntax.Invoke) else None
        if name == "string" and len(node.arguments) == 1:
            kind, text = self.value(node.arguments[0])
            return (Joined("%d", (Part(INT),)), [text]) if kind == NUMBER else \
                (Part(STR), [text]) if kind == TEXT else None
        if name != "format" or name in self.kinds or not isinstance(node.arguments[0], Literal):
            return None
        return self._format(*node.arguments)

    def _format(self, pattern: Literal, *values: Node) -> Emitted:
        python = formats.as_python(pattern.value)
        if python is None:
            raise NotSimple("this format")
        return self._parts(python, values, [verb for _, verb in formats.verbs(pattern.value)])

    def _parts(self, pattern: str, values: tuple[Node, ...], verbs: object) -> Emitted:
        found = [self.part(value, STR if verb == "s" else INT)
                 for value, verb in zip(values, verbs)]
        return (Joined(pattern, tuple(part for part, _ in found)),
                [text for _, texts in found for text in texts])
