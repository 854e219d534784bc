"""Expressions of a simple program, as text that can be compiled.

What must be checked is written before: where a check fails, the line is left to the usual function,
so it does no harm to check too much.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from anabranch.ir.types import BYTES, INT, STR
from anabranch.lang.common.syntax import Literal, Name, Node, Operation
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.fast.sites import NUMBER, TEXT, TRUTH

ARITHMETIC = {"+": "({} + {})", "-": "({} - {})", "*": "({} * {})"}
DIVISIONS = {"/": "divided", "%": "modulo"}
COMPARISONS = {"=": "==", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
LOGIC = {"and": "({} and {})", "or": "({} or {})"}
TRUTHS = {"true": "True", "false": "False"}
GIVE_UP = "return table, used, begin, True"
PLAIN = re.compile(r"\^?[\w /:,;=@%&<>\"'#!~-]+", re.ASCII)
"""Patterns that match just what they say."""

Value = tuple[str, str]
"""The kind of an expression, and its text."""


class NotSimple(Exception):
    """The program is not one of those that can be compiled."""


def variables(kind: str, name: str) -> str:
    return f"(s_{name}, e_{name})" if kind == TEXT else f"v_{name}"


@dataclass(kw_only=True)
class Expressions:
    """`kinds` has the variables, `used` the fields that are read, `numbers` those of them that are
    numbers, and `whole` says whether the line is read as a whole."""

    lines: list[str] = field(default_factory=list)
    kinds: dict[str, tuple[str, str]] = field(default_factory=dict)
    texts: list[bytes] = field(default_factory=list)
    lengths: list[str] = field(default_factory=list)
    fields: str | None = None
    used: set[int] = field(default_factory=set)
    numbers: set[int] = field(default_factory=set)
    whole: bool = False
    depth: int = 1
    fresh: int = 0

    def add(self, text: str) -> None:
        self.lines.append(" " * self.depth + text)

    def check(self, test: str) -> None:
        self.add(f"if not {test}: {GIVE_UP}")

    def wanted(self, node: Node, kind: str) -> str:
        found, text = self.value(node)
        if found != kind:
            raise NotSimple(f"a {found} for a {kind}")
        return text

    def value(self, node: Node) -> Value:
        """An expression; what must be checked is written before."""
        method = getattr(self, f"value_{type(node).__name__.lower()}", None)
        if method is None:
            raise NotSimple("this expression")
        return method(node)

    def value_literal(self, node: Literal) -> Value:
        if node.type != INT or node.value > (1 << 62):
            raise NotSimple("this literal")
        return NUMBER, repr(node.value)

    def value_name(self, node: Name) -> Value:
        name = str(node)
        if name in self.kinds:
            kind, text = self.kinds[name]
            return kind, variables(kind, text)
        if name in TRUTHS:
            return TRUTH, TRUTHS[name]
        if name != "input":
            raise NotSimple(f"'{name}'")
        self.whole = True
        return TEXT, "(begin, close)"

    def value_length(self, node: syntax.Length) -> Value:
        return NUMBER, self.lengths[-1]

    def value_item(self, node: syntax.Item) -> Value:
        """`fields[2]`; its place in the bytes is known when it was split."""
        number = self._field(node)
        if number is None:
            raise NotSimple("this index")
        self.used.add(number)
        return TEXT, f"stripped(data, s{number}, e{number})"

    def _field(self, node: Node) -> int | None:
        """The number of the field that an expression is, maybe as a string."""
        while isinstance(node, syntax.Invoke) and str(node.function) in ("string", "bytes") \
                and len(node.arguments) == 1:
            [node] = node.arguments
        known = isinstance(node, syntax.Item) and str(node.value) == self.fields and \
            isinstance(node.index, Literal) and node.index.type == INT and node.index.value <= 255
        return node.index.value if known else None

    def value_slice(self, node: syntax.Slice) -> Value:
        start, end = self._plain_text(node.value)
        self.lengths.append(f"({end} - {start})")
        low, high = (f"min(max(0, {self.wanted(part, NUMBER)}), {end} - {start})"
                     for part in (node.start, node.end))
        self.lengths.pop()
        self.fresh += 1
        self.add(f"s{self.fresh}_ = {start} + {low}")
        self.add(f"e{self.fresh}_ = max(s{self.fresh}_, {start} + {high})")
        return TEXT, f"(s{self.fresh}_, e{self.fresh}_)"

    def _plain_text(self, node: Node) -> tuple[str, str]:
        """Where a text begins and ends whose bytes are its characters."""
        text, self.fresh = self.wanted(node, TEXT), self.fresh + 1
        self.add(f"x{self.fresh}, y{self.fresh} = {text}")
        self.check(f"is_ascii(data, x{self.fresh}, y{self.fresh})")
        return f"x{self.fresh}", f"y{self.fresh}"

    def value_invoke(self, node: syntax.Invoke) -> Value:
        name = str(node.function)
        method = getattr(self, f"call_{name}", None)
        if method is None or name in self.kinds:
            raise NotSimple(f"'{name}'")
        return method(*node.arguments)

    def call_string(self, value: Node, *more: Node) -> Value:
        if more:
            raise NotSimple("an encoding")
        return TEXT, self.wanted(value, TEXT)

    call_bytes = call_string

    def call_def(self, value: Node) -> Value:
        self.value(value)
        return TRUTH, "True"

    def call_len(self, value: Node) -> Value:
        start, end = self._plain_text(value)
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
        read, number = f"parsed(data, *{text}, {is_any})", self._field(value)
        if number is None or is_any:
            self.add(f"n{self.fresh}, right = {read}")
        else:
            self.numbers.add(number)
            self.add(f"n{self.fresh}, right = v{number}, p{number}")
            self.add(f"if not right: n{self.fresh}, right = {read}")
        self.check("right")
        return NUMBER, f"n{self.fresh}"

    def call_strfind(self, part: Node, value: Node) -> Value:
        start, end = self._plain_text(value)
        return NUMBER, f"found_at(data, {start}, {end}, {self._literal(part)})"

    call_bytesfind = call_strfind

    def call_match(self, pattern: Node, value: Node) -> Value:
        if not isinstance(pattern, Literal) or not PLAIN.fullmatch(str(pattern.value)):
            raise NotSimple("this regular expression")
        text = self.wanted(value, TEXT)
        what = self._text(pattern.value.removeprefix("^").encode())
        found = f"found_at(data, *{text}, {what})"
        return TRUTH, f"({found} == 0)" if pattern.value.startswith("^") else f"({found} >= 0)"

    def value_operation(self, node: Operation) -> Value:
        if len(node.operands) == 1:
            kind = {"-": NUMBER, "+": NUMBER, "not": TRUTH}.get(node.operator)
            return kind, f"({node.operator} {self.wanted(node.operands[0], kind)})"
        if node.operator in LOGIC:
            return TRUTH, LOGIC[node.operator].format(*(
                self.wanted(operand, TRUTH) for operand in node.operands))
        if node.operator in COMPARISONS:
            return TRUTH, self._comparison(node)
        left, right = (self.wanted(operand, NUMBER) for operand in node.operands)
        if node.operator in ARITHMETIC:
            return NUMBER, ARITHMETIC[node.operator].format(left, right)
        if node.operator not in DIVISIONS:
            raise NotSimple(f"'{node.operator}'")
        self.fresh += 1
        self.add(f"n{self.fresh} = {right}")
        self.check(f"n{self.fresh} != 0")
        return NUMBER, f"{DIVISIONS[node.operator]}({left}, n{self.fresh})"

    def _comparison(self, node: Operation) -> str:
        sign = COMPARISONS[node.operator]
        if isinstance(node.operands[1], Literal) and node.operands[1].type in (STR, BYTES):
            if sign not in ("==", "!="):
                raise NotSimple("this comparison")
            text = self.wanted(node.operands[0], TEXT)
            test = f"same_text(data, *{text}, {self._literal(node.operands[1])})"
            return test if sign == "==" else f"(not {test})"
        (one, left), (other, right) = map(self.value, node.operands)
        if one != other or one == TEXT:
            raise NotSimple("a comparison of texts")
        return f"({left} {sign} {right})"

    def _literal(self, node: Node) -> str:
        if not isinstance(node, Literal):
            raise NotSimple("a text that is not written out")
        data = node.value.encode() if isinstance(node.value, str) else node.value
        if not data.isascii():
            raise NotSimple("a text that is not in ASCII")
        return self._text(data)

    def _text(self, data: bytes) -> str:
        self.texts.append(data)
        return f"t{len(self.texts) - 1}"
