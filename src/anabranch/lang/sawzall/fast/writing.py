"""The text of an emission in a compiled loop.

What a line emits is put aside first, and goes into the table at the end of the line: a line that
turns out not to be simple must not have emitted anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from anabranch.lang.sawzall.fast.sites import SITE, Site, columns


def cleared(site: Site, number: int) -> Iterator[str]:
    """Before a line: nothing is emitted yet."""
    yield f"d{number} = False"
    for names, *_ in columns(site, number):
        yield f"{names} = {', '.join('0' for _ in names.split(','))}"
    for place in range(len(site.totals)):
        yield f"a{number}_{place} = 0"


def aside(site: Site, number: int, parts: list[str], added: list[str]) -> Iterator[str]:
    """Where it is emitted: its parts, and what they add up."""
    for (names, *_), text in zip(columns(site, number), parts):
        yield f"{names} = {text}"
    for place, text in enumerate(added):
        yield f"a{number}_{place} = {text}"
    weight = f"k{number}_{site.totals.start - 1}"
    counts = f"{weight} {'<=' if site.extreme < 0 else '>='} bars[{number - 1}]"
    yield f"d{number} = {counts if site.extreme else True}"


def committed(site: Site, number: int) -> Iterator[str]:
    """At the end of a line: finds the row of the parts, or the place for it."""
    parts = list(columns(site, number))
    code = reduce(lambda code, part: part[1].format(code), parts, str(number))
    known = " and ".join([f"table[at, {SITE}] == {number}", *(test for *_, test in parts)])
    yield f"if d{number}:"
    yield f" code = {code}"
    yield " at = code & (len(table) - 1)"
    yield f" while table[at, 0] != 0 and not ({known}): at = (at + 1) & (len(table) - 1)"
    for place, column in enumerate(site.totals):
        yield f" table[at, {column}] += a{number}_{place}"
    yield " if table[at, 0] == 0:"
    names = [str(number), "code", *(n.strip() for names, *_ in parts for n in names.split(","))]
    for column, name in enumerate(names):
        yield f"  table[at, {column}] = {name}"
    yield "  used += 1"
    yield "  if 2 * used > len(table): table = grown(table)"
