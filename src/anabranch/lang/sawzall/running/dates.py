"""Dates as text, and what a clock shows, which may go beyond a month or a day.

>>> clock, zone = read_date("Wed, 28 Feb 2007 13:50:21.5 GMT")
>>> clock
Clock(year=2007, month=2, day=28, hour=13, minute=50, second=21, micro=500000)
>>> zone, seconds_of(clock)
('GMT', 1172670621)
"""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
EPOCH_DAY = date(1970, 1, 1).toordinal()
NUMBER = re.compile(r"\d*")
SECONDS = re.compile(r"\d*\.?\d*")


class Clock(NamedTuple):
    """What a clock and a calendar show; the 31st of February is the 3rd of March."""

    year: int
    month: int
    day: int
    hour: int = 0
    minute: int = 0
    second: int = 0
    micro: int = 0


def seconds_of(clock: Clock) -> int:
    """How many seconds after 1970 a clock in Greenwich shows this; a `ValueError` for a year that
    no calendar has."""
    year, month = divmod(clock.year * 12 + clock.month - 1, 12)
    days = date(year, month + 1, 1).toordinal() - EPOCH_DAY + clock.day - 1
    return ((days * 24 + clock.hour) * 60 + clock.minute) * 60 + clock.second


def read_date(text: str) -> tuple[Clock, str]:
    """What `[Wkd] Mon DD HH:MM:SS [zone] YYYY` or `[Wkd,] DD Mon YYYY HH:MM:SS [zone]` shows, and
    the zone that it names; a `ValueError` for any other text."""
    fields = text.split()
    if not 4 <= len(fields) <= 6:
        raise ValueError("a date has four to six parts")
    if fields[0].partition(",")[0].lower() in DAYS:
        fields = fields[1:]
    if not 4 <= len(fields) <= 5:
        raise ValueError("a date has a month, a day, a time and a year")
    if fields[0].lower() in MONTHS:
        month, day, time, *zone, year = fields
    else:
        day, month, year, time, *zone = fields
    number = MONTHS.index(month.lower()) + 1
    return Clock(_year(year), number, _number(day), *_time(time)), "".join(zone)


def _number(text: str) -> int:
    """The number at the beginning of a text, as C reads it."""
    return int(NUMBER.match(text)[0] or 0)


def _year(text: str) -> int:
    """Two digits are a year of the twentieth century."""
    if len(text) < 2:
        raise ValueError("a year has at least two digits")
    return _number(text) + (1900 if len(text) == 2 else 0)


def _time(text: str) -> tuple[int, int, int, int]:
    """`hh[:mm[:ss[.fraction]]]`."""
    hour, minute, second = (*text.split(":", 2), "", "")[:3]
    found = SECONDS.match(second)[0]
    exact = float(found if found not in ("", ".") else 0) + 0.000_000_5
    whole = int(exact) if exact < 60 else 0
    micro = int((exact - whole) * 1_000_000) if exact < 60 else 0
    return _number(hour), _number(minute), whole, micro
