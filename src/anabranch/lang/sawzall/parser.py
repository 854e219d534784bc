"""From Sawzall text to its syntax; what is not supported is refused by name.

The statements of an included file stand in the place of `include "file"`.

What literals are worth: numbers with suffixes, characters, strings, bytes and times.

>>> number("0x1f"), number("033"), number("0b11")
(31, 27, 3)
>>> text(r'"a\\x41\\u65e5\\n"')
'aA日\\n'
"""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path

from lark import Lark, Token, v_args

from anabranch.core.errors import ProgramError
from anabranch.core.source import Span
from anabranch.ir.types import BYTES, FLOAT, INT, STR, Type
from anabranch.lang.common import parser as reading
from anabranch.lang.common.syntax import Literal, Name, Node, Operation
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.library.times import time_of
from anabranch.lang.sawzall.library.values import Undefined, rune
from anabranch.lang.sawzall.protocol import files
from anabranch.lang.sawzall.protocol.files import Declarations
from anabranch.lang.sawzall.syntax import walk
from anabranch.lang.sawzall.types import FINGERPRINT, TIME, UINT

MOST_TAGS = (1 << 29) - 1


class TypeReader(reading.Reader):
    """One method for each rule of types and of tables."""

    @v_args(meta=True)
    def array_type(self, meta, children):
        return syntax.ArrayKind(self.span(meta), children[2].kind)

    @v_args(meta=True)
    def map_type(self, meta, children):
        return syntax.MapKind(self.span(meta), children[1].kind, children[3].kind)

    @v_args(meta=True)
    def tuple_type(self, meta, children):
        members = [c for c in children if isinstance(c, Node)]
        parts = tuple(m for m in members if isinstance(m, syntax.Part))
        return syntax.TupleKind(self.span(meta), parts,
                                tuple(m for m in members if not isinstance(m, syntax.Part)),
                                message=children[0] is not None)

    @v_args(meta=True)
    def proto_type(self, meta, children):
        return syntax.ProtoKind(self.span(meta), children[1])

    @v_args(meta=True)
    def tagged_part(self, meta, children):
        part, default, tag, form = children
        value = integer(str(tag), self.span(tag))
        if not 0 < value <= MOST_TAGS:
            raise ProgramError("this cannot be the tag of a field", self.span(tag),
                               expected=f"1 to {MOST_TAGS}")
        return replace(part, span=self.span(meta), tag=value, default=default,
                       form=form and self.named(form))

    @v_args(meta=True)
    def type_member(self, meta, children):
        return syntax.TypeDeclaration(self.span(meta), children[1], children[2])

    @v_args(meta=True)
    def static_member(self, meta, children):
        _, name, kind, value = children
        return syntax.Variable(self.span(meta), self.named(name), kind, value, True)

    @v_args(meta=True)
    def static_inferred(self, meta, children):
        _, name, value = children
        return syntax.Variable(self.span(meta), self.named(name), None, value, True)

    @v_args(meta=True)
    def function_type(self, meta, children):
        _, *parameters, result = children
        given = tuple(p for p in parameters if p is not None)
        return syntax.FunctionKind(self.span(meta), given, result)

    @v_args(meta=True)
    def table(self, meta, children):
        _, kind, size, *rest = children
        place = next(i for i, c in enumerate(rest) if isinstance(c, Token))
        _, value, _, weight, *attributes = rest[place:]
        return syntax.TableKind(self.span(meta), self.named(kind), size, tuple(rest[:place]), value,
                                weight, tuple(attributes))

    @v_args(meta=True)
    def part(self, meta, children):
        name, kind = children
        return syntax.Part(self.span(meta), name and self.named(name), kind)

    def named_type(self, children):
        return children[0]

    def attribute(self, children):
        return str(children[0]), children[1]

    def index(self, children):
        return children[0]


KEYWORDS = ("array", "case", "default", "else", "function", "map", "of", "static", "table", "type",
            "while", "weight")
STATEMENT_WORDS = ("break", "continue", "do", "emit", "for", "if", "return", "switch", "when")
WORDS = {"EQUAL": "'='", "LEFT_ARROW": "'<-'", "INCREMENT": "'++' or '--'",
         **dict.fromkeys(map(str.upper, STATEMENT_WORDS), "a statement"),
         **{word.upper(): f"'{word}'" for word in KEYWORDS}}
STRICT = {"and": "strict and", "or": "strict or"}
"""The words evaluate both sides, unlike `&&` and `||`."""


def read(text: str, file: str, zone: str) -> tuple[Node, ...]:
    """The statements of a program."""
    return reading.read(text, file, _parser(), Reader(file, zone), WORDS)


@cache
def _parser() -> Lark:
    return reading.parser(Path(__file__).with_name("sawzall.lark"))


def _made(kind: type[Node], *order: int):
    """The method of a rule whose node has the rule's children as its fields, in this order."""
    @v_args(meta=True)
    def method(self, meta, children):
        return kind(self.span(meta), *(children[i] for i in order))
    return method


def _refused(what: str, help: str | None = None):
    @v_args(meta=True)
    def method(self, meta, children):
        raise ProgramError(f"{what} are not supported", self.span(meta), help=help)
    return method


class Reader(TypeReader):
    """One method for each rule that Sawzall adds to expressions."""

    def __init__(self, file: str, zone: str):
        super().__init__(file)
        self.zone = zone

    start = staticmethod(tuple)
    branch = _made(syntax.If, 1, 2, 4)
    do_loop = _made(syntax.DoLoop, 1, 3)
    for_loop = _made(syntax.Loop, 1, 2, 3, 4)
    leave = _made(syntax.Leave)
    proceed = _made(syntax.Proceed)
    give = _made(syntax.Return, 1)
    result = _made(syntax.Result, 1)
    emit = _made(syntax.Emit, 1, 3, 5)
    assign = _made(syntax.Assign, 0, 1)
    evaluate = _made(syntax.Evaluate, 0)
    item = _made(syntax.Item, 0, 1)
    slice = _made(syntax.Slice, 0, 1, 2)
    length = _made(syntax.Length)
    closure = _made(syntax.Closure, 0, 1)
    statement_expression = _made(syntax.StatementExpression, 0)
    rest = _made(syntax.Rest, 1)
    foreign_comment = _refused("such comments", "a comment begins with #")

    @v_args(meta=True)
    def lost_emit(self, meta, children):
        raise ProgramError("an emission begins with 'emit'", self.span(meta))

    @v_args(meta=True)
    def block(self, meta, children):
        return syntax.Block(self.span(meta), tuple(children))

    nothing = block

    @v_args(meta=True)
    def include(self, meta, children):
        return syntax.Include(self.span(meta), text(str(children[1]), self.span(meta)))

    @v_args(meta=True)
    def proto(self, meta, children):
        return syntax.Proto(self.span(meta), text(str(children[1]), self.span(meta)))

    @v_args(meta=True)
    def included_value(self, meta, children):
        return syntax.IncludedValue(self.span(meta), text(str(children[1]), self.span(meta)))

    @v_args(meta=True)
    def loop(self, meta, children):
        return syntax.Loop(self.span(meta), None, children[1], None, children[2])

    @v_args(meta=True)
    def binary(self, meta, children):
        left, operator, right = children
        name = STRICT.get(operator) or reading.canonical(operator)
        return Operation(self.span(meta), name, (left, right))

    @v_args(meta=True)
    def unary(self, meta, children):
        operator, operand = children
        if operator in ("|", "^"):
            raise ProgramError("this cannot stand here", self.span(operator), got=f"'{operator}'",
                               expected="an expression")
        return Operation(self.span(meta), reading.canonical(operator), (operand,))

    @v_args(meta=True)
    def variable(self, meta, children):
        name, kind, value = children
        return syntax.Variable(self.span(meta), self.named(name), kind, value)

    @v_args(meta=True)
    def inferred(self, meta, children):
        return syntax.Variable(self.span(meta), self.named(children[0]), None, children[1])

    def declaration(self, children):
        static, node = children
        return syntax.Variable(node.span, node.name, node.kind, node.value, static is not None)

    @v_args(meta=True)
    def function_declaration(self, meta, children):
        static, name, kind, body = children[:4]
        span = self.span(meta)
        return syntax.Variable(span, self.named(name), kind, syntax.Closure(span, kind, body),
                               static is not None)

    static_function = function_declaration

    @v_args(meta=True)
    def type_declaration(self, meta, children):
        return syntax.TypeDeclaration(self.span(meta), children[1], children[2])

    @v_args(meta=True)
    def dotted(self, meta, children):
        return Name(self.span(meta), tuple(map(str, children)))

    @v_args(meta=True)
    def switch(self, meta, children):
        return syntax.Switch(self.span(meta), children[1], tuple(children[2:]))

    @v_args(meta=True)
    def case(self, meta, children):
        span, colon = self.span(meta), _first_statement(children)
        values = tuple(c for c in children[:colon] if isinstance(c, Node))
        return values, syntax.Block(span, tuple(children[colon:]))

    @v_args(meta=True)
    def default(self, meta, children):
        return (), syntax.Block(self.span(meta), tuple(children[1:]))

    @v_args(meta=True)
    def when(self, meta, children):
        _, *quantifiers, condition, body = children
        every = tuple(q for group in quantifiers for q in group)
        return syntax.When(self.span(meta), every, condition, body)

    def quantifier(self, children):
        *names, mode, kind = children
        return [syntax.Quantifier(self.span(n), self.named(n), str(mode), kind) for n in names]

    @v_args(meta=True)
    def increment(self, meta, children):
        return syntax.Increment(self.span(meta), children[0], children[1][0])

    def reference(self, children):
        return self.named(children[0])

    @v_args(meta=True)
    def named_closure(self, meta, children):
        return syntax.Closure(self.span(meta), self.named(children[0]), children[1])

    @v_args(meta=True)
    def field(self, meta, children):
        return syntax.Field(self.span(meta), children[0], self.named(children[1]))

    @v_args(meta=True)
    def invoke(self, meta, children):
        function, *arguments = children
        given = tuple(a for a in arguments if a is not None)
        return syntax.Invoke(self.span(meta), function, given)

    @v_args(meta=True)
    def pattern(self, meta, children):
        *modes, value = [c for c in children if c is not None]
        return syntax.Pattern(self.span(meta), frozenset(map(str, modes)), value)

    @v_args(meta=True)
    def composite(self, meta, children):
        return syntax.Composite(self.span(meta), tuple(c for c in children if c is not None))

    @v_args(meta=True)
    def map_literal(self, meta, children):
        return syntax.MapLiteral(self.span(meta), tuple(c for c in children if c is not None))

    @v_args(meta=True)
    def empty_map(self, meta, children):
        return syntax.MapLiteral(self.span(meta), ())

    def pair(self, children):
        return tuple(children)

    @v_args(meta=True)
    def integer(self, meta, children):
        span = self.span(meta)
        return Literal(span, integer(str(children[0]), span), INT)

    @v_args(meta=True)
    def decimal(self, meta, children):
        span, value = self.span(meta), float(children[0])
        digits = str(children[0]).lower().partition("e")[0].strip("0.")
        if value == math.inf or (value == 0 and digits):
            raise ProgramError("this number is out of range", span, expected="64 bits")
        return Literal(span, value, FLOAT)

    @v_args(meta=True)
    def string(self, meta, children):
        found = text(str(children[0]), self.span(meta))
        if "\0" in found:
            raise ProgramError("a string has no character 0", self.span(meta),
                               help='bytes may have it: B"..."')
        return Literal(self.span(meta), found, STR)

    @v_args(meta=True)
    def character(self, meta, children):
        span = self.span(meta)
        return Literal(span, character(str(children[0]), span), INT)

    @v_args(meta=True)
    def suffixed(self, meta, children):
        span = self.span(meta)
        return Literal(span, *suffixed(str(children[0]), span))

    @v_args(meta=True)
    def prefixed(self, meta, children):
        span = self.span(meta)
        return Literal(span, *prefixed(str(children[0]), span, self.zone))


STATEMENTS = (syntax.Block, syntax.Variable, syntax.Emit, syntax.TypeDeclaration, syntax.If,
              syntax.Loop, syntax.DoLoop, syntax.Switch, syntax.When, syntax.Leave, syntax.Proceed,
              syntax.Return, syntax.Result, syntax.Assign, syntax.Increment, syntax.Evaluate)


def _first_statement(children: list) -> int:
    places = (i for i, c in enumerate(children) if isinstance(c, STATEMENTS))
    return next(places, len(children))


NAMED = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
ESCAPE = re.compile(r"\\([0-7]{1,3}|x[0-9a-fA-F]+|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
DIGITS = {"x": "some", "u": "4", "U": "8"}
SUFFIXES = {"p": FINGERPRINT, "t": TIME, "u": UINT}
UNSIGNED = 1 << 64


def number(digits: str) -> int:
    """An integer in the notation of C, with `0b` for binary digits."""
    prefix = digits[:2].lower()
    if prefix in ("0x", "0b"):
        return int(digits[2:], 16 if prefix == "0x" else 2)
    return int(digits, 8 if digits[0] == "0" and len(digits) > 1 else 10)


def integer(digits: str, span: Span, limit: int = UNSIGNED) -> int:
    try:
        value = number(digits)
    except ValueError:
        raise ProgramError("this is not a number", span,
                           help="a leading 0 makes a number octal") from None
    if value >= limit:
        raise ProgramError("this number is too large", span, expected="64 bits")
    return value


def suffixed(literal: str, span: Span) -> tuple[int, Type]:
    """A fingerprint, a time or an unsigned integer, such as `10T`."""
    return integer(literal[:-1], span), SUFFIXES[literal[-1].lower()]


def text(literal: str, span: Span | None = None) -> str:
    """The text between quotes; between back quotes, nothing is escaped."""
    inner = literal[1:-1]
    try:
        return inner if literal[0] == "`" else ESCAPE.sub(_unescaped, inner)
    except Undefined as error:
        raise ProgramError(error.what, span) from None


def _unescaped(found: re.Match) -> str:
    code = found[1]
    if code[0] in "01234567":
        return chr(int(code, 8))
    if code in DIGITS:
        raise Undefined(f"'\\{code}' needs {DIGITS[code]} hexadecimal digits")
    if code[0] not in "xuU":
        return NAMED.get(code, code)
    value = int(code[1:], 16)
    return rune(value) if value else "\0"


def character(literal: str, span: Span) -> int:
    value = text(literal, span)
    if len(value) != 1:
        raise ProgramError("this is not one character", span, help='a text stands in "quotes"')
    return ord(value)


def prefixed(literal: str, span: Span, zone: str) -> tuple[object, Type]:
    """Bytes as `B"text"` or `X"0a"`, or a time as `T"date"`."""
    kind, value = literal[0], text(literal[1:], span)
    try:
        if kind == "B":
            return value.encode("latin-1"), BYTES
        return (bytes.fromhex(value), BYTES) if kind == "X" else (time_of(value, zone), TIME)
    except (UnicodeEncodeError, ValueError):
        raise ProgramError("these are not bytes", span, expected={
            "B": "characters below 256", "X": "pairs of hexadecimal digits"}[kind]) from None
    except Undefined as error:
        raise ProgramError(error.what, span) from None


@dataclass
class Inclusion:
    """A program while its files are read, each of them once. What is not beside the file that
    includes it is looked for in the `folders`."""

    zone: str
    folders: tuple[str, ...] = ()
    seen: set[str] = field(default_factory=set)
    messages: Declarations = field(default_factory=Declarations)

    def statements_of(self, text: str, file: str) -> tuple[Node, ...]:
        """The statements of a file, with those of the files that it includes."""
        self.seen.add(os.path.realpath(file))
        return self._spliced(read(text, file, self.zone), Path(file).parent)

    def _spliced(self, nodes: tuple[Node, ...], folder: Path) -> tuple[Node, ...]:
        found: list[Node] = []
        for node in nodes:
            if isinstance(node, syntax.Include) and not isinstance(node, syntax.IncludedValue):
                found += self._included(node, folder)
            else:
                found.append(self._within(node, folder) if _includes(node) else node)
        return tuple(found)

    def _within(self, value: object, folder: Path) -> object:
        """The same inside of a statement; where there is room for one, many become a block."""
        if isinstance(value, tuple):
            return self._spliced(value, folder) if all(isinstance(v, Node) for v in value) else \
                tuple(self._within(v, folder) for v in value)
        if isinstance(value, syntax.IncludedValue):
            return self._value(value, folder)
        if isinstance(value, syntax.Include):
            return syntax.Block(value.span, self._included(value, folder))
        return value if not isinstance(value, Node) else replace(value, **{
            each.name: self._within(getattr(value, each.name), folder) for each in fields(value)})

    def _included(self, node: syntax.Include, folder: Path) -> tuple[Node, ...]:
        path = self._found(node.path, folder)
        if os.path.realpath(path) in self.seen:
            return ()
        text = self._text(path, node.span)
        if not isinstance(node, syntax.Proto):
            return self.statements_of(text, str(path))
        self.seen.add(os.path.realpath(path))
        return self._declared(text, path)

    def _declared(self, text: str, path: Path) -> tuple[Node, ...]:
        """The types of the messages of a file, behind those of the files that it imports."""
        file = files.read(text, str(path))
        imported = (each for name, span in file.imports
                    for each in self._included(syntax.Proto(span, name), path.parent))
        return (*imported, *self.messages.of(file))

    def _value(self, node: syntax.IncludedValue, folder: Path) -> Node:
        """The expression that a file has."""
        path = self._found(node.path, folder)
        statements = read(f"({self._text(path, node.span)}\n);", str(path), self.zone)
        if len(statements) != 1 or not isinstance(statements[0], syntax.Evaluate):
            raise ProgramError(f"'{path}' has no expression", node.span)
        return self._within(statements[0].expression, path.parent)

    @staticmethod
    def _text(path: Path, span: Span) -> str:
        try:
            return path.read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise ProgramError(f"'{path}' cannot be included: {error}", span,
                               help="--include-path names more folders to look in") from None

    def _found(self, path: str, folder: Path) -> Path:
        places = [Path(each) / path for each in (folder, *self.folders)]
        return next(filter(os.path.isfile, places), places[0])


def _includes(node: Node) -> bool:
    return any(isinstance(each, syntax.Include) for each in walk(node))
