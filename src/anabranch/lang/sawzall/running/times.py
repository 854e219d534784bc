"""Times: microseconds since 1970, in some time zone as a calendar shows them.

>>> shown(3_600_000_000, "PST8PDT")
'Wed Dec 31 17:00:00 PST 1969'
>>> time_of("Dec 31 17:00 1969", "PST8PDT")
3600000000
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

from anabranch.lang.sawzall.running.undefined import Undefined

DEFAULT = "PST8PDT"
ALIASES = {
    "PST": "America/Los_Angeles", "PDT": "America/Los_Angeles", "PST8PDT": "America/Los_Angeles",
    "MST": "America/Denver", "MDT": "America/Denver", "MST7MDT": "America/Denver",
    "CST": "America/Chicago", "CDT": "America/Chicago", "CST6CDT": "America/Chicago",
    "EST": "America/New_York", "EDT": "America/New_York", "EST5EDT": "America/New_York",
}
OFFSETS = {"PST": -8, "PDT": -7, "MST": -7, "MDT": -6, "CST": -6, "CDT": -5, "EST": -5, "EDT": -4}
MILITARY = {**{c: i for i, c in enumerate("ABCDEFGHI", 1)},
            **{c: i for i, c in enumerate("KLM", 10)},
            **{c: -i for i, c in enumerate("NOPQRSTUVWXY", 1)}}
GREENWICH = ("GMT", "UT", "UTC", "Z")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
DATE = re.compile(rf"""\s*(?:(?:{'|'.join(DAYS)})[a-z]*,?\s+)?({'|'.join(MONTHS)})[a-z]*\s+
    (\d{{1,2}})\s+(\d{{1,2}})(?::(\d{{2}})(?::(\d{{2}})(\.\d+)?)?)?
    (?:\s+([A-Za-z][\w/+-]*|[+-]\d{{3,4}}))?\s+(\d{{4}})\s*""", re.VERBOSE)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SECOND = 1_000_000


@lru_cache
def zone(name: str) -> tzinfo:
    """The time zone of a name: `PST`, `EST5EDT`, `America/New_York`, `-500`."""
    if name in GREENWICH:
        return timezone(timedelta(0), "GMT")
    if name in MILITARY:
        return timezone(timedelta(hours=MILITARY[name]), name)
    if re.fullmatch(r"[+-]\d{3,4}", name):
        minutes = int(name[1:-2]) * 60 + int(name[-2:])
        return timezone(timedelta(minutes=minutes if name[0] == "+" else -minutes), name)
    try:
        return ZoneInfo(ALIASES.get(name, name))
    except (OSError, ValueError, KeyError):
        raise Undefined(f"time zone '{name}' is not known") from None


def moment(time: int, name: str) -> datetime:
    """A time in a zone."""
    try:
        return (EPOCH + timedelta(microseconds=time)).astimezone(zone(name))
    except (OverflowError, ValueError):
        raise Undefined(f"{time}T is not within the years 1 to 9999") from None


def micros(at: datetime) -> int:
    elapsed = at - EPOCH
    total = (elapsed.days * 86_400 + elapsed.seconds) * SECOND + elapsed.microseconds
    if total < 0:
        raise Undefined("a time before 1970 has no value")
    return total


def shown(time: int, name: str) -> str:
    """A time as C's `ctime` shows it."""
    at = moment(time, name)
    return (f"{DAYS[at.weekday()]} {MONTHS[at.month - 1]} {at.day:2} {at:%H:%M:%S} "
            f"{at.tzname()} {at.year:04}")


def time_of(text: str, name: str) -> int:
    """The time that a date shows, in the zone it names or else in this one."""
    found = DATE.fullmatch(text)
    if found is None:
        raise Undefined(f"'{text}' is not an accepted date string")
    month, day, hour, minute, second, fraction, own, year = found.groups()
    try:
        at = datetime(int(year), MONTHS.index(month) + 1, int(day), int(hour), int(minute or 0),
                      int(second or 0), int(float(fraction or 0) * SECOND))
    except ValueError as error:
        raise Undefined(f"'{text}' is not an accepted date string: {error}") from None
    return micros(_placed(at, own or name))


def _placed(at: datetime, name: str) -> datetime:
    """A date in a zone. A name such as PDT tells the offset, whatever the season."""
    if name in OFFSETS:
        return at.replace(tzinfo=timezone(timedelta(hours=OFFSETS[name])))
    placed = at.replace(tzinfo=zone(name), fold=1)
    # An hour that the clocks leave out is counted from before they change.
    exists = placed.astimezone(UTC).astimezone(placed.tzinfo).replace(tzinfo=None) == at
    return placed if exists else placed.replace(fold=0)


def added(time: int, name: str, days: int = 0, months: int = 0) -> int:
    """A later time that the same clock shows on another day."""
    at = moment(time, name).replace(tzinfo=None)
    try:
        total = at.year * 12 + at.month - 1 + months
        year, month = divmod(total, 12)
        day = min(at.day, monthrange(year, month + 1)[1])
        at = at.replace(year=year, month=month + 1, day=day) + timedelta(days=days)
    except (OverflowError, ValueError):
        raise Undefined("this time is not within the years 1 to 9999") from None
    return micros(_placed(at, name))


TRUNCATED = {"second": {"microsecond": 0}, "minute": {"second": 0}, "hour": {"minute": 0},
             "day": {"hour": 0}, "month": {"day": 1}, "year": {"month": 1}}


def truncated(time: int, name: str, unit: str) -> int:
    """The beginning of the second, the minute, ... or the week that a time is in."""
    if unit == "second":
        # Seconds begin at once in all zones, so szl does not even look for the zone.
        return time - time % 1_000_000
    at = moment(time, name)
    if unit == "week":
        start = truncated(time, name, "day")
        return added(start, name, days=-at.weekday())
    for each, smaller in TRUNCATED.items():
        at = at.replace(**smaller)
        if each == unit:
            break
    if unit in ("minute", "hour"):
        return micros(at)
    return micros(_placed(at.replace(tzinfo=None, fold=0), name))


def formatted_time(pattern: str, time: int, name: str) -> str:
    return moment(time, name).strftime(pattern)
