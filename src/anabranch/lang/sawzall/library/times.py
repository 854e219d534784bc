"""Times: microseconds since 1970, as calendars and clocks of time zones show.

Times: microseconds since 1970, in some time zone as a calendar shows them.

>>> shown(3_600_000_000, "PST8PDT"), shown(0, "-0330")
('Wed Dec 31 17:00:00 PST 1969', 'Wed Dec 31 20:30:00 GMT-03:30 1969')
>>> time_of("Dec 31 17:00 1969", "PST8PDT")
3600000000

Dates as text, and what a clock shows, which may go beyond a month or a day.

>>> clock, zone = read_date("Wed, 28 Feb 2007 13:50:21.5 GMT")
>>> clock
Clock(year=2007, month=2, day=28, hour=13, minute=50, second=21, micro=500000)
>>> zone, seconds_of(clock)
('GMT', 1172670621)
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from anabranch.lang.sawzall.library.values import Undefined, quoted

DEFAULT = "PST8PDT"
ALIASES = {
    "PST": "America/Los_Angeles", "PDT": "America/Los_Angeles", "PST8PDT": "America/Los_Angeles",
    "MST": "America/Denver", "MDT": "America/Denver", "MST7MDT": "America/Denver",
    "CST": "America/Chicago", "CDT": "America/Chicago", "CST6CDT": "America/Chicago",
    "EST": "America/New_York", "EDT": "America/New_York", "EST5EDT": "America/New_York",
}
OFFSETS = {"PST": -8, "PDT": -7, "MST": -7, "MDT": -6, "CST": -6, "CDT": -5, "EST": -5, "EDT": -4}
MILITARY = {**{c: -i for i, c in enumerate("ABCDEFGHI", 1)},
            **{c: -i for i, c in enumerate("KLM", 10)},
            **{c: i for i, c in enumerate("NOPQRSTUVWXY", 1)}}
GREENWICH = ("GMT", "UT", "UTC", "Z")
NUMBERED = re.compile(r"([+-])(\d*)")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SECOND = 1_000_000
LAST = (1 << 31) * SECOND
"""Seconds have 31 bits in `szl`, so its times end in January 2038."""


@lru_cache
def zone(name: str) -> tzinfo:
    """The time zone of a name: `PST`, `EST5EDT`, `America/New_York`, `-500`."""
    spelt = name.upper()
    if spelt in GREENWICH:
        return timezone(timedelta(0), "GMT")
    if spelt in MILITARY:
        return timezone(timedelta(hours=MILITARY[spelt]), spelt)
    numbered = NUMBERED.match(name)
    if numbered:
        return _numbered(numbered[1], int(numbered[2] or 0), name)
    try:
        return ZoneInfo(ALIASES.get(spelt, name))
    except (OSError, ValueError, KeyError):
        raise _unknown(name) from None


def _numbered(sign: str, digits: int, name: str) -> tzinfo:
    """A zone so many hours and minutes from Greenwich."""
    hours, minutes = divmod(digits, 100)
    label = f"GMT{sign}{hours:02}:{minutes:02}" if digits else "GMT"
    away = timedelta(hours=hours, minutes=minutes)
    try:
        return timezone(away if sign == "+" else -away, label)
    except ValueError:
        raise _unknown(name) from None


def _unknown(name: str) -> Undefined:
    return Undefined(f"invalid time, or time zone {quoted(name)} was not recognized")


def moment(time: int, name: str) -> datetime:
    """A time in a zone."""
    if not 0 <= time < LAST:
        raise _unknown(name)
    return (EPOCH + timedelta(microseconds=time)).astimezone(zone(name))


def shown(time: int, name: str) -> str:
    """A time as C's `ctime` shows it."""
    at = moment(time, name)
    return (f"{DAYS[at.weekday()].title()} {MONTHS[at.month - 1].title()} {at.day:2} "
            f"{at:%H:%M:%S} {at.tzname()} {at.year:04}")


def time_of(text: str, name: str) -> int:
    """The time that a date shows, in the zone it names or else in this one."""
    try:
        clock, own = read_date(text)
        return _placed(clock, own or name, OFFSETS.get((own or name).upper()))
    except (ValueError, Undefined):
        raise Undefined(f"date conversion failed ({quoted(text)} is not an accepted date string) or"
                        f" time zone {quoted(name)} was not recognized") from None


def _placed(clock: Clock, name: str, offset: int | None = None, summer: bool = False) -> int:
    """The time when clocks in a zone show this. An `offset` in hours counts whatever the season;
    `summer` chooses the first of two times when clocks show the same."""
    try:
        at = datetime(1970, 1, 1) + timedelta(seconds=seconds_of(clock))
    except (OverflowError, ValueError):
        raise Undefined("result time was out of range") from None
    there = timezone(timedelta(hours=offset)) if offset is not None else zone(name)
    placed = at.replace(tzinfo=there, fold=1)
    # An hour that the clocks leave out is counted from before they change.
    exists = placed.astimezone(UTC).astimezone(there).replace(tzinfo=None, fold=0) == at
    if not exists or (summer and placed.replace(fold=0).dst()):
        placed = placed.replace(fold=0)
    elapsed = placed - EPOCH
    time = (elapsed.days * 86_400 + elapsed.seconds) * SECOND + clock.micro
    if not 0 <= time < LAST:
        raise Undefined("result time was out of range")
    return time


def _clock(at: datetime) -> Clock:
    return Clock(at.year, at.month, at.day, at.hour, at.minute, at.second, at.microsecond)


def _again(clock: Clock, at: datetime, name: str) -> int:
    """The time of another clock, in the season of a moment where that is not clear."""
    return _placed(clock, name, summer=name.upper() in ("PDT", "MDT", "CDT", "EDT")
                   or (bool(at.dst()) and name.upper() not in OFFSETS))


def added(time: int, name: str, days: int = 0, months: int = 0) -> int:
    """A later time that the same clock shows on another day."""
    at = moment(time, name)
    clock = _clock(at)
    moved = clock._replace(month=clock.month + months, day=clock.day + days)
    return _again(moved, at, name)


TRUNCATED = {"minute": {"second": 0, "micro": 0}, "hour": {"minute": 0}, "day": {"hour": 0},
             "month": {"day": 1}, "year": {"month": 1}}


def truncated(time: int, name: str, unit: str) -> int:
    """The beginning of the second, the minute, ... or the week that a time is in."""
    if unit == "second":
        # Seconds begin at once in all zones, so szl does not even look for the zone.
        return time - time % SECOND
    at = moment(time, name)
    if unit == "week":
        return added(truncated(time, name, "day"), name, days=-at.weekday())
    clock = _clock(at)
    for each, smaller in TRUNCATED.items():
        clock = clock._replace(**smaller)
        if each == unit:
            break
    return _again(clock, at, name)


def formatted_time(pattern: str, time: int, name: str) -> str:
    """As C's `strftime` shows the fields of a clock, which it believes to be in Greenwich."""
    found = moment(time, name).replace(tzinfo=zone("GMT")).strftime(pattern)
    if not 0 < len(found.encode(errors="replace")) < 199:
        raise Undefined("formattime: result too long")
    return found


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
