"""From the syntax of a simple program to the source of a loop that can be compiled.

A value has one of three kinds: a whole number, a truth value, or a text, which is the place of its
bytes. Whatever else there is makes the program one for the usual function (`NotSimple`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce

from anabranch.ir.types import BYTES, INT, STR, Type
from anabranch.lang.common.syntax import Literal, Name, Node, Operation
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.fast.sites import NUMBER, TEXT, TOTAL, Site, columns, named
from anabranch.lang.sawzall.tables import Table
from anabranch.lang.sawzall.types import plain
from anabranch.plan import Reason

TRUTH = "truth"
ARITHMETIC = {"+": "({} + {})", "-": "({} - {})", "*": "({} * {})"}
DIVISIONS = {"/": "divided", "%": "modulo"}
COMPARISONS = {"=": "==", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
LOGIC = {"and": "({} and {})", "or": "({} or {})"}
KEYS = {INT: NUMBER, STR: TEXT}
GIVE_UP = "return table[:0]"


class NotSimple(Exception):
    """The program is not one of those that can be compiled."""


def lowered(statements: tuple[Node, ...], tables: tuple[Table, ...]) -> Lowering | Reason:
    """The body of the loop of a program, or why it has none."""
    lowering, at = Lowering({table.name: table for table in tables}), None
    try:
        for at in statements:
            if not isinstance(at, syntax.TypeDeclaration):
                lowering.write(at)
    except NotSimple as what:
        return Reason(f"{what} is not compiled", at.span)
    if lowering.fields is None or not lowering.sites or not lowering.used:
        return Reason("only lines of fields with commas between them are counted by compiled loops")
    return lowering


@dataclass
class Lowering:
    """Writes the body of the loop. `kinds` has the variables, `used` the fields that are read, and
    `numbers` those of them that are numbers."""

    tables: Mapping[str, Table]
    lines: list[str] = field(default_factory=list)
    kinds: dict[str, str] = field(default_factory=dict)
    sites: list[Site] = field(default_factory=list)
    texts: list[bytes] = field(default_factory=list)
    fields: str | None = None
    used: set[int] = field(default_factory=set)
    numbers: set[int] = field(default_factory=set)
    depth: int = 2
    fresh: int = 0

    def add(self, text: str) -> None:
        self.lines.append(" " * self.depth + text)

    def write(self, node: Node) -> None:
        name = type(node).__name__.lower()
        method = getattr(self, f"write_{name}", None)
        if method is None:
            raise NotSimple(name)
        method(node)

    def write_block(self, node: syntax.Block) -> None:
        if any(isinstance(s, syntax.Variable) for s in node.statements):
            raise NotSimple("a variable in a block")
        for statement in node.statements:
            self.write(statement)

    def write_variable(self, node: syntax.Variable) -> None:
        if str(node.name) in self.tables:
            return
        if node.static or node.value is None or str(node.name) in self.kinds or self.depth > 2:
            raise NotSimple("this declaration")
        if _splits(node):
            self.fields = str(node.name)
            return
        kind, text = self.value(node.value)
        if node.kind is not None and _declared(node.kind) != kind:
            raise NotSimple("a conversion")
        name = str(node.name)
        self.kinds[name] = kind
        self.add(f"{_variables(name, kind)} = {text}")

    def write_branch(self, node: syntax.Branch) -> None:
        self.add(f"if {self.wanted(node.condition, TRUTH)}:")
        self._inner(node.then)
        if node.otherwise is not None:
            self.add("else:")
            self._inner(node.otherwise)

    def _inner(self, node: Node) -> None:
        self.depth += 1
        self.write(node)
        self.add("pass")
        self.depth -= 1

    def write_emit(self, node: syntax.Emit) -> None:
        indices, target = [], node.target
        while isinstance(target, syntax.Item):
            indices.insert(0, target.index)
            target = target.value
        table = self.tables.get(str(target))
        if table is None or not _counts(table) or len(indices) != len(table.indices):
            raise NotSimple("this table")
        keys = tuple(KEYS[plain(t)] for t in table.indices)
        site = Site(table.number, keys)
        texts = [self.wanted(i, k) for i, k in zip(indices, keys)]
        self._emission(site, texts, self.wanted(node.value, NUMBER))
        self.sites.append(site)

    def _emission(self, site: Site, keys: list[str], value: str) -> None:
        """Finds the row of the key in the table of all totals, or the place for it."""
        number, parts = len(self.sites) + 1, list(columns(site))
        for (names, *_), text in zip(parts, keys):
            self.add(f"{names} = {text}")
        code = reduce(lambda code, part: part[1].format(code), parts, str(number))
        known = " and ".join([f"table[at, 0] == {number}", *(test for *_, test in parts)])
        self.add(f"code = {code}")
        self.add("at = code & (len(table) - 1)")
        self.add(f"while table[at, 0] != 0 and not ({known}): at = (at + 1) & (len(table) - 1)")
        self.add(f"table[at, {TOTAL}] += {value}")
        self.add("if table[at, 0] == 0:")
        for column, name in enumerate([str(number), "code", *named(site)]):
            self.add(f" table[at, {column + (column > 1)}] = {name}")
        self.add(" used += 1")
        self.add(" if 2 * used > len(table): table = grown(table)")

    def wanted(self, node: Node, kind: str) -> str:
        found, text = self.value(node)
        if found != kind:
            raise NotSimple(f"a {found} for a {kind}")
        return text

    def value(self, node: Node) -> tuple[str, str]:
        """The kind of an expression, and its text; what must be checked is written before."""
        method = getattr(self, f"value_{type(node).__name__.lower()}", None)
        if method is None:
            raise NotSimple(type(node).__name__)
        return method(node)

    def value_literal(self, node: Literal) -> tuple[str, str]:
        if node.type != INT or node.value > (1 << 62):
            raise NotSimple("this literal")
        return NUMBER, repr(node.value)

    def value_name(self, node: Name) -> tuple[str, str]:
        kind = self.kinds.get(str(node))
        if kind is None:
            raise NotSimple(str(node))
        return kind, _variables(str(node), kind)

    def value_item(self, node: syntax.Item) -> tuple[str, str]:
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

    def value_invoke(self, node: syntax.Invoke) -> tuple[str, str]:
        name = str(node.function)
        if name in ("string", "bytes") and len(node.arguments) == 1:
            return TEXT, self.wanted(node.arguments[0], TEXT)
        decimal = len(node.arguments) == 2 and node.arguments[1] == Literal(node.span, 10, INT)
        if name != "int" or not decimal:
            raise NotSimple(name)
        text, self.fresh = self.wanted(node.arguments[0], TEXT), self.fresh + 1
        number = self._field(node.arguments[0])
        if number is None:
            self.add(f"n{self.fresh}, right = parsed(data, *{text})")
        else:
            self.numbers.add(number)
            self.add(f"n{self.fresh}, right = v{number}, p{number}")
            self.add(f"if not right: n{self.fresh}, right = parsed(data, *{text})")
        self.add(f"if not right: {GIVE_UP}")
        return NUMBER, f"n{self.fresh}"

    def value_operation(self, node: Operation) -> tuple[str, str]:
        if len(node.operands) == 1:
            kind = {"-": NUMBER, "+": NUMBER, "not": TRUTH}.get(node.operator)
            return kind, f"({node.operator} {self.wanted(node.operands[0], kind)})"
        if node.operator in LOGIC:
            return TRUTH, LOGIC[node.operator].format(*self._without_checks(node))
        if node.operator in COMPARISONS:
            return TRUTH, self._comparison(node)
        left, right = (self.wanted(operand, NUMBER) for operand in node.operands)
        if node.operator in ARITHMETIC:
            return NUMBER, ARITHMETIC[node.operator].format(left, right)
        if node.operator not in DIVISIONS:
            raise NotSimple(node.operator)
        self.fresh += 1
        self.add(f"n{self.fresh} = {right}")
        self.add(f"if n{self.fresh} == 0: {GIVE_UP}")
        return NUMBER, f"{DIVISIONS[node.operator]}({left}, n{self.fresh})"

    def _without_checks(self, node: Operation) -> list[str]:
        """Both sides of `&&`: the right one must not fail, since it may not be looked at."""
        texts = []
        for operand in node.operands:
            before = len(self.lines)
            texts.append(self.wanted(operand, TRUTH))
            if texts[1:] and len(self.lines) > before:
                raise NotSimple("a check in a condition")
        return texts

    def _comparison(self, node: Operation) -> str:
        sign = COMPARISONS[node.operator]
        if isinstance(node.operands[1], Literal) and node.operands[1].type in (STR, BYTES):
            return self._same_text(node, sign)
        (one, left), (other, right) = map(self.value, node.operands)
        if one != other or one == TEXT:
            raise NotSimple("this comparison")
        return f"({left} {sign} {right})"

    def _same_text(self, node: Operation, sign: str) -> str:
        literal = node.operands[1].value
        data = literal.encode() if isinstance(literal, str) else literal
        if sign not in ("==", "!=") or not data.isascii():
            raise NotSimple("this comparison")
        self.texts.append(data)
        test = f"same_text(data, *{self.wanted(node.operands[0], TEXT)}, t{len(self.texts) - 1})"
        return test if sign == "==" else f"(not {test})"


def _splits(node: syntax.Variable) -> bool:
    """`fields: array of bytes = splitcsvline(input)`."""
    call = node.value
    kinds = node.kind is None or (isinstance(node.kind, syntax.ArrayKind)
                                  and str(node.kind.item) in ("bytes", "string"))
    return kinds and isinstance(call, syntax.Invoke) and str(call.function) == "splitcsvline" \
        and [str(a) for a in call.arguments] == ["input"]


def _declared(node: Node) -> str | None:
    return {"int": NUMBER, "bool": TRUTH, "string": TEXT, "bytes": TEXT}.get(str(node))


def _variables(name: str, kind: str) -> str:
    return f"(s_{name}, e_{name})" if kind == TEXT else f"v_{name}"


def _counts(table: Table) -> bool:
    known: list[Type] = [plain(t) for t in table.indices]
    return table.kind == "sum" and plain(table.value) == INT and all(t in KEYS for t in known)
