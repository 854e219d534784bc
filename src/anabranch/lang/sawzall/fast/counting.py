"""The compiled loop of a simple program, and what it counts in a chunk."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from anabranch.kernels.native.cache import module_of
from anabranch.lang.sawzall.fast import helpers
from anabranch.lang.sawzall.fast.lowering import GIVE_UP, Lowering
from anabranch.lang.sawzall.fast.sites import FIRST, SITE, TEXT, TOTAL, Site
from anabranch.lang.sawzall.running.conversions import text_of_bytes

Sums = dict[int, dict[tuple, int]]


@dataclass(frozen=True)
class Counting:
    """A loop over the bytes of a chunk, which adds the emissions of each site up by their keys."""

    source: str
    sites: tuple[Site, ...]

    def sums(self, data: bytes) -> Sums | None:
        """What the records of a chunk add to the tables; None when the loop gave up."""
        if not data or b"\0" in data:
            return None
        table = _loop(self.source)(np.frombuffer(data, np.uint8))
        return _gathered(self.sites, table[table[:, SITE] != 0], data) if len(table) else None


def counting(lowering: Lowering) -> Counting:
    """The compiled loop of a simple program."""
    found = Counting(source(lowering), tuple(lowering.sites))
    # Compiled now, so that the processes that are started later have it already.
    found.sums(b'"')
    return found


@lru_cache(64)
def _loop(text: str) -> Callable:
    return module_of(text).loop


HEAD = """# {version}
import numpy as np
from numba import njit
from anabranch.lang.sawzall.fast.helpers import *
{texts}

@njit(nogil=True, cache=True)
def loop(data):
 table = np.zeros((1024, {width}), np.int64)
 used, place, size = 0, 0, len(data)
 while place < size:
  if data[place] == 10: {give_up}
"""


def source(lowering: Lowering) -> str:
    """The module of the loop: it finds the fields of a line that are used, and runs the body."""
    texts = "\n".join(f"t{i} = np.frombuffer({data!r}, np.uint8)"
                      for i, data in enumerate(lowering.texts))
    version = hashlib.sha256(Path(helpers.__file__).read_bytes()).hexdigest()
    width = FIRST + max(site.width for site in lowering.sites)
    head = HEAD.format(version=version, texts=texts, width=width, give_up=GIVE_UP)
    return head + "\n".join([*_fields(lowering), *lowering.lines, " return table", ""])


def _fields(lowering: Lowering) -> Iterator[str]:
    """The lines that find where fields begin and end, up to the last one that is used."""
    last = max(lowering.used)
    for i in range(last + 1):
        yield f"  s{i} = place"
        yield f"  v{i}, e{i}, p{i} = number_end(data, place, size)" if i in lowering.numbers else \
            f"  e{i} = field_end(data, place, size)"
        missing = f" or e{i} >= size or data[e{i}] != 44" if i < last else ""
        yield f"  if e{i} < 0{missing}: {GIVE_UP}"
        yield f"  place = e{i} + 1"
    yield f"  place = line_end(data, e{last}, size) + 1"
    yield f"  if place == 0: {GIVE_UP}"


def _gathered(sites: tuple[Site, ...], rows: np.ndarray, data: bytes) -> Sums:
    """The totals for each table and key. Texts that are not the same bytes may be the same text."""
    found: Sums = {}
    for number, site in enumerate(sites, 1):
        own = rows[rows[:, SITE] == number]
        if not len(own):
            continue
        sums = found.setdefault(site.table, {})
        for key, total in zip(_keys(site, own, data), own[:, TOTAL].tolist()):
            sums[key] = sums.get(key, 0) + total
    return found


def _keys(site: Site, rows: np.ndarray, data: bytes) -> list[tuple]:
    columns, place = [], FIRST
    for kind in site.keys:
        column = rows[:, place].tolist()
        if kind == TEXT:
            place += 1
            column = [text_of_bytes(data[s:e]) for s, e in zip(column, rows[:, place].tolist())]
        columns.append(column)
        place += 1
    return list(zip(*columns)) if columns else [()] * len(rows)
