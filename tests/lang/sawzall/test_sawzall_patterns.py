"""Simple patterns, searched for step by step, are found where regular expressions find them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.lang.sawzall.library.regexes import sawn
from anabranch.lang.sawzall.native.expressions import steps_of
from anabranch.lang.sawzall.native.scan import found, pieces_in

ATOMS = ("a", "b", ".", "[ab]", "[^a]", r"\d", r"\w", r"\.", " ", "[]a]", r"[\]b-]", r"\S", "-")
REPEATS = ("", "", "", "*", "+", "?", "{2}", "{1,}", "{0,2}")
PATTERN = st.builds("".join, st.lists(st.builds("".join, st.tuples(
    st.sampled_from(ATOMS), st.sampled_from(REPEATS))), min_size=1, max_size=4))
TEXT = st.text("aab. 1]-c", max_size=12)


def tables(pattern: str) -> tuple:
    steps = steps_of(pattern)
    return *(eval(text, {"np": np}) for text in steps.arguments), steps.fixed


@given(PATTERN, TEXT, st.booleans())
@settings(max_examples=400, deadline=None)
def test_matches_are_those_of_regular_expressions(pattern, text, fixed):
    pattern = "^" * fixed + pattern
    if steps_of(pattern) is None:
        return
    expected, pieces = re.search(pattern, text, re.ASCII), sawn(-1, text, ((0, pattern),))[0]
    data, given_ = np.frombuffer(text.encode(), np.uint8), tables(pattern)
    assert found(data, 0, len(data), *given_) == (expected.span() if expected else (-1, -1))
    assert pieces_in(data, 0, len(data), *given_) == len(pieces)


@pytest.mark.parametrize("pattern", ["[^ ]+", "[0-9]+/[A-Za-z]+/[0-9]+", '" [0-9]{3} ', "a?b+c",
                                     r"\[[^\]]*\]", "^GET /", "a{2,3}b", r"\w+@\w+\.com"])
def test_usual_patterns_are_simple(pattern):
    assert steps_of(pattern) is not None


@pytest.mark.parametrize("pattern", ["a*a", "[a-z]+[a-f]", "a|b", "(a)", "a*", "a+?", "a++", "a$",
                                     r"\ba", "(?i)a", "a*b*a", r"\p{Lu}*[A-C]", "x{1,2}x"])
def test_others_are_not(pattern):
    assert steps_of(pattern) is None
