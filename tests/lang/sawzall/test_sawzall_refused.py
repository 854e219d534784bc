"""What has no meaning is refused at its line, or has no value; nothing else comes of it."""

from __future__ import annotations

import re

import pytest

from anabranch.core.errors import ProgramError
from lang.sawzall.szl import lines_in, ran

EMITS = 'static f: function(): int { emit stdout <- "x"; return 3; };'
REFUSED = {
    "a switch over a map": ('m: map[int] of int = {1: 2}; switch (m) { default: emit stdout <- "";'
                            " }", "a switch does not choose by this"),
    "a switch over a tuple": ("t: { int, int } = {1, 2}; switch (t) { case {1, 2}: t = {3, 4};"
                              ' default: emit stdout <- ""; }', "a switch does not choose by this"),
    "a character that is none": ("c: int = '\\U00110000';", "illegal unicode character U+110000"),
    "one in a text": ('s: string = "a\\U7fffffff";', "illegal unicode character U+7fffffff"),
    "a table that is too large": ("t: table unique(99999999999) of int;",
                                  "cannot be the size of a table"),
    "a static size below zero": ('static n: int = int("-3"); t: table set(n) of int;',
                                 "-3 cannot be the size of a table"),
    "a static value in a type without a name": ("x: { y: int, static z: int = 0 };",
                                                "only a type with a name has static values"),
    "a field and a member of one name": ("type T = { x: int, static x: int = 0 };",
                                         "the field 'x' is declared twice"),
    "two tables of one name": ("{ t: table sum of int; } { t: table sum of int; }",
                               "there is another table 't'"),
    "a table of a recursive type": ("type T = { array of T }; t: table collection of T;",
                                    "no type that stands in its own definition"),
    "a counter of strings": ("t: table mrcounter of string;", "is one of integers"),
    "a table with another size": ("t: table set(3) of int; function(u: table set(4) of int) {}(t);",
                                  "this is not such a table"),
    "a table of other messages": ("t: table set(3) of { x: int @ 1 };"
                                  "function(u: table set(3) of { x: int @ 2 }) {}(t);",
                                  "this is not such a table"),
    "the value of a procedure": ("f: function() {}; x := def(f());", "this has no value"),
    "a quantifier made undefined": ("a: array of int = {1}; when (i: some int; a[i] > 0) "
                                    "___undefine(i);", "this is not a variable"),
    "an escape without digits": ('x := "\\x";', "needs some hexadecimal digits"),
    "too few digits": ('x := "\\u123";', "needs 4 hexadecimal digits"),
    "half a character": ('x := "\\udb02";', "illegal unicode character U+db02"),
    "a character 0 in a string": ('x := "a\\0";', "a string has no character 0"),
    "a float that is too large": ("x := 1e400;", "this number is out of range"),
    "a float that is too small": ("x := 1e-400;", "this number is out of range"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_programs_without_meaning(case):
    program, problem = REFUSED[case]
    with pytest.raises(ProgramError, match=re.escape(problem)) as caught:
        ran(program, table_output=True)
    assert caught.value.where is not None


@pytest.mark.parametrize("kind", ["map[int] of int", "array of int", "{ a: int, array of int }"])
def test_quantiles_need_an_order(kind):
    with pytest.raises(ProgramError, match="this cannot have quantiles"):
        ran(f"t: table quantile(3) of {kind};", table_output=True)
    assert ran("t: table quantile(2) of { int, string }; emit t <- {1, \"a\"};",
               table_output=True) == "t[] = 1, a\nt[] = 1, a\n"


def test_an_emission_of_a_static_function_for_each_record():
    assert ran(f"{EMITS} emit stdout <- string(f());") == "x\n3\n"


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
def test_what_static_values_emit_comes_first_and_once(tmp_path, engine):
    lines = lines_in(tmp_path, *map(str, range(9)))
    program = f"""t: table sum of int; c: table collection of string;
        {EMITS} static g := function(): int {{ emit t <- 100; emit c <- "s"; return f(); }};
        static x: int = ?{{ static y: int = g(); result y; }};
        emit t <- x; if (match("0", string(input))) emit stdout <- "first";"""
    options = {"engine": engine, "workers": 2 if engine == "multicore" else None}
    assert ran(program, (lines,), table_output=True, **options) == \
        "x\nfirst\nt[] = 127\nc[] = s\n"


@pytest.mark.parametrize("made", ["array of int, n, 0", "array of array of int, n, {1}",
                                  "string, n, 'a'", "bytes, n, 1"])
def test_fewer_items_than_none_are_undefined(made):
    kind = made.split(", n")[0]
    program = f"n: int = -1; x: {kind} = new({made}); emit stdout <- string(def(x));"
    assert ran(program) == "false\n"
    assert ran(program.replace("-1", "1")) == "true\n"
