"""Pieces of a program without state, each computed by itself; one with state is a single piece.

Without state and loops, what a program gives from some period on is what it gives when its input
begins there. A piece is a range of periods with the items they need, and those that are looked at
behind them; the firings before its first period repeat those at the end of the piece before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from anabranch.lang.streamit.files import values_of
from anabranch.lang.streamit.instances import File, Work
from anabranch.lang.streamit.whole import Ends, Whole
from anabranch.sdf.schedule import Schedule


@dataclass(frozen=True)
class Source:
    """A program as text, and the files that it reads, by the names of their readers: all that
    another machine needs."""

    texts: tuple[tuple[str, str], ...]
    top: str | None
    files: tuple[tuple[str, str], ...]
    compiles: bool


@dataclass(frozen=True)
class Piece:
    """So many periods from one on; the last piece goes on to the end of the file."""

    source: Source
    first: int
    periods: int | None


@dataclass(frozen=True)
class Computed:
    """What a piece gives: values for each writer, and texts with their numbers of statements."""

    values: dict[str, bytes]
    printed: list[tuple[str, int]]


def is_spreadable(schedule: Schedule) -> bool:
    """Whether the program reads one file, and no firing depends on an earlier one."""
    flow = schedule.flow
    starts = [a.body for i, a in enumerate(flow.actors) if flow.is_start(i)]
    return (len(starts) == 1 and isinstance(starts[0], File)
            and not any(channel.back for channel in flow.channels)
            and all(_is_free(schedule, index) for index in range(len(flow.actors))))


def _is_free(schedule: Schedule, index: int) -> bool:
    actor = schedule.flow.actors[index]
    if not isinstance(actor.body, Work):
        return True
    code = actor.body.code
    # Lines that a piece repeats could not be told from its own.
    repeats = code.prints and schedule.before[index]
    return not (code.stateful or actor.first or repeats)


def pieces(source: Source, schedule: Schedule, items: int, periods: int | None,
           count: int) -> Iterator[Piece]:
    """The program in about so many pieces."""
    (name, _), = source.files
    reader = _index(schedule, name)
    there = max(0, items - schedule.before[reader]) // schedule.period[reader]
    total = there if periods is None else min(there, periods)
    size = max(1, -(-total // count))
    for first in range(0, max(total, 1), size):
        last = first + size >= total
        yield Piece(source, first, (None if periods is None else periods - first) if last else size)


def computed(piece: Piece) -> Computed:
    """Runs a piece. Nothing is written before the first period, so that nothing is repeated."""
    schedule = _scheduled(piece.source)
    values: dict[str, list[np.ndarray]] = {}
    printed: list[tuple[str, int]] = []
    writers = {a.name: values.setdefault(a.name, []).append for a in schedule.flow.actors
               if isinstance(a.body, File) and not a.body.reads}
    readers = {name: _items(piece, schedule, _index(schedule, name), path)
               for name, path in piece.source.files}
    ends = Ends(readers, writers, lambda text, count: printed.append((text, count)))
    Whole(schedule, piece.periods, ends, piece.source.compiles).run()
    return Computed({name: b"".join(array.tobytes() for array in arrays)
                     for name, arrays in values.items()}, printed)


def _index(schedule: Schedule, name: str) -> int:
    return next(i for i, a in enumerate(schedule.flow.actors) if a.name == name)


def _items(piece: Piece, schedule: Schedule, index: int, path: str) -> np.ndarray:
    whole = values_of(path, schedule.flow.actors[index].body.type)
    begin = piece.first * schedule.period[index]
    if piece.periods is None:
        return whole[begin:]
    return whole[begin:begin + schedule.most(index, piece.periods)]


@lru_cache(maxsize=8)
def _scheduled(source: Source) -> Schedule:
    from anabranch.lang.streamit import schedule_of

    return schedule_of(list(source.texts), source.top)
