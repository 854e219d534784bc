"""Emissions of a compiled loop: where they stand in the table, their text.

Emissions of a compiled loop: where what is emitted stands in the table of all of them.

A row has the number of its emission, a hash, the columns of its parts, and behind them what they
add up to: for a sum its total, for other tables how often the same was emitted.

The text of an emission in a compiled loop.

What a line emits is put aside first, and goes into the table at the end of the line: a line that
turns out not to be simple must not have emitted anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import repeat
from typing import ClassVar

import numpy as np

from anabranch.ir.types import BOOL, BYTES, INT, STR, Type
from anabranch.lang.sawzall.library.conversions import text_of_bytes

NUMBER, TRUTH, TEXT, LOWER, PIECES = "number", "truth", "text", "lowercase text", "array"
KINDS = {INT: NUMBER, BOOL: TRUTH, STR: TEXT, BYTES: TEXT}
LARGEST = (1 << 63) - 1
GIVE_UP = "return table, used, begin, True"
MOST_ASIDE = 1 << 20
"""So many emissions of loops are put aside for a line; one with more is left to the function."""
SITE, CODE, FIRST = range(3)
"""The first columns of a row: which emission, and its hash; then the parts."""


@dataclass(frozen=True)
class Part:
    """A basic value that is emitted, always the same if it is `constant`; a text has two columns,
    its first byte and the one behind its last. One that is `lower` is that in lowercase letters."""

    type: Type
    constant: object = None
    lower: bool = False

    @property
    def width(self) -> int:
        return 0 if self.constant is not None else 2 if KINDS[self.type] == TEXT else 1

    @property
    def leaves(self) -> tuple[Part, ...]:
        return (self,)

    def values(self, columns: Iterator[list[int]], data: bytes, count: int) -> list:
        """The values of so many rows."""
        if self.constant is not None:
            return [self.constant] * count
        column = next(columns)
        if self.type == BOOL:
            return list(map(bool, column))
        if self.type == INT:
            return column
        texts = [data[start:end] for start, end in zip(column, next(columns))]
        if self.lower:
            texts = [text.lower() for text in texts]
        return texts if self.type == BYTES else list(map(text_of_bytes, texts))


@dataclass(frozen=True)
class Joined:
    """A text of several parts, put together when the rows are given on: where the parts are the
    same, so is the text.

    >>> Joined("%03d-%s", (Part(INT), Part(STR, "x"))).values(iter([[7, 12]]), b"", 2)
    ['007-x', '012-x']
    """

    pattern: str
    parts: tuple[Part | Joined, ...]
    type: ClassVar[Type] = STR

    @property
    def leaves(self) -> tuple[Part, ...]:
        return tuple(leaf for part in self.parts for leaf in part.leaves)

    @property
    def width(self) -> int:
        return sum(leaf.width for leaf in self.leaves)

    def values(self, columns: Iterator[list[int]], data: bytes, count: int) -> list:
        held = [part.values(columns, data, count) for part in self.parts]
        return [self.pattern % each for each in (zip(*held) if held else repeat((), count))]


@dataclass(frozen=True)
class Site:
    """An emission. The parts of its key come first, then those of its value and its weight, unless
    it `adds` the items of its value up. `extreme` is 1 or -1 where only the greatest or the least
    of the numbers in the column of its weight count. One `in_loop` may be many for a line: they are
    put aside in rows of their own.

    >>> site = Site("emit_3", 1, 1, False, False, (Part(INT), Part(STR), Part(INT, 1)))
    >>> site.width, site.totals
    (3, range(5, 6))
    """

    emitter: str
    keys: int
    items: int
    is_tuple: bool
    adds: bool
    parts: tuple[Part | Joined, ...]
    extreme: int = 0
    in_loop: bool = False

    @property
    def width(self) -> int:
        return sum(part.width for part in self.parts)

    @property
    def totals(self) -> range:
        """The columns of what is added up."""
        first = FIRST + self.width
        return range(first, first + (self.items if self.adds else 1))

    def give(self, emit: Callable, run: object, rows: np.ndarray, data: bytes) -> None:
        """Gives what the rows have to the table."""
        rows = self._best(rows, emit.size) if self.extreme else rows
        columns = (column.tolist() for column in rows[:, FIRST:self.totals.stop].T)
        values = [part.values(columns, data, len(rows)) for part in self.parts]
        totals = zip(*columns)
        for parts, total in zip(zip(*values) if values else repeat(()), totals):
            if self.adds:
                emit(run, parts, total if self.is_tuple else total[0], None)
            else:
                emit.repeat(run, *self._parted(parts), total[0])

    def bar(self, emit: Callable, run: object) -> int:
        """What is lighter, or heavier where the least are kept, need not be given any more."""
        found = emit.known(run).last() if self.extreme else None
        return -self.extreme * LARGEST if found is None else found

    def _best(self, rows: np.ndarray, size: int) -> np.ndarray:
        """The rows that may be among so many of greatest or least weight."""
        if not 0 < size < len(rows):
            return rows
        weights, place = rows[:, self.totals.start - 1], size - 1
        if self.extreme < 0:
            return rows[weights <= np.partition(weights, place)[place]]
        return rows[weights >= np.partition(weights, -size)[-size]]

    def _parted(self, parts: tuple) -> tuple:
        """The key, the value and the weight."""
        end = self.keys + self.items
        value = parts[self.keys:end] if self.is_tuple else parts[self.keys]
        return parts[:self.keys], value, parts[end] if len(parts) > end else None


def columns(site: Site, number: int) -> Iterator[tuple[str, str, str]]:
    """For each part that is not constant its variables, what adds it to the hash, and what
    compares it."""
    column = FIRST
    for part in (leaf for each in site.parts for leaf in each.leaves):
        if part.width == 2:
            both, held = (f"{name.format(column)}, {name.format(column + 1)}"
                          for name in (f"k{number}_{{}}", "table[at, {}]"))
            yield both, f"mixed_text({{}}, data, {both})", f"same_bytes(data, {held}, {both})"
        elif part.width:
            name = f"k{number}_{column}"
            yield name, f"mixed({{}}, {name})", f"table[at, {column}] == {name}"
        column += part.width


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
    if site.in_loop:
        yield f"if d{number}:"
        yield f" if asides == {MOST_ASIDE}: {GIVE_UP}"
        yield " if asides == len(aside): aside = widened(aside)"
        yield from (f" aside[asides, {column}] = {name}" for column, name in _cells(site, number))
        yield " asides += 1"


def _cells(site: Site, number: int) -> Iterator[tuple[int, str]]:
    """The columns of a row that is put aside, and the variables that they hold."""
    yield SITE, str(number)
    names = [name.strip() for both, *_ in columns(site, number) for name in both.split(",")]
    yield from enumerate(names, FIRST)
    yield from ((column, f"a{number}_{place}") for place, column in enumerate(site.totals))


def committed(site: Site, number: int) -> Iterator[str]:
    """At the end of a line: puts what was emitted into the table."""
    if not site.in_loop:
        yield from _put(site, number)
        return
    yield "for row in range(asides):"
    yield f" if aside[row, {SITE}] == {number}:"
    yield from (f"  {name} = aside[row, {column}]" for column, name in _cells(site, number)
                if column != SITE)
    yield f"  d{number} = True"
    yield from (f"  {line}" for line in _put(site, number))


def _put(site: Site, number: int) -> Iterator[str]:
    """Finds the row of the parts, or the place for it."""
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
