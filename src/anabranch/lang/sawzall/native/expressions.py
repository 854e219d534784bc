"""Expressions of a simple program, with calls and patterns, as text to compile.

The pieces of a saw are places in the line, found one after another.

Regular expressions that are as simple as steps: a set of characters, and how many of them.

>>> steps_of("^[01]{2}:")
Steps(sets=(frozenset({48, 49}), frozenset({58})), counts=((2, 2), (1, 1)), fixed=True)
>>> steps_of("a*a"), steps_of("a|b"), steps_of("a?")
(None, None, None)

Expressions of a simple program, as text that can be compiled.

What must be checked is written before: where a check fails, the line is left to the usual function,
so it does no harm to check too much.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from anabranch.ir.types import BYTES, INT, STR
from anabranch.lang.common.syntax import Literal, Name, Node, Operation
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.library.regexes import translated
from anabranch.lang.sawzall.library.values import Undefined
from anabranch.lang.sawzall.native.sites import (
    GIVE_UP,
    LOWER,
    NUMBER,
    PIECES,
    TEXT,
    TRUTH,
)

STEP = re.compile(r"""(\\[dDwWsSnrtfv]|\\[^\w]|\[\^?\]?(?:\\.|[^\]\\])*\]|[^\\\[\](){}*+?|^$])
    ([*+?]|\{\d+(?:,\d*)?\})?(?![*+?{])""", re.VERBOSE | re.DOTALL)
REPEATS = {"": (1, 1), "*": (0, 1 << 62), "+": (1, 1 << 62), "?": (0, 1)}
ASCII = range(128)


@dataclass(frozen=True)
class Steps:
    """For each step the characters that it takes, and how many of them; `fixed` if the first must
    stand where the search begins."""

    sets: tuple[frozenset[int], ...]
    counts: tuple[tuple[int, int], ...]
    fixed: bool

    def of_lowercase(self) -> Steps:
        """The steps over a text that take what these take of it in lowercase letters."""
        return Steps(tuple(frozenset(c for c in ASCII if ord(chr(c).lower()) in each)
                           for each in self.sets), self.counts, self.fixed)

    @property
    def arguments(self) -> tuple[str, str]:
        """The tables that a compiled loop searches with, as Python text."""
        sets = bytes(code in each for each in self.sets for code in ASCII)
        return (f"np.frombuffer({sets!r}, np.bool_).reshape(-1, {len(ASCII)})",
                f"np.array({self.counts!r}, np.int64)")


@lru_cache(1024)
def steps_of(pattern: str) -> Steps | None:
    """The steps of a pattern, if it has no more than that, and matches no empty text."""
    try:
        text = translated(pattern)
    except Undefined:
        return None
    fixed, place, found = text.startswith("^"), 0, []
    text = text.removeprefix("^")
    while place < len(text) and (step := STEP.match(text, place)):
        found.append((_characters(step[1]), _count(step[2] or "")))
        place = step.end()
    if place < len(text) or not any(least for _, (least, _) in found) or not _keeps(found):
        return None
    return Steps(tuple(each for each, _ in found), tuple(count for _, count in found), fixed)


def _characters(text: str) -> frozenset[int]:
    one = re.compile(text, re.ASCII)
    return frozenset(code for code in ASCII if one.fullmatch(chr(code)))


def _count(repeat: str) -> tuple[int, int]:
    if repeat in REPEATS:
        return REPEATS[repeat]
    least, comma, most = repeat.strip("{}").partition(",")
    return int(least), int(most) if most else 1 << 62 if comma else int(least)


def _keeps(steps: list[tuple[frozenset[int], tuple[int, int]]]) -> bool:
    """Whether no step need give back what it took: those that may come next cannot take it."""
    for place, (characters, (least, most)) in enumerate(steps):
        for other, (needed, _) in steps[place + 1:] if least < most else ():
            if characters & other:
                return False
            if needed:
                break
    return True


class NotSimple(Exception):
    """The program is not one of those that can be compiled."""


@dataclass
class Saw:
    """The text that is sawn, the tables and the kind of search for each pattern, which of them are
    `kept`, and how many pieces are used of a saw that goes on for ever. Its pieces may be those of
    the text in `lower` case."""

    number: int
    start: str
    end: str
    searches: list[str]
    kept: list[int]
    endless: bool
    line: int
    depth: int
    lower: bool = False
    used: int = 0

    def piece(self, index: int) -> tuple[str, str]:
        """The variables of where a piece begins and ends."""
        place = index if self.endless else self.kept[index]
        self.used = max(self.used, place + 1)
        return f"from{self.number}_{place}", f"to{self.number}_{place}"

    def lines(self) -> list[str]:
        """What finds the pieces that are used."""
        found, place = [], self.start
        for number in range(self.used):
            search = self.searches[0 if self.endless else number]
            ends = f"from{self.number}_{number}, to{self.number}_{number}"
            found.append(f"{' ' * self.depth}{ends} = found(data, {place}, {self.end}, {search})")
            place = f"to{self.number}_{number}"
        return found


@dataclass(kw_only=True)
class Sawing:
    """`saws` has all of them, and `tables` the patterns as text."""

    saws: list[Saw] = field(default_factory=list)
    patterns: list[str] = field(default_factory=list)
    over: dict[str, tuple[int, str]] = field(default_factory=dict)
    """The indices that run over the pieces of a saw, and where a piece is."""

    def search(self, node: Node, lower: bool = False) -> str:
        """The pattern of a search, as the last arguments of a call."""
        steps = steps_of(node.value) if isinstance(node, Literal) and node.type == STR else None
        if steps is None:
            raise NotSimple("this regular expression")
        steps = steps.of_lowercase() if lower else steps
        self.patterns += steps.arguments
        last = len(self.patterns) - 1
        return f"r{last - 1}, r{last}, {steps.fixed}"

    def write_saw(self, call: syntax.Invoke) -> str:
        """Puts a saw here; gives its number."""
        text, *patterns = call.arguments
        kind, place = self.value(text)
        lower = kind == LOWER
        start, end = self.plain_place(TEXT if lower else kind, place)
        endless = str(call.function) == "sawzall"
        plain = [p.value if isinstance(p, syntax.Pattern) else p for p in patterns]
        modes = [p.modes if isinstance(p, syntax.Pattern) else () for p in patterns]
        if any(set(mode) - {"skip"} for mode in modes) or (endless and (modes != [()])):
            raise NotSimple(f"this '{call.function}'")
        kept = [number for number, mode in enumerate(modes) if not mode]
        searches = [self.search(each, lower) for each in plain]
        self.saws.append(Saw(len(self.saws), start, end, searches, kept, endless, len(self.lines),
                             self.depth, lower))
        return str(len(self.saws) - 1)

    def saw_of(self, node: Node) -> Saw | None:
        """The saw whose pieces a variable has."""
        kind, number = self.kinds.get(str(node), ("", "")) if isinstance(node, Name) else ("", "")
        return self.saws[int(number)] if kind == PIECES else None

    def piece(self, saw: Saw, index: Node) -> str:
        """The place of a piece, which must be there."""
        if isinstance(index, Name) and self.over.get(str(index), (-1, ""))[0] == saw.number:
            return self.over[str(index)][1]
        if not (isinstance(index, Literal) and index.type == INT) or index.value > 255 or (
                not saw.endless and index.value >= len(saw.kept)):
            raise NotSimple("this index")
        start, end = saw.piece(index.value)
        self.check(f"{start} >= 0")
        return f"({start}, {end})"

    def pieces(self, saw: Saw) -> str:
        """How many pieces there are."""
        if saw.endless:
            return f"pieces_in(data, {saw.start}, {saw.end}, {saw.searches[0]})"
        found = (saw.piece(index)[0] for index in range(len(saw.kept)))
        return f"({' + '.join(f'({start} >= 0)' for start in found) or '0'})"

    def finish(self) -> None:
        """Writes what finds the pieces, where the saws are."""
        for saw in reversed(self.saws):
            self.lines[saw.line:saw.line] = saw.lines()


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
        return self.plain_place(*self.value(node))

    def plain_place(self, kind: str, text: str) -> tuple[str, str]:
        if kind != TEXT:
            raise NotSimple(f"a {kind} for a {TEXT}")
        self.fresh += 1
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
        kind, text = self.value(value)
        start, end = self.plain_place(TEXT if kind == LOWER else kind, text)
        return NUMBER, f"({end} - {start})"

    def call_lowercase(self, value: Node) -> Value:
        start, end = self.plain_text(value)
        return LOWER, f"({start}, {end})"

    def call_int(self, value: Node, base: Node | None = None) -> Value:
        if base is not None and not (isinstance(base, Literal) and base.value in (0, 10)):
            raise NotSimple("this base")
        kind, text = self.value(value)
        if kind == NUMBER:
            return kind, text
        if kind not in (TEXT, LOWER):
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


ARITHMETIC = {"+": "({} + {})", "-": "({} - {})", "*": "({} * {})"}
DIVISIONS = {"/": "divided", "%": "modulo"}
COMPARISONS = {"=": "==", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
LOGIC = {"and": "({} and {})", "or": "({} or {})"}
TRUTHS = {"true": "True", "false": "False"}


def variables(kind: str, name: str) -> str:
    return f"(s_{name}, e_{name})" if kind in (TEXT, LOWER) else f"v_{name}"


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
            return LOWER if saw.lower else TEXT, self.piece(saw, node.index)
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
        if one != other or one in (TEXT, LOWER):
            raise NotSimple("a comparison of texts")
        return f"({left} {sign} {right})"
