"""A language extends the shared grammar, checker and tables; here a tiny one of three lines."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lark import v_args

from anabranch.core.errors import ProgramError
from anabranch.core.source import Span
from anabranch.ir.types import FLOAT, INT, NONE, STR, OptionalOf
from anabranch.lang.common import check as checking
from anabranch.lang.common import parser as reading
from anabranch.lang.common.check import Scope
from anabranch.lang.common.codegen import function, generated
from anabranch.lang.common.syntax import Name, Node
from anabranch.lang.common.terms import (
    FUNCTIONS,
    OPERATORS,
    Builtin,
    Constant,
    Variable,
    is_partial,
    table,
)

GRAMMAR = """\
start: expr
%import expressions (expr, disjunction, conjunction, negation, comparison, sum, product, prefix, \
atom, call, arguments, name, literal, OR, AND, NOT, BANG, COMPARE, ADD, MULTIPLY, TRUE, FALSE, \
INTEGER, DECIMAL, STRING, NAME, COMMENT, SPACE)
%extend atom: "#" INTEGER -> cell
%ignore COMMENT
%ignore SPACE
"""
TYPES = (INT, FLOAT, STR, OptionalOf(INT))


@dataclass(frozen=True)
class Numbered(Node):
    """`#2`: a value by its number."""

    number: int


class Reader(reading.Reader):
    def start(self, children):
        return children[0]

    @v_args(meta=True)
    def cell(self, meta, children):
        return Numbered(self.span(meta), int(children[0]))


class Checker(checking.Checker):
    def check_numbered(self, node):
        return Variable(TYPES[node.number], node.span, node.number)


@pytest.fixture(scope="module")
def compute(tmp_path_factory):
    """Reads, checks, generates and calls an expression over the values of `#0`, `#1`, ..."""
    path = tmp_path_factory.mktemp("grammar") / "cells.lark"
    path.write_text(GRAMMAR)
    parser = reading.parser(path)
    more = table([Builtin("twice", (INT,), INT, "(2 * {})")])

    def run(text: str, *values: object) -> object:
        syntax = reading.read(text, "cells.txt", parser, Reader("cells.txt"), {})
        term = Checker(OPERATORS, FUNCTIONS | more, _no_names).check(syntax)
        body = generated(term, lambda slot: f"values[{slot}]")
        return function(f"lambda values: {body}", None).call(values)
    return run


def _no_names(name: Name):
    raise ProgramError(f"there is no '{name}'", name.span)


@pytest.mark.parametrize("text, value", [
    ("1 + 2 * 3 - 4", 3), ("-2 * -3", 6), ("(1 + 2) * 3", 9), ("7 / 2 * 2", 6), ("7 % 4", 3),
    ("1 < 2 and not 2 < 1 or false", True), ("!true || true && false", False),
    ("1.5 + 1", 2.5), ("'a' + 'b'", "ab"), ("'it''s'", "it's"), ("1e3", 1000.0),
    ("#0 + 1 // a comment", 6), ("twice(#0) /* and\nanother */", 10), ("#1 * #0", 12.5),
    ("#3 + 1", None), ("#3 > 1 and false", False), ("#3 > 1 or true", True), ("not (#3 = 1)", None),
])
def test_values(compute, text, value):
    assert compute(text, 5, 2.5, "x", None) == value


@settings(deadline=None)
@given(st.integers(-100, 100), st.integers(-100, 100).filter(bool))
def test_division_is_that_of_c(compute, a, b):
    quotient, rest = compute("#0 / twice(#0 * 0 + 1)", a), compute("#0 % 7", a)
    assert quotient == int(a / 2)
    assert (rest == 0 or (rest < 0) == (a < 0)) and abs(rest) < 7


@pytest.mark.parametrize("text, expected", [
    ("1 + 'a'", """\
error: '+' cannot be applied to (int, string)
  --> cells.txt:1:1
    |
  1 | 1 + 'a'
    | ^^^^^^^
  = expected: (int, int) or (float, float) or (string, string) or (time, float)"""),
    ("1 +", """\
error: the program ends too early
  --> cells.txt:1:4
    |
  1 | 1 +
    |    ^
  = expected: an expression"""),
    ("2 * twise(1)", """\
error: there is no function 'twise'
  --> cells.txt:1:5
    |
  1 | 2 * twise(1)
    |     ^^^^^
  = help: did you mean 'twice'?"""),
    ("1 ? 2", """\
error: this cannot stand here
  --> cells.txt:1:3
    |
  1 | 1 ? 2
    |   ^
  = came: '?'"""),
])
def test_messages(compute, text, expected):
    with pytest.raises(ProgramError) as caught:
        compute(text)
    assert str(caught.value) == expected


def test_scopes_ignore_case_and_keep_spelling():
    scope = Scope("stream", {"Quotes": 1})
    where = Span("s.txt", 1)
    assert scope.find(Name(where, ("QUOTES",))) == 1
    assert scope.spelling("quotes") == "Quotes"
    with pytest.raises(ProgramError, match="declared twice"):
        scope.declare(Name(where, ("quotes",)), 2)
    with pytest.raises(ProgramError, match="there is no stream 'Quoted'"):
        scope.find(Name(where, ("Quoted",)))


def test_partial_terms_are_known():
    one = Constant(INT, None, 1)
    division = checking.applied(OPERATORS["/"], (one, one), None, "/")
    total = checking.applied(OPERATORS["+"], (one, one), None, "+")
    assert is_partial(checking.applied(OPERATORS["+"], (one, division), None, "+"))
    assert not is_partial(total)


def test_null_goes_with_every_type():
    null = Constant(NONE, None, None)
    assert checking.applied(OPERATORS["="], (Constant(STR, None, "a"), null), None, "=").optional
