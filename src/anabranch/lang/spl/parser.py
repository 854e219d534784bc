"""From SPL text to its syntax, or to an error in plain words."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache
from pathlib import Path

from lark import Lark, Token, v_args

from anabranch.core.errors import ProgramError
from anabranch.core.source import Span
from anabranch.lang.common import parser as reading
from anabranch.lang.spl import syntax
from anabranch.lang.spl.coding.values import unescaped
from anabranch.lang.spl.syntax import Word

KEYWORDS = ("namespace", "use", "composite", "graph", "type", "param", "output", "window", "logic",
            "config", "stream", "optional", "list", "set", "map", "tuple", "enum", "mutable")
STATEMENTS = ("if", "for", "while", "switch", "break", "continue", "return")
WORDS = {"EQUAL": "'='", "DEFINED": "a name and '='", "PART": "a type",
         "ASSIGN": "an assignment", "STEP": "'++' or '--'", "PRIMITIVE": "a type",
         "EVENT": "state, onTuple or onPunct", "AT": "an annotation", "PATH": "a name",
         "LESS": "'<'", "MORE": "'>'", "AS": "'as'", "CASE": "'case'", "DEFAULT": "'default'",
         "HEAD": "'input' or 'output'",
         **dict.fromkeys(map(str.upper, STATEMENTS), "a statement"),
         **{word.upper(): f"'{word}'" for word in KEYWORDS}}


def read(text: str, file: str) -> syntax.Program:
    """The syntax of a program."""
    return reading.read(text, file, _parser(), Reader(file), WORDS)


@cache
def _parser() -> Lark:
    return reading.parser(Path(__file__).with_name("spl.lark"))


def _made(kind: type, *order: int):
    """The method of a rule whose node has the rule's children as its fields, in this order."""
    @v_args(meta=True)
    def method(self, meta, children):
        return kind(self.span(meta), *(children[i] for i in order))
    return method


def _listed(kind: type):
    @v_args(meta=True)
    def method(self, meta, children):
        return kind(self.span(meta), tuple(c for c in children if c is not None))
    return method


class ExpressionReader(reading.Reader):
    """One method for each rule of types and expressions."""

    choice = _made(syntax.Ternary, 0, 1, 2)
    index = _made(syntax.Index, 0, 1)
    slice = _made(syntax.Slice, 0, 1, 2)
    cast = _made(syntax.Cast, 0, 1)
    list_literal = _listed(syntax.ListLiteral)
    set_literal = empty_literal = _listed(syntax.SetLiteral)
    map_literal = _listed(syntax.MapLiteral)
    tuple_literal = _listed(syntax.TupleLiteral)
    null = _made(syntax.Null)
    unwrapped = _made(syntax.Unwrap, 0)
    complex_value = _made(syntax.ComplexValue, 0, 1, 2)
    optional_type = _made(syntax.OptionalType, 0)
    tuple_part = _made(syntax.TuplePart, 0, 1)

    def NAME(self, token: Token) -> Word:
        return Word(self.span(token), str(token))

    PART = DEFINED = NAME

    @v_args(meta=True)
    def name(self, meta, children):
        return syntax.Name(self.span(meta), children[0].text)

    @v_args(meta=True)
    def inside(self, meta, children):
        return syntax.Name(children[0].span, children[0].text)

    @v_args(meta=True)
    def named_cast(self, meta, children):
        kind = syntax.PlainType(children[0].span, children[0].text)
        return syntax.Cast(self.span(meta), kind, children[1])

    @v_args(meta=True)
    def binary(self, meta, children):
        left, operator, right = children
        return syntax.Binary(self.span(meta), str(operator), left, right)

    @v_args(meta=True)
    def unary(self, meta, children):
        return syntax.Unary(self.span(meta), str(children[0]), children[1])

    @v_args(meta=True)
    def changed(self, meta, children):
        return syntax.Changed(self.span(meta), children[1], children[0][0], False)

    @v_args(meta=True)
    def changed_after(self, meta, children):
        return syntax.Changed(self.span(meta), children[0], children[1][0], True)

    @v_args(meta=True)
    def attribute(self, meta, children):
        return syntax.Attribute(self.span(meta), *children)

    @v_args(meta=True)
    def call(self, meta, children):
        return syntax.Invoke(self.span(meta), children[0], children[1] or ())

    def arguments(self, children):
        return tuple(children)

    def pair(self, children):
        return tuple(children)

    field = _made(syntax.Field, 0, 1)

    @v_args(meta=True)
    def integer(self, meta, children):
        digits, suffix = re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)(\w*)", children[0]).groups()
        return syntax.Number(self.span(meta), int(digits, 16 if digits[1:2] in "xX" and digits[1:]
                                                  else 10), suffix)

    @v_args(meta=True)
    def decimal(self, meta, children):
        digits, suffix = re.fullmatch(r"([\d.]+(?:[eE][+-]?\d+)?)(\w*)", children[0]).groups()
        value = Decimal(digits) if suffix.startswith("d") else float(digits)
        return syntax.Number(self.span(meta), value, suffix)

    @v_args(meta=True)
    def string(self, meta, children):
        text = str(children[0])
        suffix = text[-1] if text[-1] in "ru" else ""
        return syntax.Text(self.span(meta), unescaped(text.removesuffix(suffix)[1:-1]), suffix)

    @v_args(meta=True)
    def true(self, meta, children):
        return syntax.Truth(self.span(meta), True)

    @v_args(meta=True)
    def false(self, meta, children):
        return syntax.Truth(self.span(meta), False)

    @v_args(meta=True)
    def primitive(self, meta, children):
        return syntax.PlainType(self.span(meta), str(children[0]), children[1])

    @v_args(meta=True)
    def named_type(self, meta, children):
        return syntax.PlainType(self.span(meta), children[0].text)

    def bound(self, children):
        return int(re.match(r"\d+", children[0])[0])

    @v_args(meta=True)
    def list_type(self, meta, children):
        return syntax.CollectionType(self.span(meta), "list", (children[0],), children[1])

    @v_args(meta=True)
    def set_type(self, meta, children):
        return syntax.CollectionType(self.span(meta), "set", (children[0],), children[1])

    @v_args(meta=True)
    def map_type(self, meta, children):
        return syntax.CollectionType(self.span(meta), "map", tuple(children[:2]), children[2])

    @v_args(meta=True)
    def tuple_type(self, meta, children):
        return syntax.TupleType(self.span(meta), children[0])

    enum_type = _listed(syntax.EnumType)

    def tuple_parts(self, children):
        return tuple(children)

    def type_value(self, children):
        return children[0]


class StatementReader(ExpressionReader):
    """One method for each rule of statements and functions."""

    block = _listed(syntax.Block)
    branch = _made(syntax.If, 0, 1, 2)
    repeat = _made(syntax.While, 0, 1)
    leave = _made(syntax.Break)
    proceed = _made(syntax.Continue)
    give = _made(syntax.Return, 0)

    @v_args(meta=True)
    def evaluate(self, meta, children):
        [action] = children
        return action if isinstance(action, syntax.Assign) else syntax.Evaluate(self.span(meta),
                                                                               action)

    @v_args(meta=True)
    def assign(self, meta, children):
        target, operator, value = children
        return syntax.Assign(self.span(meta), target, str(operator), value)

    @v_args(meta=True)
    def step(self, meta, children):
        place, operator = children
        one = syntax.Number(self.span(meta), 1, "")
        return syntax.Assign(self.span(meta), place, f"{operator[0]}=", one)

    @v_args(meta=True)
    def step_before(self, meta, children):
        operator, place = children
        one = syntax.Number(self.span(meta), 1, "")
        return syntax.Assign(self.span(meta), place, f"{operator[0]}=", one)

    @v_args(meta=True)
    def loop(self, meta, children):
        kind, name, *_, values, body = children
        return syntax.For(self.span(meta), kind, name, values, body)

    @v_args(meta=True)
    def switch(self, meta, children):
        return syntax.Switch(self.span(meta), children[0], tuple(children[1:]))

    @v_args(meta=True)
    def case(self, meta, children):
        return syntax.Case(self.span(meta), children[0], tuple(children[1:]))

    @v_args(meta=True)
    def default(self, meta, children):
        return syntax.Case(self.span(meta), None, tuple(children))

    @v_args(meta=True)
    def nothing(self, meta, children):
        return syntax.Block(self.span(meta), ())

    @v_args(meta=True)
    def variable(self, meta, children):
        mutable, kind, *items = children
        made = tuple(syntax.Variable(name.span, kind, name, value, mutable is not None)
                     for name, value in items)
        return made[0] if len(made) == 1 else syntax.Variables(self.span(meta), made)

    def variable_item(self, children):
        return tuple(children)

    @v_args(meta=True)
    def formal_value(self, meta, children):
        mutable, kind, name = children
        return syntax.Parameter(self.span(meta), kind, name, mutable is not None)

    @v_args(meta=True)
    def function(self, meta, children):
        rest = [c for c in children if not isinstance(c, syntax.Note)]
        letters, _, modifier, result, name, *parameters, body = rest
        given = tuple(p for p in parameters if p is not None)
        return syntax.Function(name.span, name, result, given, body, modifier == "stateful",
                               letters or ())

    def generics(self, children):
        return tuple(children)

    def generic(self, children):
        return tuple(children)

    def kind_name(self, children):
        return children[0].text if children else "any"


class Reader(StatementReader):
    """One method for each rule of declarations."""

    setting = _made(syntax.Setting, 0, 2)

    def values(self, children):
        return tuple(children)

    @v_args(meta=True)
    def start(self, meta, children):
        namespace, *rest = children
        uses = tuple(c for c in rest if isinstance(c, Word))
        found = [c for c in rest if not isinstance(c, (Word, tuple))]
        types = tuple(t for c in rest if isinstance(c, tuple) for t in c[1])
        where = self.span(meta) if rest else Span(self.file, 1, 0, 1, 1)
        return syntax.Program(where, namespace or "", uses,
                              tuple(c for c in found if isinstance(c, syntax.Composite)),
                              tuple(c for c in found if isinstance(c, syntax.Function)), types)

    def namespace(self, children):
        return str(children[0])

    def use(self, children):
        return Word(self.span(children[0]), str(children[0]))

    @v_args(meta=True)
    def composite(self, meta, children):
        notes = tuple(c for c in children if isinstance(c, syntax.Note))
        _, name, *rest = [c for c in children if not isinstance(c, syntax.Note)]
        parts: dict[str, list] = {}
        for kind, items in filter(None, rest):
            parts.setdefault(kind, []).extend(items)
        return syntax.Composite(name.span, name, *(tuple(parts.get(kind, ())) for kind in (
            "input", "output", "param", "type", "graph", "config")), notes)

    def head(self, children):
        return str(children[0]), [c for c in children[1:] if isinstance(c, Word)]

    def param_section(self, children):
        return "param", children

    def type_section(self, children):
        return "type", children

    def graph_section(self, children):
        return "graph", children

    def config_section(self, children):
        return "config", children

    @v_args(meta=True)
    def formal(self, meta, children):
        mode, kind, name, default = children
        return syntax.Formal(name.span, str(mode), kind, name, default)

    @v_args(meta=True)
    def type_definition(self, meta, children):
        name, parts = children[-2:]
        return syntax.TypeDefinition(self.span(meta), name, parts)

    @v_args(meta=True)
    def annotation(self, meta, children):
        name, *fields = children
        return syntax.Note(self.span(meta), name.text, tuple(f for f in fields if f is not None))

    def alias(self, children):
        return children[0]

    def outputs(self, children):
        return tuple(children), None

    def several_outputs(self, children):
        *ports, alias = children
        return tuple(p for p in ports if p is not None), alias

    @v_args(meta=True)
    def output_port(self, meta, children):
        kind = syntax.TupleType(self.span(meta), children[0])
        return syntax.OutputPort(children[1].span, kind, *children[1:])

    def ports(self, children):
        found = tuple(c for c in children if c is not None)
        return tuple(p for n, p in enumerate(found) if p.streams or n < len(found) - 1)

    @v_args(meta=True)
    def port(self, meta, children):
        *streams, alias = children
        given = tuple(s for s in streams if s is not None)
        where = given[0].span if given else Span(self.file, 1)
        return syntax.InputPort(where, given, alias)

    @v_args(meta=True)
    def handler(self, meta, children):
        event, port, body = children
        return syntax.Handler(self.span(event), str(event), port, body)

    def logic(self, children):
        return "handlers", children

    @v_args(meta=True)
    def window_part(self, meta, children):
        name, *values = children
        return syntax.WindowPart(self.span(meta), name.text,
                                 tuple(v for v in values if v is not None))

    @v_args(meta=True)
    def window_of(self, meta, children):
        return syntax.WindowClause(self.span(meta), children[0], tuple(children[1:]))

    def window(self, children):
        return "windows", children

    def param(self, children):
        return "parameters", children

    @v_args(meta=True)
    def output_of(self, meta, children):
        name, *fields = children
        return syntax.OutputClause(self.span(meta), name, tuple(f for f in fields if f))

    def output(self, children):
        return "assignments", children

    @v_args(meta=True)
    def invocation(self, meta, children):
        notes = tuple(c for c in children if isinstance(c, syntax.Note))
        (outputs, alias), operator, ports, *clauses = [c for c in children
                                                       if not isinstance(c, syntax.Note)]
        parts: dict[str, list] = {}
        for kind, items in clauses:
            parts.setdefault(kind, []).extend(items)
        _check_once(parts.get("parameters", ()), "parameter")
        return syntax.Invocation(operator.span, operator, ports or (), outputs, alias, notes,
                                 **{kind: tuple(items) for kind, items in parts.items()})


def _check_once(settings: list[syntax.Setting], what: str) -> None:
    seen: set[str] = set()
    for setting in settings:
        if setting.name.text in seen:
            raise ProgramError(f"the {what} {setting.name.text} is given twice", setting.name.span)
        seen.add(setting.name.text)
