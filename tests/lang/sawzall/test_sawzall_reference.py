"""The tables of the documentation are what the library has."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from anabranch.lang.sawzall.conversion import WAYS
from anabranch.lang.sawzall.functions import NUMBERS, POLYMORPHIC, REFUSED, SAWS, TEXTS, TIMES
from anabranch.lang.sawzall.protocol.declared import FORMS
from anabranch.lang.sawzall.tables import KINDS
from anabranch.lang.sawzall.types import BASIC, shown

PAGE = Path(__file__).parents[3] / "docs" / "sawzall.md"


def functions() -> str:
    """The functions by what they are about; then those that are refused."""
    groups = {"values of many types": POLYMORPHIC, "saws and patterns": SAWS,
              **{about: [each.name for each in builtins] for about, builtins in (
                  ("texts and bytes", TEXTS), ("numbers", NUMBERS), ("times", TIMES))},
              "refused by name": REFUSED}
    return _rows(("about", "functions"), ((about, _listed(sorted(set(names), key=str.lower)))
                                          for about, names in groups.items()))


def conversions() -> str:
    """What converts to which basic type."""
    return _rows(("from", "to"), ((f"`{name}`", _listed(shown(to) for given, to in WAYS
                                                         if given == kind))
                                  for name, kind in BASIC.items()))


def forms() -> str:
    """The forms of the fields of messages."""
    return _rows(("form", "of"), ((f"`{form}`", _listed(map(shown, kinds)))
                                  for form, kinds in FORMS.items()))


def tables() -> str:
    """What a kind of table needs, and whether its result depends on the order of the records."""
    return _rows(("kind", "size", "weight", "order"), (
        (f"`{name}`", _yes(rule.sized), _yes(rule.weighted),
         "printed as it comes" if rule.fold is None else
         "none" if rule.commutative else "that of the records") for name, rule in KINDS.items()))


def _rows(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _yes(needs: bool) -> str:
    return "yes" if needs else "-"


PARTS = {"functions": functions, "conversions": conversions, "forms": forms, "kinds": tables}


@pytest.mark.parametrize("name", PARTS)
def test_the_page_has_the_table(name, request):
    part = re.compile(f"(<!-- {name}: .*? -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
    page = PAGE.read_text()
    assert part.search(page), f"there is no place for the {name}"
    wanted = part.sub(lambda found: f"{found[1]}{PARTS[name]()}\n{found[2]}", page)
    if request.config.getoption("--update-golden"):
        PAGE.write_text(wanted)
    assert PAGE.read_text() == wanted
