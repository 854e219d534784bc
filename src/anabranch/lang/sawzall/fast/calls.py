"""Calls of functions in a simple program, as text that can be compiled."""

from __future__ import annotations

import re

from anabranch.ir.types import INT
from anabranch.lang.common.syntax import Literal, Node
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.fast.sawing import NotSimple, Sawing
from anabranch.lang.sawzall.fast.sites import NUMBER, TEXT, TRUTH

GIVE_UP = "return table, used, begin, True"
PLAIN = re.compile(r"\^?[\w /:,;=@%&<>\"'#!~-]+", re.ASCII)
"""Patterns that match just what they say."""

Value = tuple[str, str]
"""The kind of an expression, and its text."""


class Calls(Sawing):
    """The functions that are known: `call_len` is `len`."""

    def field_number(self, node: Node) -> int | None:
        """The number of the field that an expression is, maybe as a string."""
        while isinstance(node, syntax.Invoke) and str(node.function) in ("string", "bytes") \
                and len(node.arguments) == 1:
            [node] = node.arguments
        known = isinstance(node, syntax.Item) and str(node.value) == self.fields and \
            isinstance(node.index, Literal) and node.index.type == INT and node.index.value <= 255
        return node.index.value if known else None

    def plain_text(self, node: Node) -> tuple[str, str]:
        """Where a text begins and ends whose bytes are its characters."""
        text, self.fresh = self.wanted(node, TEXT), self.fresh + 1
        self.add(f"x{self.fresh}, y{self.fresh} = {text}")
        self.check(f"is_ascii(data, x{self.fresh}, y{self.fresh})")
        return f"x{self.fresh}", f"y{self.fresh}"

    def call_string(self, value: Node, *more: Node) -> Value:
        if more:
            raise NotSimple("an encoding")
        return TEXT, self.wanted(value, TEXT)

    call_bytes = call_string

    def call_def(self, value: Node) -> Value:
        self.value(value)
        return TRUTH, "True"

    def call_len(self, value: Node) -> Value:
        saw = self.saw_of(value)
        if saw is not None:
            return NUMBER, self.pieces(saw)
        start, end = self.plain_text(value)
        return NUMBER, f"({end} - {start})"

    def call_int(self, value: Node, base: Node | None = None) -> Value:
        if base is not None and not (isinstance(base, Literal) and base.value in (0, 10)):
            raise NotSimple("this base")
        kind, text = self.value(value)
        if kind == NUMBER:
            return kind, text
        if kind != TEXT:
            raise NotSimple("this conversion")
        self.fresh, is_any = self.fresh + 1, base is None or base.value == 0
        read, number = f"parsed(data, *{text}, {is_any})", self.field_number(value)
        if number is None or is_any:
            self.add(f"n{self.fresh}, right = {read}")
        else:
            self.numbers.add(number)
            self.add(f"n{self.fresh}, right = v{number}, p{number}")
            self.add(f"if not right: n{self.fresh}, right = {read}")
        self.check("right")
        return NUMBER, f"n{self.fresh}"

    def call_strfind(self, part: Node, value: Node) -> Value:
        start, end = self.plain_text(value)
        return NUMBER, f"found_at(data, {start}, {end}, {self.literal(part)})"

    call_bytesfind = call_strfind

    def call_match(self, pattern: Node, value: Node) -> Value:
        if not isinstance(pattern, Literal) or not PLAIN.fullmatch(str(pattern.value)):
            start, end = self.plain_text(value)
            return TRUTH, f"(found(data, {start}, {end}, {self.search(pattern)})[0] >= 0)"
        text = self.wanted(value, TEXT)
        what = self._text(pattern.value.removeprefix("^").encode())
        found = f"found_at(data, *{text}, {what})"
        return TRUTH, f"({found} == 0)" if pattern.value.startswith("^") else f"({found} >= 0)"

    def literal(self, node: Node) -> str:
        if not isinstance(node, Literal):
            raise NotSimple("a text that is not written out")
        data = node.value.encode() if isinstance(node.value, str) else node.value
        if not data.isascii():
            raise NotSimple("a text that is not in ASCII")
        return self._text(data)

    def _text(self, data: bytes) -> str:
        self.texts.append(data)
        return f"t{len(self.texts) - 1}"
