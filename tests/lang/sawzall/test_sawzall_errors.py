"""A wrong program ends in one clear message, which underlines what is wrong."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.cli import commands
from anabranch.core.errors import AnabranchError, ProgramError
from anabranch.lang.sawzall import compiled
from lang.sawzall.szl import lines_in, ran

WRONG = r"""
x: strin = 5;
x := y;
x: int = "a" + 3;
x: int; x = 2.0;
x := {1, 2};
x := 1; x := 2;
emit nothing <- 1;
t: table sum of int; emit t <- "a";
t: table sum[string] of int; emit t <- 1;
t: table top(3) of int; emit t <- 1;
t: table sum of int; emit t <- 1 weight 2;
t: table total of int;
t: table unique of int;
t: table collection of int proc("sort");
f: function(n: int): int { return "a"; };
f: function(n: int): int { return n; }; x := f(1, 2);
x := 1; x(2);
x := len(3);
x := nosuchfunction(3);
x := inproto(3);
x := format("%d", "a");
x := format("%d %d", 1);
x := match("(", "a");
x := 5 x := 6;
if (1) emit stdout <- "a";
break;
continue;
result 3;
x := ?{ y := 3; };
n := 3; static k := n;
static k := 1 / 0;
static k: int;
static k := 1; k = 2;
type T = T;
type T = { a: int, a: int };
t: { a: int } = { 1 }; x := t.b;
t: { a: int } = { 1 }; t.a.b = 2;
x := 1; x.y = 2;
x := 1; x.y++;
m: map[int] of int = {:}; m.k = 1;
f: function() {}; f.x;
a: array of int = {1}; x := a["k"];
m: map[string] of int = {:}; m[1] = 2;
when (i: each int; 1 < 2) emit stdout <- "a";
proto "log.proto"
type P = proto { a: map[int] of int };
type P = { a: int @ 1, b: int @ 1 };
t: table sum of int file("x") format("%d");
t: table sum of x: int proc("sort") format("%d", x);
t: table collection of x: int format("%s", x);
t: table quantile of int;
switch (1) { case "a": x := 1; default: x := 2; }
switch (1) { case 1: x := 1; }
when (i: each int; j: some int; i < j) emit stdout <- "a";
when (i: any int; i < 3) emit stdout <- "a";
s := "abc"; s[0] = "x";
x := saw("a", 3);
for (i := 0; i; i++) emit stdout <- "a";
f := function(a: int, a: int): int { return a; };
x := convert(nosuchtype, 3);
x := addday(3, 1);
x := new(int, 3);
x := lookup({"a": 1}, 2, 3);
return 3;
x := {1, "a"}[0];
x := function(n: int): int { return n; } + 1;
include "no/such/file.szl"
x := "open
x := 'ab';
x := 08;
x := 99999999999999999999;
x := X"abc";
x := $;
emit stdout <-
x := 1 < "a";
x := {1: 2} < {1: 2};
x := int(3, "varint");
x := bytes(3);
input: int;
a: array of int = {1}; when (i: all int; a[i] > 0) emit stdout <- string(i);
a: array of int = {1}; when (i: each int; a[i] > 0) i = 3;
type R = { n: int, next: { r: R } };
type T = { type U = int, n: U }; t: T = { 1 }; x := t.U;
switch (1) { case 1: case 2: x := 1; default: ; }
x := 1; // not a comment
/* not one either */ x := 1;
t: table sum[int] of int; t[1] <- 2;
f := len;
t: table top(-1) of string weight int;
x := '';
emitt stdout <- "a";
""".strip().split("\n")


def message(text: str) -> str:
    with pytest.raises(ProgramError) as wrong:
        compiled(text, "wrong.szl")
    return str(wrong.value)


def test_messages(golden):
    golden("lang/sawzall_errors.txt", "\n\n".join(map(message, WRONG)) + "\n")


def run(*arguments: object):
    return CliRunner().invoke(commands, ["run", "--engine", "sequential", *map(str, arguments)])


def test_a_wrong_program_is_exit_2_and_a_failure_exit_1(tmp_path):
    program, data = tmp_path / "p.szl", lines_in(tmp_path, "1", "x")
    program.write_text("x: int = ;")
    assert run(program).exit_code == 2
    program.write_text("emit stdout <- string(1 + int(string(input)));")
    done = run(program, data)
    assert (done.exit_code, done.stdout) == (1, "2\n")
    assert re.search(r"p\.szl:1:1\n.*\n.*emit stdout.*\n.*\^+\n.*record 1 of .* \(line 2\): 'x'",
                     done.stderr)
    done = run(program, data, "--ignore-undefs")
    assert (done.exit_code, done.stdout) == (0, "2\n")
    assert "1 undefined value ignored\n" in done.stderr


def test_a_file_that_is_not_there(tmp_path):
    program = tmp_path / "p.szl"
    program.write_text('emit stdout <- "a";')
    done = run(program, tmp_path / "missing")
    assert done.exit_code == 2 and "there is no file" in done.stderr


@pytest.mark.parametrize("text, words", [
    ("x: int; emit stdout <- string(x);", "the variable 'x' is not defined"),
    ("f: function(): int { return 1 / 0; }; x := f() + 1; emit stdout <- string(f());",
     "the function 'f' returned an undefined value"),
    ('assert(false, "why");', "assertion failed: why"),
    ("f: function(): int { }; f();", "the function 'f' ended without a return"),
    ("f: function(n: int) { f(n); }; f(1);", "call each other too deeply"),
    ("x := ?{ if (false) result 1; };", "ended without a result"),
    ('t: table collection of b: bytes file("/no/such/x"); emit t <- B"a";', "'/no/such"),
])
def test_failures_while_running(text, words):
    with pytest.raises(AnabranchError) as failed:
        ran(text)
    assert words in str(failed.value) and "program.szl:1:" in str(failed.value)


WORDS = ["x", "y", "f", ":", ":=", "=", ";", "{", "}", "(", ")", "[", "]", ",", "1", "2.5", '"s"',
         "int", "string", "array of int", "map[int] of string", "function", "return", "if", "else",
         "while", "emit", "stdout", "<-", "+", "-", "==", "&&", "static", "type", "when", "each",
         "table sum of int", "switch", "case", "default", "def", "saw", "?", "$", "'a'", "B\"b\"",
         "true", "result", "include", "convert", "format", "1T", "0x5P", "\n", "#", "`", "len"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join))
def test_any_words_give_an_error_of_ours_or_a_result(text):
    try:
        ran(text)
    except AnabranchError as error:
        assert str(error)


OPERATORS = ["+", "-", "*", "/", "%", "==", "<", "&&", "||", "&", "<<", ">>", "^"]
FUNCTIONS = ["int", "string", "float", "time", "bytes", "len", "-", "!", "def", "sort", "f",
             "fingerprintof", "uint", "keys", "abs", "~"]
EXPRESSIONS = st.recursive(
    st.sampled_from(["1", "0", "2.5", '"a"', "true", "x", "a", "a[0]", "m", "{}", "{1}", "B\"b\"",
                     "1T", "3U", "9223372036854775807", '"1"', "f", "input"]),
    lambda e: st.one_of(
        st.tuples(e, st.sampled_from(OPERATORS), e).map(" ".join),
        st.tuples(st.sampled_from(FUNCTIONS), e).map(lambda p: f"{p[0]}({p[1]})"),
        st.tuples(e, e).map(lambda p: f"{p[0]}[{p[1]}]"),
        st.tuples(e, e).map(lambda p: f"({p[0]})[{p[1]}:$]"),
        st.tuples(e, e).map(lambda p: f"{{{p[0]}, {p[1]}}}")), max_leaves=8)


@settings(max_examples=60, deadline=None)
@given(EXPRESSIONS, EXPRESSIONS, st.booleans())
def test_any_expressions_give_an_error_of_ours_or_a_result(one, other, ignores):
    text = f"""x := 3; a: array of int = {{1, 2}}; m: map[string] of int = {{"a": 1}};
               f: function(n: int): int {{ return n / 2; }};
               y := {one}; emit stdout <- string({other}); if (def(y)) a[0] = x;"""
    try:
        ran(text, ignore_undefs=ignores)
    except AnabranchError as error:
        assert str(error)
