"""What is read, printed as text and read again is the same program."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from anabranch.core.errors import ProgramError
from anabranch.lang.sawzall.parser import read
from lang.sawzall.test_sawzall_errors import EXPRESSIONS
from lang.sawzall.test_sawzall_statements import CASES
from lang.sawzall.test_sawzall_tables import AGGREGATED
from lang.sawzall.test_sawzall_values import ARITHMETIC, CONVERSIONS, LITERALS, OTHERS, TEXTS
from oracles.sawzall_text import program_text

EXAMPLE = Path(__file__).parents[3] / "examples" / "log_analyzer.szl"
CLAIMS = "\n".join((LITERALS, ARITHMETIC, CONVERSIONS, TEXTS, OTHERS)).split("\n")


def same_again(text: str) -> None:
    program = read(text, "program.szl", "GMT")
    printed = program_text(program)
    assert read(printed, "printed.szl", "GMT") == program
    assert program_text(read(printed, "printed.szl", "GMT")) == printed


@pytest.mark.parametrize("name", CASES)
def test_statements(name):
    same_again(CASES[name][0])


@pytest.mark.parametrize("text", [
    AGGREGATED, EXAMPLE.read_text(), "".join(f"assert({claim});\n" for claim in CLAIMS if claim),
    'include "lib.szl"\nif (true) ; else { ; } for (;;) break; { }'])
def test_programs(text):
    same_again(text)


@settings(max_examples=60, deadline=None)
@given(EXPRESSIONS)
def test_random_expressions(expression):
    try:
        read(f"x := {expression};", "p.szl", "GMT")
    except ProgramError:
        return
    same_again(f"x := {expression};")
