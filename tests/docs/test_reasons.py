"""The page about what is not parallel has every reason in the code, no other, and shows each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.reasons import templates

PAGE = (Path(__file__).parents[2] / "docs" / "why-not-parallel.md").read_text()
SECTIONS = PAGE.split("\n## ")[1:]
QUOTED = re.compile(r"``\s?(.+?)\s?``(?!`)|(?<!`)`([^`]+)`(?!`)")


def told(section: str) -> list[str]:
    """The reasons in the first column of the section's table."""
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| ")][1:]
    return [double or single for row in rows for double, single in QUOTED.findall(row)]


def shown(reason: str, section: str) -> bool:
    """Whether a program of the section has a reason of this form."""
    code = "".join(re.findall(r"```python.*?```", section, re.DOTALL))
    # Long texts stand in two pieces, one below the other.
    joined = re.sub(r'"\s*\n\s*"', "", code)
    return re.search(re.escape(reason).replace("…", ".+?"), joined) is not None


def test_the_page_has_the_reasons_of_the_code():
    assert {reason for section in SECTIONS for reason in told(section)} == templates()


@pytest.mark.parametrize("section", SECTIONS, ids=lambda s: s.split("\n")[0])
def test_each_is_shown_by_a_program(section):
    assert [reason for reason in told(section) if not shown(reason, section)] == []
