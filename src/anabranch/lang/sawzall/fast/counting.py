"""The compiled loop of a simple program, and what it counts in a chunk."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from anabranch.kernels.native.cache import module_of
from anabranch.lang.common.syntax import Node
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.fast import helpers
from anabranch.lang.sawzall.fast.lowering import (
    FIRST,
    GIVE_UP,
    SITE,
    TEXT,
    TOTAL,
    Lowering,
    NotSimple,
    Site,
)
from anabranch.lang.sawzall.running.conversions import text_of_bytes
from anabranch.lang.sawzall.tables import Table

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


def counting(statements: tuple[Node, ...], tables: tuple[Table, ...]) -> Counting | None:
    """The compiled loop of a program; None for one that is not simple."""
    lowering = Lowering({table.name: table for table in tables})
    try:
        for node in statements:
            if not isinstance(node, syntax.TypeDeclaration):
                lowering.write(node)
    except NotSimple:
        return None
    if lowering.fields is None or not lowering.sites or not lowering.used:
        return None
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
 starts = np.zeros(LAST + 2, np.int64)
 ends = np.zeros(LAST + 2, np.int64)
 table = np.zeros((1024, WIDTH), np.int64)
 used, place, size = 0, 0, len(data)
 while place < size:
  count = 0
  starts[0] = place
  if data[place] == 10: GIVE_UP
  while place < size and data[place] != 10:
   c = data[place]
   if c == 34: GIVE_UP
   if c == 44:
    if count <= LAST:
     ends[count] = place
     starts[count + 1] = place + 1
    count += 1
   place += 1
  if count <= LAST: ends[count] = place
  count += 1
  place += 1
  if count <= LAST: GIVE_UP
"""


def source(lowering: Lowering) -> str:
    """The module of the loop: it splits a line, finds the fields that are used, and runs the body.
    """
    texts = "\n".join(f"t{i} = np.frombuffer({data!r}, np.uint8)"
                      for i, data in enumerate(lowering.texts))
    version = hashlib.sha256(Path(helpers.__file__).read_bytes()).hexdigest()
    width = FIRST + max(site.width for site in lowering.sites)
    head = HEAD.replace("LAST", str(max(lowering.used))).replace("WIDTH", str(width)) \
        .replace("GIVE_UP", GIVE_UP)
    fields = [f"  s{i}, e{i} = stripped(data, starts[{i}], ends[{i}])"
              for i in sorted(lowering.used)]
    return head.format(version=version, texts=texts) + "\n".join(
        [*fields, *lowering.lines, " return table", ""])


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
