"""Loops that count are ranges only where nobody can tell."""

from __future__ import annotations

import pytest

from anabranch.core.errors import AnabranchError
from anabranch.lang.sawzall.program import program_of
from lang.sawzall.szl import ran

ARRAY = "a: array of int = {5, 6, 7}; "
LOOPS = [
    ("for (i := 0; i < len(a); i++) { if (i == 1) continue; out(a[i]); }", "5 7"),
    ("for (i := 1; i < len(a); i++) { out(a[i]); if (i == 1) break; }", "6"),
    ("for (i := 0; i < len(a); i++) { out(a[i]); i++; }", "5 7"),
    ("for (i := 0; i < len(a); i++) { out(a[i]); if (len(a) < 5) a[$:$] = {9}; }", "5 6 7 9 9"),
    ("for (i := 0; i < len(a); i++) { out(a[i]); if (i == 0) a = {1, 2}; }", "5 2"),
    ("""cut := function() { a = {1}; };
        for (i := 0; i < len(a); i++) { out(a[i]); cut(); }""", "5"),
    ("""len := function(x: array of int): int { return 2; };
        for (i := 0; i < len(a); i++) out(a[i]);""", "5 6"),
    ("for (i := 0; i < len(a); i++) for (j := i + 1; j < len(a); j++) out(a[i] * a[j]);",
     "30 35 42"),
    ("for (i := -2; i < len(a); i++) out(i);", "-2 -1 0 1 2"),
    ("for (i := 0; i < 3; i++) { b: array of int = {i}; for (j := 0; j < len(b); j++) out(b[j]); }",
     "0 1 2"),
    ("b: array of int = {1}; for (i := 0; i < len(a); i++) if (def(b[i])) out(b[i]);", "1"),
    ("for (i := 0; i < len(a); i++) { f := function(): int { return a[i]; }; out(f()); }", "5 6 7"),
    ('s := "xyz"; for (i := 0; i < len(s); i++) out(s[i]);', "120 121 122"),
    ("when (i: each int; a[i] > 5) out(a[i] + i);", "7 9"),
    ("b: array of int = {1, 8}; when (i: each int; a[i] > b[i]) out(i);", "0"),
    ("when (i: some int; a[i] == 6) { a = {}; out(i); }", "1"),
]


@pytest.mark.parametrize(("text", "expected"), LOOPS)
def test_loops_do_what_they_say(text, expected):
    out = "out := function(n: int) { emit stdout <- string(n); }; "
    assert ran(ARRAY + out + text).split() == expected.split()


@pytest.mark.parametrize("text", [
    "b: array of int = {1}; for (i := 0; i < len(a); i++) emit stdout <- string(b[i]);",
    "x: array of int; for (i := 0; i < len(x); i++) emit stdout <- string(i);",
    "for (i := 0; i < len(a); i++) emit stdout <- string(a[i + 1]);"])
def test_what_is_not_there_is_undefined(text):
    with pytest.raises(AnabranchError, match=r"index out of bounds|'x' is not defined"):
        ran(ARRAY + text)


def test_such_loops_are_ranges():
    program = program_of(f"{ARRAY} for (i := 0; i < len(a); i++) emit stdout <- string(a[i]);",
                         "p.szl")
    assert "enumerate" in program.compiled.main.__code__.co_names
