"""Emissions of a compiled loop: where their keys and totals stand in the table of all totals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

NUMBER, TEXT = "number", "text"
SITE, CODE, TOTAL, FIRST = range(4)
"""The columns of the table of all totals: which emission, the hash of its key, the sum; the key."""


@dataclass(frozen=True)
class Site:
    """An emission: its table, and for each part of its key whether it is a text (two columns).

    >>> Site(3, (NUMBER, TEXT)).width, list(named(Site(3, (NUMBER, TEXT))))
    (3, ['k3', 'k4', 'k5'])
    """

    table: int
    keys: tuple[str, ...]

    @property
    def width(self) -> int:
        return sum(2 if key == TEXT else 1 for key in self.keys)


def named(site: Site) -> Iterator[str]:
    """The variables with the columns of a key."""
    return (f"k{column}" for column in range(FIRST, FIRST + site.width))


def columns(site: Site) -> Iterator[tuple[str, str, str]]:
    """For each part of a key its variables, what adds it to the hash, and what compares it."""
    column = FIRST
    for kind in site.keys:
        if kind == TEXT:
            both, held = (f"{name.format(column)}, {name.format(column + 1)}"
                          for name in ("k{}", "table[at, {}]"))
            yield both, f"mixed_text({{}}, data, {both})", f"same_bytes(data, {held}, {both})"
        else:
            yield f"k{column}", f"mixed({{}}, k{column})", f"table[at, {column}] == k{column}"
        column += 2 if kind == TEXT else 1
