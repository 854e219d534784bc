"""From StreamIt text to its syntax."""

from __future__ import annotations

import ast
from functools import lru_cache, partial
from pathlib import Path

from lark import Lark, Token, v_args

from anabranch.errors import ProgramError
from anabranch.lang.common.reading import Reader, parser
from anabranch.lang.common.reading import read as read_text
from anabranch.lang.common.syntax import Call, Choice, Literal, Name, Operation
from anabranch.lang.streamit import syntax
from anabranch.lang.streamit.reading_streams import StreamReader
from anabranch.lang.streamit.types import BOOLEAN, CHAR, COMPLEX, FLOAT, INT, LARGE, STRING

WORDS = {
    "PRIMITIVE": "a type", "NUMBER": "a number", "HEX": "a number", "STAR": "'*'",
    "SLASH": "'/'", "ADDITIVE": "'+' or '-'", "ASSIGN": "'='", "STEP": "'++' or '--'",
    "FILTER": "'filter'", "COMPOSITE": "'pipeline', 'splitjoin' or 'feedbackloop'",
    "WORK": "'work'", "VOID": "'void'", "LT": "a comparison", "GT": "a comparison",
    "EQUAL": "'=='", "BITS": "a bit operation", "SHIFT": "a shift", "OR": "'||'", "AND": "'&&'",
    "__ANON_0": "'->'", "CHARACTER": "a character", "PUSH": "'push'", "POP": "'pop'",
    "PEEK": "'peek'", "ADD": "'add'", "INIT": "'init'",
}
TOKENS = {"||": "or", "&&": "and"}


def read(text: str, file: str) -> syntax.Program:
    """The program of a text; a `ProgramError` with an underline when it is not StreamIt."""
    return read_text(text, file, _parser(), ProgramReader(file), WORDS)


@lru_cache(maxsize=1)
def _parser() -> Lark:
    return parser(Path(__file__).with_name("streamit.lark"))


class ExpressionReader(Reader):
    """Makes the syntax of expressions."""

    @v_args(meta=True)
    def binary(self, meta, children):
        left, operator, right = children
        return Operation(self.span(meta), TOKENS.get(operator, str(operator)), (left, right))

    @v_args(meta=True)
    def unary(self, meta, children):
        operator, operand = children
        if operator == "-" and isinstance(operand, Literal) and operand.type == LARGE:
            # The lowest integer is written as the negative of what no int can hold.
            return whole(-operand.value, self.span(meta))
        return Operation(self.span(meta), str(operator), (operand,))

    @v_args(meta=True)
    def choice(self, meta, children):
        condition, then, otherwise = children
        return Choice(self.span(meta), ((condition, then),), otherwise)

    @v_args(meta=True)
    def cast(self, meta, children):
        return syntax.Cast(self.span(meta), self.primitive(children[0]), children[1])

    @v_args(meta=True)
    def step_before(self, meta, children):
        return self._step(meta, children[1], children[0], True)

    @v_args(meta=True)
    def step_after(self, meta, children):
        return self._step(meta, children[0], children[1], False)

    def _step(self, meta, target, token, before):
        return syntax.Step(self.span(meta), target, 1 if token == "++" else -1, before)

    @v_args(meta=True)
    def field(self, meta, children):
        return syntax.Member(self.span(meta), children[0], str(children[1]))

    @v_args(meta=True)
    def method(self, meta, children):
        base, name, arguments = children
        if not isinstance(base, syntax.Ref):
            raise ProgramError("a function of a value cannot be called", self.span(meta))
        return Call(self.span(meta), Name(self.span(meta), (base.name, str(name))), arguments)

    @v_args(meta=True)
    def index(self, meta, children):
        return syntax.Index(self.span(meta), *children)

    @v_args(meta=True)
    def ref(self, meta, children):
        return syntax.Ref(self.span(meta), str(children[0]))

    @v_args(meta=True)
    def pop(self, meta, children):
        return syntax.Pop(self.span(meta))

    @v_args(meta=True)
    def peek(self, meta, children):
        return syntax.Peek(self.span(meta), children[0])

    @v_args(meta=True)
    def call(self, meta, children):
        # `iter` alone is a name like any other.
        if children[0] == "iter" and not children[1]:
            return syntax.Iteration(self.span(meta))
        return super().call(meta, children)

    def arguments(self, children):
        return tuple(c for c in children if c is not None)

    @v_args(meta=True)
    def number(self, meta, children):
        return number(str(children[0]), self.span(meta))

    @v_args(meta=True)
    def hexadecimal(self, meta, children):
        value = int(children[0], 16)
        return Literal(self.span(meta), value, INT if value < 2**32 else LARGE)

    @v_args(meta=True)
    def character(self, meta, children):
        return Literal(self.span(meta), ord(unescaped(children[0])[:1] or "\0"), CHAR)

    @v_args(meta=True)
    def string(self, meta, children):
        return Literal(self.span(meta), unescaped(children[0]), STRING)

    @v_args(meta=True)
    def pi(self, meta, children):
        return Literal(self.span(meta), 3.141592653589793, FLOAT)

    @v_args(meta=True)
    def true(self, meta, children):
        return Literal(self.span(meta), True, BOOLEAN)

    @v_args(meta=True)
    def false(self, meta, children):
        return Literal(self.span(meta), False, BOOLEAN)

    @v_args(meta=True)
    def initials(self, meta, children):
        return syntax.Initials(self.span(meta), tuple(c for c in children if c is not None))

    @v_args(meta=True)
    def type(self, meta, children):
        name, *lengths = children
        return syntax.TypeText(self.span(meta), str(name), tuple(lengths))

    @v_args(meta=True)
    def void(self, meta, children):
        return syntax.TypeText(self.span(meta), "void")

    @v_args(meta=True)
    def portal(self, meta, children):
        return syntax.TypeText(self.span(meta), str(children[0]), portal=True)

    def primitive(self, token: Token, lengths: tuple = ()) -> syntax.TypeText:
        return syntax.TypeText(self.span(token), str(token), lengths)


class ProgramReader(StreamReader, ExpressionReader):
    """Makes the syntax of whole programs."""

    @v_args(meta=True)
    def struct(self, meta, children):
        return syntax.Struct(self.span(meta), str(children[0]), _of(children, syntax.Declare))

    @v_args(meta=True)
    def globals(self, meta, children):
        init = dict(c for c in children if isinstance(c, tuple)).get("init")
        return syntax.Globals(self.span(meta), _of(children, syntax.Declare), init)

    @v_args(meta=True)
    def helpers(self, meta, children):
        return syntax.Helpers(self.span(meta), str(children[0]), _of(children, syntax.Function))

    native = helpers

    @v_args(meta=True)
    def native_function(self, meta, children):
        result, name, parameters = children
        span = self.span(name)
        return syntax.Function(span, str(name), result, parameters, syntax.Rates(span),
                               syntax.Refused(self.span(meta), "native functions"))

    def start(self, children):
        of = partial(_of, children)
        return syntax.Program(of(syntax.Struct), of(syntax.Globals), of(syntax.Helpers),
                              of(syntax.Stream))


def _of(children: list, kind: type) -> tuple:
    return tuple(c for c in children if isinstance(c, kind))


def number(text: str, span) -> Literal:
    """The literal of a number: `3`, `0.5`, `1e3`, `2i`.

    >>> number("08", None).value, number("0.5f", None).value, number("2i", None).value
    (8, 0.5, 2j)
    """
    digits = text.rstrip("fi")
    if text.endswith("i"):
        return Literal(span, complex(0, float(digits)), COMPLEX)
    if text.endswith("f") or not digits.isdigit():
        return Literal(span, float(digits), FLOAT)
    return whole(int(digits), span)


def whole(value: int, span) -> Literal:
    """The literal of an integer; one that no int can hold stands for a float.

    >>> str(whole(2**31 - 1, None).type), whole(2**31, None).type == LARGE
    ('int', True)
    """
    return Literal(span, value, INT if -2**31 <= value < 2**31 else LARGE)


def unescaped(text: str) -> str:
    """The text inside of quotes, its escapes resolved as in C.

    >>> unescaped(r'"a\\tb"')
    'a\\tb'
    """
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text[1:-1]
