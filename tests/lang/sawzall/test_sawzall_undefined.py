"""Undefined values in functions, and how often an expression is computed."""

from __future__ import annotations

import pytest

from anabranch.core.errors import RunError
from lang.sawzall.szl import ran

INVERSE = """f: function(x: int): int {
  emit stdout <- "before";
  y: int = 0;
  y = 1 / x;
  emit stdout <- "after";
  return y;
};
"""
ENDED = """\
error: divide by zero error: 1 / 0
  --> program.szl:4:3
    |
  4 |   y = 1 / x;
    |   ^^^^^^^^^
  = came: the record 0 of no input"""
CALLERS = {
    "an initializer": "z: int = f(0);",
    "def": "if (def(f(0))) emit stdout <- \"defined\";",
    "def of a sum": "b: bool = def(1 + f(0));",
    "return": "g: function(): int { return f(0); }; z: int = g();",
    "a statement expression": "z: int = ?{ result f(0); };",
    "a function without a value": "g: function() { z: int = f(0); }; g();",
    "a quantifier": "a: array of int = {1}; when (i: each int; a[i] > f(0)) emit stdout <- \"x\";",
}


@pytest.mark.parametrize("caller", CALLERS)
def test_a_statement_of_a_function_that_needs_an_undefined_value_ends_the_run(caller, capsys):
    with pytest.raises(RunError) as caught:
        ran(f"{INVERSE}{CALLERS[caller]}\nemit stdout <- \"end\";")
    assert str(caught.value) == ENDED


PASSED = {
    "return": ("f: function(x: int): int { return 1 / x; }; z: int = f(0);"
               "emit stdout <- string(def(z)); emit stdout <- string(def(f(0)));",
               "false\nfalse\n"),
    "an initializer in a function": (
        "f: function(x: int): int { y: int = 1 / x; if (def(y)) return 1; return 2; };"
        "emit stdout <- string(f(0));", "2\n"),
    "a result": ("z: int = ?{ y: int = 0; result 1 / y; }; emit stdout <- string(def(z));",
                 "false\n"),
}


@pytest.mark.parametrize("case", PASSED)
def test_undefined_values_that_may_be_given(case):
    program, expected = PASSED[case]
    assert ran(program) == expected


def test_statements_of_a_function_are_passed_over_where_that_is_asked():
    program = f"{INVERSE}z: int = f(0);\nemit stdout <- \"end \" + string(def(z));"
    assert ran(program, ignore_undefs=True) == "before\nafter\nend false\n"


GIVES = 'f: function(): array of int { emit stdout <- "f"; return {1, 2, 3}; };'
PLACE = 'g: function(): int { emit stdout <- "g"; return 1; };'
ONCE = {
    "an item": (f"{GIVES} emit stdout <- string(f()[$ - 1]);", "f\n3\n"),
    "a slice": (f"{GIVES} emit stdout <- string(f()[1 : $ - 1]);", "f\n{ 2 }\n"),
    "two of them": (f"{GIVES} emit stdout <- string(f()[f()[$ - 3] + $ - 3]);", "f\nf\n2\n"),
    "inside of def": (f"{GIVES} emit stdout <- string(def(f()[$]));", "f\nfalse\n"),
    "a text": ('f: function(): string { emit stdout <- "f"; return "abc"; };'
               "emit stdout <- f()[$ - 2 : $];", "f\nbc\n"),
    "what is counted up": (f"{PLACE} a: array of int = {{1, 2}}; a[g()]++;"
                           "emit stdout <- string(a);", "g\n{ 1, 3 }\n"),
    "what is counted up in a map": (
        'g: function(): string { emit stdout <- "g"; return "k"; };'
        'm: map[string] of array of int = {"k": {1, 2}}; m[g()][1]--;'
        'emit stdout <- string(m["k"]);', "g\n{ 1, 1 }\n"),
}


@pytest.mark.parametrize("case", ONCE)
def test_functions_are_called_once(case):
    program, expected = ONCE[case]
    assert ran(program) == expected
