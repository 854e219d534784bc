"""From Sawzall text to its syntax. What this Sawzall does not have is refused here by name."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from lark import Lark, v_args

from anabranch.errors import ProgramError
from anabranch.ir.types import FLOAT, INT, STR
from anabranch.lang.common import reading
from anabranch.lang.common.syntax import Literal, Name, Node, Operation
from anabranch.lang.sawzall import literals, syntax
from anabranch.lang.sawzall.reading_types import PROTO_HELP, TypeReader

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
    branch = _made(syntax.Branch, 1, 2, 4)
    do_loop = _made(syntax.DoLoop, 1, 3)
    for_loop = _made(syntax.Loop, 1, 2, 3, 4)
    leave = _made(syntax.Leave)
    proceed = _made(syntax.Proceed)
    give = _made(syntax.Give, 1)
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
    proto = proto_type = tagged = _refused("protocol buffers", PROTO_HELP)
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
        return syntax.Include(self.span(meta), literals.text(str(children[1])))

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
        return Literal(span, literals.integer(str(children[0]), span), INT)

    @v_args(meta=True)
    def decimal(self, meta, children):
        return Literal(self.span(meta), float(children[0]), FLOAT)

    @v_args(meta=True)
    def string(self, meta, children):
        return Literal(self.span(meta), literals.text(str(children[0])), STR)

    @v_args(meta=True)
    def character(self, meta, children):
        span = self.span(meta)
        return Literal(span, literals.character(str(children[0]), span), INT)

    @v_args(meta=True)
    def suffixed(self, meta, children):
        span = self.span(meta)
        return Literal(span, *literals.suffixed(str(children[0]), span))

    @v_args(meta=True)
    def prefixed(self, meta, children):
        span = self.span(meta)
        return Literal(span, *literals.prefixed(str(children[0]), span, self.zone))


STATEMENTS = (syntax.Block, syntax.Variable, syntax.Emit, syntax.TypeDeclaration, syntax.Branch,
              syntax.Loop, syntax.DoLoop, syntax.Switch, syntax.When, syntax.Leave, syntax.Proceed,
              syntax.Give, syntax.Result, syntax.Assign, syntax.Increment, syntax.Evaluate)


def _first_statement(children: list) -> int:
    places = (i for i, c in enumerate(children) if isinstance(c, STATEMENTS))
    return next(places, len(children))
