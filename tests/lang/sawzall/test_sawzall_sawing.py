"""Saws with patterns that are known before give what they give step by step."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.core.errors import ProgramError
from anabranch.lang.sawzall.library.regexes import SKIP, SUBMATCH, sawn, sawyer
from lang.sawzall.szl import ran

ATOMS = ("a", "b", ".", "[ab]", "[^a]", "a+", "b*", "a?", "(a)", "(a|b)+", "(?:ab)", "b{2}", "a$",
         "$", "(b)?", "[^,]+", r"\d", r"\w+", "(a*)(b)?", r"\.", " ", "^a", r"\b", "(?i)A", "a*?b",
         "(?=b)", "(?<=a)b", "a|bc", r"(a)\1")
PATTERN = st.lists(st.sampled_from(ATOMS), min_size=1, max_size=3).map("".join)
MODE = st.sampled_from((0, 0, SKIP, SUBMATCH, SKIP | SUBMATCH))


@given(st.sampled_from((1, -1)), st.lists(st.tuples(MODE, PATTERN), min_size=1, max_size=3),
       st.text("aab,. 1\ncé", max_size=14))
@settings(max_examples=400, deadline=None)
def test_saws_agree(times, patterns, text):
    expected = sawn(times, text, tuple(patterns))[0]
    assert sawyer(times, tuple(patterns))(text) == expected


@pytest.mark.parametrize(("program", "expected"), [
    ('emit stdout <- string(saw("k=12;", `[a-z]+`, skip `=`, regex(int)));', '{ "k", "12" }'),
    ('emit stdout <- string(saw("x", `[a-z]`, `[0-9]`, `y`));', '{ "x" }'),
    ('emit stdout <- format("%03d|%-3s|%s%%", 7, "a", "b");', "007|a  |b%"),
    ('x: int = 9223372036854775807; x++; emit stdout <- string(x);', "-9223372036854775808"),
    ('for (i := 9223372036854775805; i < 9223372036854775807; i++) emit stdout <- string(i);',
     "9223372036854775805\n9223372036854775806"),
    ('a := splitcsvline(bytes("1,2")); b := a; b[0] = bytes("9"); emit stdout <- string(a[0]);',
     "1"),
    ('keys: function(a: array of int): array of int { return a; }; x: array of int = {1};'
     ' y := keys(x); y[0] = 2; emit stdout <- string(x);', "{ 1 }"),
])
def test_what_is_computed_faster_stays_the_same(program, expected):
    assert ran(program) == f"{expected}\n"


@pytest.mark.parametrize(("pattern", "text", "found"), [
    ("(?J)(?<n>a)|(?<n>b)", "b", '{ "b", "", "b" }'), ("(?iJ)(?<n>A)", "a", '{ "a", "a" }'),
    ("(?P<n>a)(?P<m>b)(?P=n)", "xaba", '{ "aba", "a", "b" }')])
def test_groups_have_names(pattern, text, found):
    assert ran(f'emit stdout <- string(matchstrs(`{pattern}`, "{text}"));') == f"{found}\n"


def test_a_reference_to_several_groups_is_refused():
    with pytest.raises(ProgramError, match="several groups are called 'n'"):
        ran(r'emit stdout <- string(match(`(?J)(?<n>a)(?<n>b)\k<n>`, "b"));')


@pytest.mark.parametrize(("text", "error"), [
    ("x := string(submatch(15));", "'submatch' stands only before a pattern of a saw"),
    ('x := len(skip "a");', "'skip' stands only before a pattern of a saw"),
    ('x := saw("a", array of int);', "this is a type, and has no value"),
    ('x := len(map[int] of int);', "this is a type, and has no value"),
    ('x := ""; y := format("%s", rest x);', "'rest' stands only in a saw")])
def test_what_is_no_value_is_refused(text, error):
    with pytest.raises(ProgramError, match=error):
        ran(text)
