"""The compiled loop of a simple program, and what it counts in a chunk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numba
import numpy as np
import pyarrow as pa

from anabranch.lang.common.syntax import Node
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.fast import helpers
from anabranch.lang.sawzall.fast.lowering import TEXT, Lowering, NotSimple, Site
from anabranch.lang.sawzall.tables import Table

ALIKE = ("parsed", "same_text", "divided", "modulo", "stripped")

Sums = dict[int, dict[tuple, int]]


@dataclass(frozen=True)
class Counting:
    """A loop over the bytes of a chunk, which writes the emissions of each site into columns."""

    loop: Callable
    sites: tuple[Site, ...]

    def sums(self, data: bytes) -> Sums | None:
        """What the records of a chunk add to the tables; None when the loop gave up."""
        records, width = data.count(b"\n") + 1, sum(site.width for site in self.sites)
        view = np.frombuffer(data, np.uint8)
        out = np.empty((width, records), np.int64)
        counts = np.zeros(len(self.sites), np.int64)
        if not data or b"\0" in data or not self.loop(view, out, counts):
            return None
        found: Sums = {}
        for site, count in zip(self.sites, counts):
            columns = out[site.first:site.first + site.width, :count]
            if count and not _add(found.setdefault(site.table, {}), site, columns, view):
                return None
        return found


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
    return Counting(_compiled(source(lowering), tuple(lowering.texts)), tuple(lowering.sites))


@lru_cache(64)
def _compiled(text: str, literals: tuple[bytes, ...]) -> Callable:
    scope = {name: getattr(helpers, name) for name in ALIKE}
    scope |= {f"t{i}": np.frombuffer(data, np.uint8) for i, data in enumerate(literals)}
    exec(compile(text, "<a loop over bytes>", "exec"), scope)
    loop = numba.njit(nogil=True)(scope["loop"])
    # Compiled now, so that the processes that are started later have it already.
    loop(np.frombuffer(b'"', np.uint8), np.zeros((1, 1), np.int64), np.zeros(1, np.int64))
    return loop


SPLIT = """import numpy as np
def loop(data, out, counts):
 starts = np.zeros(LAST + 2, np.int64)
 ends = np.zeros(LAST + 2, np.int64)
 place, size = 0, len(data)
 while place < size or place == 0:
  count = 0
  starts[0] = place
  if place >= size or data[place] == 10: return False
  while place < size and data[place] != 10:
   c = data[place]
   if c == 34: return False
   if c == 44:
    if count <= LAST:
     ends[count] = place
     starts[count + 1] = place + 1
    count += 1
   place += 1
  if count <= LAST: ends[count] = place
  count += 1
  place += 1
  if count <= LAST: return False
"""


def source(lowering: Lowering) -> str:
    """The text of the loop: it splits a line, finds the fields that are used, and runs the body."""
    fields = [f"  s{i}, e{i} = stripped(data, starts[{i}], ends[{i}])"
              for i in sorted(lowering.used)]
    head = SPLIT.replace("LAST", str(max(lowering.used)))
    return head + "\n".join([*fields, *lowering.lines, " return True"])


def _add(sums: dict[tuple, int], site: Site, columns: np.ndarray, data: np.ndarray) -> bool:
    """Adds up the emissions of a site; False when a key is not plain."""
    keys, place = [], 0
    for kind in site.keys:
        width = 2 if kind == TEXT else 1
        key = _texts(columns[place], columns[place + 1], data) if kind == TEXT else \
            pa.array(columns[place])
        if key is None:
            return False
        keys.append(key)
        place += width
    if not keys:
        sums[()] = sums.get((), 0) + int(columns[place].sum())
        return True
    names = [f"k{i}" for i in range(len(keys))]
    table = pa.table([*keys, pa.array(columns[place])], [*names, "value"])
    grouped = table.group_by(names, use_threads=False).aggregate([("value", "sum")])
    totals = grouped.column("value_sum").to_pylist()
    for key, total in zip(zip(*(grouped.column(n).to_pylist() for n in names)), totals):
        sums[key] = sums.get(key, 0) + total
    return True


def _texts(starts: np.ndarray, ends: np.ndarray, data: np.ndarray) -> pa.Array | None:
    size = int((ends - starts).sum())
    offsets, out = np.zeros(len(starts) + 1, np.int64), np.empty(size, np.uint8)
    if not helpers.gathered(data, starts, ends, offsets, out):
        return None
    return pa.LargeStringArray.from_buffers(len(starts), pa.py_buffer(offsets), pa.py_buffer(out))
