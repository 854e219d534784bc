"""A source whose rows come a little out of order, put into the order of their times.

A row may come behind the latest time that was seen by as much as the lateness. It is held back
until no row that is still in time can have an earlier one. What comes later than that leaves the
source: it is counted, and another source has it, `late`. All of it follows from the sequence of the
rows.

>>> from anabranch.io.python.objects import IterableSource
>>> from anabranch.ir.records import Record
>>> class Row(Record):
...     at: int
>>> rows = IterableSource([Row(at) for at in (3, 1, 9, 8, 4, 7)])
>>> [row.at for row in InTime(rows, "at", 2).items(BadRows())]
[1, 3, 7, 8, 9]
>>> [row.at for row in InTime(rows, "at", 2).late_rows().items(BadRows())]
[4]
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import count
from typing import ClassVar

from anabranch.core.errors import DataError, ProgramError
from anabranch.core.source import Span
from anabranch.io.binding import bind_source
from anabranch.io.rows import BadRows, shown_value
from anabranch.io.values.scalars import shown
from anabranch.ir.ends import SourceSpec
from anabranch.ir.times import is_aware, moment
from anabranch.ir.types import FLOAT, INT, TIMESTAMP, AnyOf, Type, fields_of, without_none


@dataclass(frozen=True, eq=False)
class InTime(SourceSpec):
    """The rows of another source, which has no time itself, in the order of theirs; or, `late`,
    those that have come too late for it, as they came."""

    format: ClassVar[None] = None
    of: SourceSpec
    on: str
    lateness: object
    late: bool = False
    name: str = ""

    def __str__(self) -> str:
        what = "what is later than" if self.late else f"in the order of {self.on}, up to"
        return f"{self.of}, {what} {self.lateness}{'' if self.late else ' late'}"

    @property
    def shown(self) -> str:
        return str(self)

    @property
    def type(self) -> Type:
        return self.of.type

    @property
    def time(self) -> str | None:
        return None if self.late else self.on

    @property
    def span(self) -> Span | None:
        return self.of.span

    @property
    def replayable(self) -> bool:
        return self.of.replayable

    @property
    def live(self) -> bool:
        return self.of.live

    @property
    def endless(self) -> bool:
        return self.of.endless

    @property
    def paths(self) -> Sequence[str]:
        return self.of.paths

    @property
    def extensions(self) -> Sequence[str]:
        return self.of.extensions

    def files(self) -> list[str]:
        return self.of.files()

    def at(self, path: str) -> InTime:
        return replace(self, of=bind_source(self.of, path, self.of.type, None))

    def at_start(self) -> InTime:
        return replace(self, of=self.of.at_start())

    def late_rows(self) -> InTime:
        return replace(self, late=True)

    def items(self, rows: BadRows) -> Iterator[object]:
        # What is wrong with a row, and that it is late, is told once: where rows are in time.
        order = ArrivalOrder(self, BadRows("skip") if self.late else rows)
        for item in self.of.items(order.rows):
            came_late, released = order.take(item)
            if self.late:
                yield from [item] if came_late else ()
            else:
                yield from released
        if not self.late:
            yield from order.rest()


class ArrivalOrder:
    """The rows of a source while they come: those that are held back, and the latest time seen."""

    def __init__(self, spec: InTime, rows: BadRows):
        self.spec, self.rows = spec, rows
        self.held: list[tuple] = []
        self.numbers, self.latest, self.aware = count(), None, None

    def take(self, item: object) -> tuple[bool, list[object]]:
        """Whether an item comes too late, and the items that may go now."""
        try:
            time = self._moment(item)
            if self.latest is None or time > self.latest:
                self.latest = time
            elif self.latest - time > self.spec.lateness:
                self.rows.behind[self.spec.name] += 1
                return True, []
        except DataError as error:
            self.rows.report(error, shown_value(item))
            return False, []
        heapq.heappush(self.held, (time, next(self.numbers), item))
        return False, self._released()

    def rest(self) -> Iterator[object]:
        while self.held:
            yield heapq.heappop(self.held)[2]

    def _released(self) -> list[object]:
        found = []
        while self.held and self.latest - self.held[0][0] >= self.spec.lateness:
            found.append(heapq.heappop(self.held)[2])
        return found

    def _moment(self, item: object) -> object:
        """The time of an item, by which it is compared."""
        name = self.spec.on
        time = getattr(item, name, None)
        if time is None or time != time:
            raise DataError(f"'{name}' has no time", self.spec.span, expected="a time",
                            got=shown(time), help=SKIPPED)
        aware = is_aware(time)
        if self.latest is not None and aware != self.aware:
            raise DataError(f"'{name}' has times with and without a zone", self.spec.span,
                            got=shown(time), help=SKIPPED)
        self.aware = aware
        return moment(time)


SKIPPED = "--on-error skip leaves such rows out"


def in_time(spec: SourceSpec, time: str | None, lateness: object, name: str, where: Span
            ) -> SourceSpec:
    """The source with its rows in the order of their times, if a lateness is given."""
    if lateness is None:
        return spec
    check_lateness(spec.type, time, lateness, where)
    return InTime(replace(spec, time=None), time, lateness, name=name)


def check_lateness(item: Type, time: str | None, lateness: object, where: Span) -> None:
    if time is None:
        raise ProgramError("a lateness needs a time", where,
                           help="name the attribute that has the time of an item: time=...")
    kind = without_none((fields_of(item) or {}).get(time, AnyOf()))
    is_span = isinstance(lateness, timedelta)
    is_number = isinstance(lateness, (int, float)) and not isinstance(lateness, bool)
    fits = is_span if kind == TIMESTAMP else is_number if kind in (INT, FLOAT) else (
        is_span or is_number)
    if not fits or not lateness >= type(lateness)(0):
        raise ProgramError("the lateness is how far behind the latest time a row may come", where,
                           expected="a timedelta, not below zero" if kind == TIMESTAMP else
                           f"a number not below zero, as '{time}' is a {kind}", got=repr(lateness))


def plain(spec: SourceSpec) -> SourceSpec:
    """The source that reads, of one whose rows are put in order."""
    return spec.of if isinstance(spec, InTime) else spec
