"""From rows to items: each row is decoded and its time checked, or it is malformed.

What happens to a malformed row is the policy of a run: it stops, the row is left out, or it is kept
apart.

>>> rows = BadRows.parse("skip")
>>> rows.report(RowError("2 cells where the header has 3", "a.csv", 7, raw="1,2"), "1,2")
>>> rows.count, rows.summary()
(1, '1 malformed row skipped: a.csv 1')
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from anabranch.core.errors import DataError, ProgramError, RunError, UsageError, did_you_mean
from anabranch.core.source import Span
from anabranch.io.files.output import WholeFile, check_writable
from anabranch.io.values.codecs import json_encoder
from anabranch.io.values.scalars import BadValue, json_text, shown
from anabranch.ir.times import is_aware, moment
from anabranch.ir.types import ANY, Type, fields_of

HELP = "--on-error skip leaves such rows out, --on-error divert=PATH keeps them in a file"


class RowError(DataError):
    """A malformed row: where it stands, which column, what was expected, what came, its text."""

    def __init__(self, reason: str, file: str, line: int, *, raw: str, unit: str = "line",
                 column: str | None = None, position: int | None = None,
                 expected: str | None = None, got: str | None = None):
        place = f"{file}:{line}" if unit == "line" else f"{file}, {unit} {line}"
        named = f"column {position} ({column})" if position else column
        super().__init__(f"malformed row: {reason}", f"{place}, {named}" if named else place,
                         expected=expected, got=got, help=HELP)
        self.reason, self.file, self.line, self.column, self.raw = reason, file, line, column, raw

    def _place(self) -> list[str]:
        number, margin = str(self.line), " " * len(str(self.line))
        lines = _excerpt(self.raw)
        return [*super()._place(), f"  {margin} |", f"  {number} | {lines[0]}",
                *(f"  {margin} | {line}" for line in lines[1:])]


def _excerpt(raw: str, width: int = 200, height: int = 5) -> list[str]:
    """The first lines of a row; what cannot be printed is shown escaped."""
    text = raw.encode("utf-8", "backslashreplace").decode()
    lines = [line if len(line) <= width else f"{line[:width]}..." for line in text.splitlines()]
    return [*lines[:height], "..."] if len(lines) > height else lines or [""]


class BadRows:
    """The policy of one run, and its count. `commit` makes the diverted rows appear.

    As a context it commits when the block ends well, and aborts when it does not.
    """

    def __init__(self, policy: str = "stop", path: str | None = None):
        self.policy, self.path = policy, path
        self.counts: Counter[str] = Counter()
        self.late: Counter[str] = Counter()
        self.behind: Counter[str] = Counter()
        """By source, the rows that have come too late to be put into the order of their times."""
        self._out: WholeFile | None = None

    @staticmethod
    def parse(text: str) -> BadRows:
        """The policy that `--on-error` names; refuses a file that could not be written."""
        policy, _, path = text.partition("=")
        if text in ("stop", "skip"):
            return BadRows(text)
        if policy == "divert" and path:
            check_writable(path)
            return BadRows(policy, path)
        raise UsageError("on-error does not know this policy", expected="stop, skip or divert=PATH",
                         got=repr(text))

    def __enter__(self) -> BadRows:
        if self.policy == "divert":
            self._diverted()
        return self

    def __exit__(self, kind: type | None, error: object, traceback: object) -> None:
        if kind is None:
            self.commit()
        else:
            self.abort()

    def report(self, error: DataError, raw: str) -> None:
        """Raises the error, or counts the row, or puts it into the file of diverted rows."""
        if self.policy == "stop":
            raise error
        details = vars(error)
        self.counts[details.get("file") or "?"] += 1
        if self.policy == "divert":
            line = {"file": details.get("file"), "line": details.get("line"),
                    "column": details.get("column"), "reason": _reason(error), "raw": raw}
            self._diverted().write(json.dumps(line) + "\n")

    def report_late(self, error: RunError) -> None:
        """Counts an item that has come too late for its window, or puts it into the file."""
        self.late[error.operator] += 1
        if self.policy == "divert":
            line = {"file": None, "line": None, "column": error.column, "reason": error.what,
                    "raw": error.raw}
            self._diverted().write(json.dumps(line) + "\n")

    @property
    def count(self) -> int:
        return self.counts.total()

    def commit(self) -> None:
        """Puts the file of diverted rows in place; it is empty when there are none."""
        if self.policy == "divert":
            self._diverted().commit()

    def abort(self) -> None:
        if self._out is not None:
            self._out.abort()

    def summary(self) -> str:
        """A line for the end of a run, and others for late rows; empty when all was well."""
        files = Counter({os.path.relpath(f) if os.path.isabs(f) else f: n
                         for f, n in self.counts.items()})
        return "\n".join(filter(None, (self._told("malformed", files),
                                       self._told("late", self.late), self._behind())))

    def _behind(self) -> str:
        rows = "row has" if self.behind.total() == 1 else "rows have"
        each = ", ".join(f"{name} {count}" for name, count in self.behind.items())
        return f"{self.behind.total()} {rows} come too late: {each}" if each else ""

    def _told(self, what: str, counts: Counter[str]) -> str:
        if not counts:
            return ""
        done = f"diverted to {self.path}" if self.policy == "divert" else "skipped"
        rows = "row" if counts.total() == 1 else "rows"
        each = ", ".join(f"{place} {count}" for place, count in counts.items())
        return f"{counts.total()} {what} {rows} {done}: {each}"

    def _diverted(self) -> WholeFile:
        if self._out is None:
            self._out = WholeFile(self.path)
        return self._out


def _reason(error: DataError) -> str:
    reason = vars(error).get("reason", error.what)
    details = [f"expected {error.expected}"] if error.expected else []
    details += [f"came {error.got}"] if error.got else []
    return ": ".join([reason, ", ".join(details)]) if details else reason


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
