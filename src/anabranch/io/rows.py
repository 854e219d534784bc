"""From rows to items: each row is decoded and its time checked, or it is reported as malformed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from anabranch.errors import ProgramError, did_you_mean
from anabranch.io.badrows import BadRows, RowError
from anabranch.io.badvalue import BadValue, shown
from anabranch.io.encoding import json_encoder
from anabranch.io.values import json_text
from anabranch.ir.times import is_aware, moment
from anabranch.ir.types import ANY, Type, fields_of
from anabranch.source import Span


class Row(NamedTuple):
    """A row as it came: where it stands, its text (None: show the value), and its value.

    The value is a `BadValue` when the row could not even be taken apart.
    """

    file: str
    line: int
    raw: str | None
    value: object
    unit: str = "line"

    @property
    def text(self) -> str:
        return shown_value(self.value) if self.raw is None else self.raw

    def error(self, bad: BadValue) -> RowError:
        return RowError(bad.reason, self.file, self.line, raw=self.text, unit=self.unit,
                        column=bad.path or None, position=bad.position, expected=bad.expected,
                        got=bad.got)


def shown_value(value: object) -> str:
    """A value as JSON, or as Python shows it."""
    try:
        return json_text(json_encoder(ANY)(value))
    except BadValue:
        return shown(value, 10_000)


def decoded(rows: Iterable[Row], decode: Callable[[object], object], order: TimeOrder,
            bad: BadRows) -> Iterator[object]:
    """The items of the well-formed rows; the others are reported to `bad`."""
    for row in rows:
        try:
            if isinstance(row.value, BadValue):
                raise row.value
            item = decode(row.value)
            order.check(item)
        except BadValue as problem:
            bad.report(row.error(problem), row.text)
        else:
            yield item


class TimeOrder:
    """Refuses an item that is earlier than the one before it."""

    def __init__(self, attribute: str | None):
        self.attribute, self.last = attribute, None

    def check(self, item: object) -> None:
        if self.attribute is None:
            return
        time = getattr(item, self.attribute, None)
        if time is None or time != time:
            raise BadValue("a time", shown(time), f"'{self.attribute}' has no time", self.attribute)
        if self.last is not None and is_aware(time) != is_aware(self.last):
            zone = "with" if is_aware(self.last) else "without"
            raise BadValue(f"a time {zone} a zone, like {self.last}", str(time),
                           f"'{self.attribute}' has times with and without a zone", self.attribute)
        if self.last is not None and _earlier(time, self.last):
            raise BadValue(f"not before {self.last}", str(time),
                           f"'{self.attribute}' goes back in time", self.attribute)
        self.last = time


def _earlier(time: object, last: object) -> bool:
    try:
        return moment(time) < moment(last)
    except TypeError:  # Items of no declared type may have times of several types.
        return True


def check_time(item: Type, time: str | None, where: Span | None) -> None:
    """Refuses a time attribute that the items do not have."""
    fields = fields_of(item)
    if time is not None and fields is not None and time not in fields:
        raise ProgramError(f"{item} has no attribute '{time}' to be its time", where,
                           help=did_you_mean(time, fields))
