"""From StreamIt text to its syntax: streams, statements, and expressions."""

from __future__ import annotations

import ast
from functools import lru_cache, partial
from pathlib import Path

from lark import Lark, Token, v_args

from anabranch.core.errors import ProgramError
from anabranch.lang.common.parser import Reader, parser
from anabranch.lang.common.parser import read as read_text
from anabranch.lang.common.syntax import Call, Choice, Literal, Name, Operation
from anabranch.lang.streamit import syntax
from anabranch.lang.streamit.types import BOOLEAN, CHAR, COMPLEX, FLOAT, INT, LARGE, STRING


class StatementReader(Reader):
    """Makes the syntax of statements."""

    @v_args(meta=True)
    def block(self, meta, children):
        return syntax.Block(self.span(meta), tuple(children))

    @v_args(meta=True)
    def empty(self, meta, children):
        return syntax.Block(self.span(meta), ())

    @v_args(meta=True)
    def if_(self, meta, children):
        return syntax.If(self.span(meta), *children)

    @v_args(meta=True)
    def while_(self, meta, children):
        return syntax.While(self.span(meta), *children)

    @v_args(meta=True)
    def do_while(self, meta, children):
        body, condition = children
        return syntax.While(self.span(meta), condition, body, at_least_once=True)

    @v_args(meta=True)
    def for_(self, meta, children):
        return syntax.For(self.span(meta), *children)

    @v_args(meta=True)
    def jump(self, meta, children):
        return syntax.Jump(self.span(meta), str(children[0]))

    @v_args(meta=True)
    def return_(self, meta, children):
        return syntax.Return(self.span(meta), children[1])

    @v_args(meta=True)
    def push(self, meta, children):
        return syntax.Push(self.span(meta), children[0])

    @v_args(meta=True)
    def enqueue(self, meta, children):
        return syntax.Enqueue(self.span(meta), children[0])

    @v_args(meta=True)
    def send(self, meta, children):
        """A message; without a lowest latency that is 0, and without a highest the lowest."""
        called, low, high = children
        low = low or Literal(called.span, 0, INT)
        return self._message(self.span(meta), called, (low, high or low))

    @v_args(meta=True)
    def send_at_best(self, meta, children):
        return self._message(self.span(meta), children[0], None)

    @staticmethod
    def _message(span, called, latency):
        if not (isinstance(called, Call) and len(called.function.parts) == 2):
            raise ProgramError("this is not a message", span, expected="portal.handler(...)")
        portal, handler = called.function.parts
        return syntax.Send(span, syntax.Ref(called.span, portal), handler, called.arguments,
                           latency)

    @v_args(meta=True)
    def evaluate(self, meta, children):
        return syntax.Evaluate(self.span(meta), children[0])

    @v_args(meta=True)
    def assign(self, meta, children):
        target, operator, value = children
        return syntax.Assign(self.span(meta), target, operator[:-1] or None, value)

    @v_args(meta=True)
    def declare(self, meta, children):
        return syntax.Declare(self.span(meta), children[0], tuple(children[1:]))

    @v_args(meta=True)
    def declarator(self, meta, children):
        return syntax.Declarator(self.span(meta), str(children[0]), children[1])

    @v_args(meta=True)
    def declare_primitive(self, meta, children):
        names = tuple(c for c in children if isinstance(c, syntax.Declarator))
        type = self.primitive(children[0], tuple(children[1:-len(names)]))
        return syntax.Declare(self.span(meta), type, names)

    @v_args(meta=True)
    def declare_struct(self, meta, children):
        """What looked like a value in front of a name is a type."""
        base, lengths = children[0], ()
        while isinstance(base, syntax.Index):
            base, lengths = base.base, (base.index, *lengths)
        if not isinstance(base, syntax.Ref):
            raise ProgramError("this is not a type", base.span)
        type = syntax.TypeText(base.span, base.name, lengths)
        return syntax.Declare(self.span(meta), type, tuple(children[1:]))


class StreamReader(StatementReader):
    """Makes the syntax of streams."""

    @v_args(meta=True)
    def filter(self, meta, children):
        input, output, stateful, _keyword, name, parameters, *members = children
        return self._filter(self.span(name), str(name), input, output, parameters, stateful,
                            members)

    @v_args(meta=True)
    def composite(self, meta, children):
        input, output, kind, name, parameters, body = children
        return syntax.Composite(self.span(name), str(name), input, output, parameters or (),
                                str(kind), body)

    @v_args(meta=True)
    def anonymous_filter(self, meta, children):
        input, output, stateful, keyword, *members, to = children
        return self._filter(self.span(keyword), "", input, output, (), stateful, members), to

    @v_args(meta=True)
    def anonymous_composite(self, meta, children):
        input, output, kind, body, to = children
        return syntax.Composite(self.span(kind), "", input, output, (), str(kind), body), to

    def _filter(self, span, name, input, output, parameters, stateful, members):
        of = {kind: tuple(m for m in members if isinstance(m, kind))
              for kind in (syntax.Declare, syntax.Function)}
        pairs = [m for m in members if isinstance(m, tuple)]
        parts, handlers = dict(pairs), tuple(m for word, m in pairs if word == "handler")
        return syntax.Filter(span, name, input, output, parameters or (), stateful is not None,
                             of[syntax.Declare], of[syntax.Function], handlers,
                             parts.get("init"), parts.get("work"), parts.get("prework"))

    def init(self, children):
        return "init", children[0]

    @v_args(meta=True)
    def work(self, meta, children):
        word, rates, body = children
        return str(word), syntax.Work(self.span(word), rates, body)

    @v_args(meta=True)
    def rates(self, meta, children):
        given = dict(children)
        span = self.span(meta) if children else None
        return syntax.Rates(span, given.get("peek"), given.get("pop"), given.get("push"))

    def pushes(self, children):
        return "push", children[0]

    def pops(self, children):
        return "pop", children[0]

    def peeks(self, children):
        return "peek", children[0]

    @v_args(meta=True)
    def any_rate(self, meta, children):
        return syntax.Range(self.span(meta), None, None)

    @v_args(meta=True)
    def range(self, meta, children):
        """The fewest items and the most; what is said to be usual in between changes nothing."""
        low, *_usual, high = [c for c in children if c is not None]
        return syntax.Range(self.span(meta), *(None if isinstance(bound, syntax.Range) else bound
                                               for bound in (low, high)))

    unbounded = any_rate

    @v_args(meta=True)
    def function(self, meta, children):
        result, name, parameters, rates, body = children
        return syntax.Function(self.span(name), str(name), result, parameters, rates, body)

    @v_args(meta=True)
    def phase(self, meta, children):
        """A function that uses the tapes, as older programs write it."""
        name, rates, body = children
        span = self.span(name)
        return syntax.Function(span, str(name), syntax.TypeText(span, "void"), (), rates, body)

    @v_args(meta=True)
    def handler(self, meta, children):
        name, parameters, body = children
        span = self.span(name)
        return "handler", syntax.Function(span, str(name), syntax.TypeText(span, "void"),
                                          parameters, syntax.Rates(span), body)

    def parameters(self, children):
        return tuple(c for c in children if c is not None)

    @v_args(meta=True)
    def parameter(self, meta, children):
        return syntax.Parameter(self.span(meta), children[0], str(children[1]))

    @v_args(meta=True)
    def created(self, meta, children):
        name, type, arguments, to = children
        return syntax.Created(self.span(name), str(name), type, arguments or ()), to

    def to(self, children: list[Token]):
        return tuple(syntax.Ref(self.span(name), str(name)) for name in children)

    def ending(self, children):
        return children[0]

    @v_args(meta=True)
    def add(self, meta, children):
        role, (stream, portals) = children
        return syntax.Add(self.span(meta), str(role), stream, portals or ())

    @v_args(meta=True)
    def distribute(self, meta, children):
        return syntax.Distribute(self.span(meta), str(children[0]), children[1])

    def roundrobin(self, children):
        return children[0] or ()

    def duplicate(self, children):
        return None


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
