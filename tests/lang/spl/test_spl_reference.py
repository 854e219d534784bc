"""The tables of the documentation are what the toolkit and the library have."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from anabranch.lang.spl.coding.library import COLLECTIONS, FILES, NUMBERS, STRINGS, TIMES
from anabranch.lang.spl.toolkit import TOOLKIT

PAGE = Path(__file__).parents[3] / "docs" / "spl.md"
GROUPS = {"strings": STRINGS, "collections": COLLECTIONS, "numbers": NUMBERS,
          "times and the program": TIMES, "files": FILES}


def operators() -> str:
    """The operators: what they take, and what is known of them; then those that are refused."""
    rows = ["| operator | ports in, out | parameters | state | outputs for a tuple |",
            "|---|---|---|---|---|"]
    refused = ["| refused | instead |", "|---|---|"]
    for name, model in sorted(TOOLKIT.items()):
        if model.lower is None:
            refused.append(f"| `{name}` | {model.refused} |")
            continue
        ports = ", ".join(map(_shown, (model.inputs, model.outputs)))
        parameters = ", ".join(f"`{p}`" for p in model.parameters) or "-"
        rows.append(f"| `{name}` | {ports} | {parameters} | {model.state} | {model.selectivity} |")
    return "\n".join([*rows, "", *refused])


def _shown(count: tuple[int, int | None]) -> str:
    least, most = count
    return str(least) if least == most else f"{least} or more" if most is None else (
        f"{least} to {most}")


def functions() -> str:
    """The functions of the library by what they are about."""
    rows = ["| about | functions |", "|---|---|"]
    for about, text in GROUPS.items():
        names = dict.fromkeys(line.partition("(")[0] for line in text.split("\n") if line)
        rows.append(f"| {about} | {', '.join(f'`{name}`' for name in names)} |")
    return "\n".join(rows)


TABLES = {"operators": operators, "functions": functions}


@pytest.mark.parametrize("name", TABLES)
def test_the_page_has_the_table(name, request):
    part = re.compile(f"(<!-- {name}: .*? -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
    page = PAGE.read_text()
    wanted = part.sub(lambda found: f"{found[1]}{TABLES[name]()}\n{found[2]}", page)
    if request.config.getoption("--update-golden"):
        PAGE.write_text(wanted)
    assert PAGE.read_text() == wanted
