"""The compiled loop of a simple program, and what it counts in a block."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from anabranch.io.text.places import LineBlock
from anabranch.kernels.native.cache import is_saved, module_of, note_saved
from anabranch.lang.sawzall.native import scan
from anabranch.lang.sawzall.native import sites as writing
from anabranch.lang.sawzall.native.lowering import LoopLowering
from anabranch.lang.sawzall.native.sites import GIVE_UP, SITE, Site


@dataclass(frozen=True)
class CountingLoop:
    """A loop over the bytes of a block, which adds up the emissions of each site; `emitters` has
    for each of them what takes them."""

    source: str
    sites: tuple[Site, ...]
    width: int
    emitters: tuple[Callable, ...]

    def run(self, run: object, block: LineBlock, main: Callable) -> None:
        """Processes the records of a block; those that are not simple, by the usual function."""
        data, place, counted = block.data, 0, 0
        table, used = self._empty(), 0
        run.record, loop, array = block.first, _loop(self.source), np.frombuffer(data, np.uint8)
        bars = self._bars(run)
        while place <= len(data):
            table, used, place, stuck = loop(array, place, table, used, bars)
            # Nothing behind the last end of a line is an empty line.
            if stuck or place == len(data):
                run.record += data.count(b"\n", counted, place)
                counted, end = place, data.find(b"\n", place)
                main(run, data[place:] if end < 0 else data[place:end])
                place = len(data) + 1 if end < 0 else end + 1
            elif place < len(data):
                self._give(run, table, data)
                table, used, bars = self._empty(), 0, self._bars(run)
        self._give(run, table, data)

    def is_saved(self) -> bool:
        return is_saved(self.source)

    def warm(self) -> None:
        """Compiles it now, so that the processes that are started later have it already."""
        _loop(self.source)(np.frombuffer(b"\0", np.uint8), 0, self._empty(), 0,
                           np.zeros(len(self.sites), np.int64))
        note_saved(self.source)

    def _empty(self) -> np.ndarray:
        return np.zeros((1024, self.width), np.int64)

    def _bars(self, run: object) -> np.ndarray:
        """For each site the weight that is needed to be kept, where one is."""
        each = zip(self.sites, self.emitters)
        return np.array([site.bar(emitter, run) for site, emitter in each], np.int64)

    def _give(self, run: object, table: np.ndarray, data: bytes) -> None:
        rows = table[table[:, SITE] != 0]
        for number, (site, emitter) in enumerate(zip(self.sites, self.emitters), 1):
            site.give(emitter, run, rows[rows[:, SITE] == number], data)


def counting(lowering: LoopLowering, names: Mapping[str, Callable]) -> CountingLoop:
    """The compiled loop of a simple program; `names` are those of the generated module."""
    width = max(site.totals.stop for site in lowering.sites)
    emitters = tuple(names[site.emitter] for site in lowering.sites)
    return CountingLoop(source(lowering), tuple(lowering.sites), width, emitters)


@lru_cache(64)
def _loop(text: str) -> Callable:
    return module_of(text).loop


FULL = (1 << 17) - 1
"""So many rows of the table are gathered before they are given on; more would not stay in the
caches of the machine."""
HEAD = """# {version}
import numpy as np
from numba import njit
from anabranch.lang.sawzall.native.scan import *
{texts}

@njit(nogil=True, cache=True)
def loop(data, place, table, used, bars):
 size = len(data)
 aside = np.zeros((64, {width}), np.int64)
 while place < size:
  if used >= {full}: return table, used, place, False
  begin = place
  asides = 0
  if data[place] == 10: {give_up}
"""


def source(lowering: LoopLowering) -> str:
    """The module of the loop: it finds the fields of a line that are used, and runs the body."""
    texts = "\n".join([*(f"t{i} = np.frombuffer({data!r}, np.uint8)"
                         for i, data in enumerate(lowering.texts)),
                       *(f"r{i} = {text}" for i, text in enumerate(lowering.patterns))])
    version = hashlib.sha256(Path(scan.__file__).read_bytes()).hexdigest()
    head = HEAD.format(version=version, texts=texts, give_up=GIVE_UP, full=FULL,
                       width=max(site.totals.stop for site in lowering.sites))
    sites = list(enumerate(lowering.sites, 1))
    before = (line for number, site in sites for line in writing.cleared(site, number))
    behind = (line for number, site in sites for line in writing.committed(site, number))
    lines = [*_ends(lowering), *before, "for _ in range(1):", *lowering.lines, *behind]
    return head + "".join(f"  {line}\n" for line in lines) + " return table, used, place, False\n"


def _ends(lowering: LoopLowering) -> Iterator[str]:
    """The lines that find where fields begin and end, up to the last one that is used."""
    last = max(lowering.used, default=-1)
    for i in range(last + 1):
        yield f"s{i} = place"
        yield f"v{i}, e{i}, p{i} = number_end(data, place, size)" if i in lowering.numbers else \
            f"e{i} = field_end(data, place, size)"
        missing = f" or e{i} >= size or data[e{i}] != 44" if i < last else ""
        yield f"if e{i} < 0{missing}: {GIVE_UP}"
        yield f"place = e{i} + 1"
    yield f"close = line_end(data, {'begin' if last < 0 else f'e{last}'}, size, {last >= 0})"
    yield f"if close < 0: {GIVE_UP}"
    yield "place = close + 1"
