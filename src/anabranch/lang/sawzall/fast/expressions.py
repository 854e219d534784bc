"""Expressions of a simple program, as text that can be compiled.

What must be checked is written before: where a check fails, the line is left to the usual function,
so it does no harm to check too much.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from anabranch.ir.types import BYTES, INT, STR
from anabranch.lang.common.syntax import Literal, Name, Node, Operation
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.fast.calls import GIVE_UP, Calls, NotSimple, Value
from anabranch.lang.sawzall.fast.sites import NUMBER, PIECES, TEXT, TRUTH

ARITHMETIC = {"+": "({} + {})", "-": "({} - {})", "*": "({} * {})"}
DIVISIONS = {"/": "divided", "%": "modulo"}
COMPARISONS = {"=": "==", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
LOGIC = {"and": "({} and {})", "or": "({} or {})"}
TRUTHS = {"true": "True", "false": "False"}


def variables(kind: str, name: str) -> str:
    return f"(s_{name}, e_{name})" if kind == TEXT else f"v_{name}"


@dataclass(kw_only=True)
class Expressions(Calls):
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
            if kind == PIECES:
                raise NotSimple("an array as a whole")
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
        saw = self.saw_of(node.value)
        if saw is not None:
            return TEXT, self.piece(saw, node.index)
        number = self.field_number(node)
        if number is None:
            raise NotSimple("this index")
        self.used.add(number)
        return TEXT, f"stripped(data, s{number}, e{number})"

    def value_slice(self, node: syntax.Slice) -> Value:
        start, end = self.plain_text(node.value)
        self.lengths.append(f"({end} - {start})")
        low, high = (f"min(max(0, {self.wanted(part, NUMBER)}), {end} - {start})"
                     for part in (node.start, node.end))
        self.lengths.pop()
        self.fresh += 1
        self.add(f"s{self.fresh}_ = {start} + {low}")
        self.add(f"e{self.fresh}_ = max(s{self.fresh}_, {start} + {high})")
        return TEXT, f"(s{self.fresh}_, e{self.fresh}_)"

    def value_invoke(self, node: syntax.Invoke) -> Value:
        name = str(node.function)
        method = getattr(self, f"call_{name}", None)
        if method is None or name in self.kinds:
            raise NotSimple(f"'{name}'")
        return method(*node.arguments)

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
            test = f"same_text(data, *{text}, {self.literal(node.operands[1])})"
            return test if sign == "==" else f"(not {test})"
        (one, left), (other, right) = map(self.value, node.operands)
        if one != other or one == TEXT:
            raise NotSimple("a comparison of texts")
        return f"({left} {sign} {right})"
