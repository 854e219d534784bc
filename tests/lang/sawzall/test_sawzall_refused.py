"""What has no meaning is refused at its line, or has no value; nothing else comes of it."""

from __future__ import annotations

import re

import pytest

from anabranch.core.errors import ProgramError
from lang.sawzall.szl import ran

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
    "an emission while static values are computed": (f"{EMITS} static x: int = f();",
                                                     "nothing is emitted while static values"),
    "one in a statement expression": ('static x: int = ?{ emit stdout <- "q"; result 4; };',
                                      "nothing is emitted while static values"),
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


@pytest.mark.parametrize("made", ["array of int, n, 0", "array of array of int, n, {1}",
                                  "string, n, 'a'", "bytes, n, 1"])
def test_fewer_items_than_none_are_undefined(made):
    kind = made.split(", n")[0]
    program = f"n: int = -1; x: {kind} = new({made}); emit stdout <- string(def(x));"
    assert ran(program) == "false\n"
    assert ran(program.replace("-1", "1")) == "true\n"
