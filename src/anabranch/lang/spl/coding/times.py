"""What generated code calls for times."""

from __future__ import annotations

import calendar
import datetime
import math
import re
import time
from decimal import Decimal

from anabranch.core.errors import RunError
from anabranch.lang.spl.coding.values import Timestamp

EPOCH = datetime.date(1970, 1, 1).toordinal()


def now() -> Timestamp:
    nanoseconds = time.time_ns()
    return Timestamp(nanoseconds // 10**9, nanoseconds % 10**9, 0)


def counter() -> int:
    return time.perf_counter_ns()


def broken_down(t: Timestamp) -> time.struct_time:
    """A time as a date, in UTC: a program tells the same everywhere."""
    try:
        return time.gmtime(t.seconds)
    except (OverflowError, OSError, ValueError):
        raise RunError("a time is beyond the calendar") from None


def time_text(t: Timestamp) -> str:
    return time.strftime("%a %b %e %H:%M:%S %Y", broken_down(t))


def time_of(date: str, clock: str, zone: str = "UTC0") -> Timestamp:
    """
    >>> time_of("4-OCT-2005", "20:00:00.250"), time_of("4-OCT-2005", "20:00:00", "UTC-2").seconds
    (Timestamp(seconds=1128456000, nanoseconds=250000000, machineId=0), 1128448800)
    """
    whole_seconds, _, fraction = clock.partition(".")
    try:
        parts = time.strptime(f"{date.title()} {whole_seconds}", "%d-%b-%Y %H:%M:%S")
        seconds = calendar.timegm(parts) + west_of(zone)
        return Timestamp(seconds, int(f"{fraction[:9]:0<9}"), 0)
    except ValueError:
        raise RunError(f"'{date} {clock}' is no time", expected="4-OCT-2005 20:00:00.000") from None


def west_of(zone: str) -> int:
    """The seconds by which a zone is behind UTC, as POSIX writes it: `EST5`, `UTC-5:30`.

    >>> west_of("EST5"), west_of("UTC-5:30"), west_of("UTC")
    (18000, -19800, 0)
    """
    found = re.fullmatch(r"[A-Za-z]+|<[^>]+>|[A-Za-z]+([+-]?)(\d+)(?::(\d+))?(?::(\d+))?", zone)
    if found is None:
        raise RunError(f"{zone!r} is no time zone", expected="a name and its hours, as 'EST5'")
    hours, minutes, seconds = (int(each or 0) for each in found.groups()[1:])
    return (-1 if found[1] == "-" else 1) * (hours * 3600 + minutes * 60 + seconds)


def time_in(form: str, text: str, zone: str = "UTC0") -> Timestamp:
    """The time that a text tells, by one of the forms of `Sys`.

    >>> time_in("MM_DD_YYYY_hh_mm_ss_mmm", "10/04/2005 20:00:00.250")
    Timestamp(seconds=1128456000, nanoseconds=250000000, machineId=0)
    """
    letters = {"YYYY": r"(?P<Y>\d{4})", "MM": r"(?P<m>\d\d)", "DD": r"(?P<d>\d\d)",
               "hh": r"(?P<H>\d\d)", "mmm": r"(?P<f>\d{3})", "mm": r"(?P<M>\d\d)",
               "ss": r"(?P<S>\d\d)"}
    pattern = re.sub("YYYY|MM|DD|hh|mmm|mm|ss|_", lambda part: letters.get(part[0], "."), form)
    found = re.fullmatch(pattern, text)
    try:
        parts = found.groupdict()
        days = (int(parts[each]) for each in "YmdHMS")
        seconds = int(datetime.datetime(*days, tzinfo=datetime.UTC).timestamp())
    except (AttributeError, ValueError):
        raise RunError(f"{text!r} is no time", expected=form) from None
    return Timestamp(seconds + west_of(zone), int(parts.get("f") or 0) * 1000000, 0)


def broken_apart(t: Timestamp, zone: str = "UTC0") -> tuple:
    """The parts of a time as `Sys.tm` has them, in a zone."""
    west = west_of(zone)
    parts = broken_down(Timestamp(t.seconds - west))
    return (parts.tm_sec, parts.tm_min, parts.tm_hour, parts.tm_mday, parts.tm_mon - 1,
            parts.tm_year - 1900, (parts.tm_wday + 1) % 7, parts.tm_yday - 1, 0, -west,
            re.match("[A-Za-z]*", zone)[0])


def put_together(parts: tuple) -> Timestamp:
    """The time whose parts these are; months and days may be more than there are."""
    year = parts[5] + 1900 + parts[4] // 12
    days = datetime.date(year, parts[4] % 12 + 1, 1).toordinal() - EPOCH + parts[3] - 1
    seconds = days * 86400 + parts[2] * 3600 + parts[1] * 60 + parts[0] - parts[9]
    return Timestamp(seconds, 0, 0)


def formatted(parts: tuple, form: str) -> str:
    whole = broken_down(put_together((*parts[:9], 0, parts[10])))
    return time.strftime(form.replace("%Z", parts[10]), whole)


def read_by(text: str, form: str) -> tuple:
    """The parts of the time that the beginning of a text tells, and how many characters it is."""
    for end in range(len(text), 0, -1):
        try:
            parts = time.strptime(text[:end], form)
        except ValueError:
            continue
        return broken_apart(Timestamp(calendar.timegm(parts))), end
    return broken_apart(Timestamp(0)), 0


def read_tm(text: str, form: str, made: type) -> tuple:
    """What `strptime` gives its variables, behind its result."""
    parts, end = read_by(text, form)
    return None, made(*parts), end


def from_decimal(t: Decimal) -> Timestamp:
    nanoseconds = int(t.scaleb(9))
    return Timestamp(nanoseconds // 10**9, nanoseconds % 10**9, 0)


def moved_by(t: Timestamp, nanoseconds: int) -> Timestamp:
    total_nanoseconds = t.nanoseconds + nanoseconds
    return Timestamp(t.seconds + total_nanoseconds // 10**9, total_nanoseconds % 10**9, t.machineId)


def nanoseconds_between(late: Timestamp, early: Timestamp) -> int:
    return (late.seconds - early.seconds) * 10**9 + late.nanoseconds - early.nanoseconds


def decimal_time(t: Timestamp) -> Decimal:
    return Decimal(t.seconds) + Decimal(t.nanoseconds).scaleb(-9)


def moved(t: Timestamp, seconds: float) -> Timestamp:
    whole_seconds = math.floor(seconds)
    nanoseconds = t.nanoseconds + round((seconds - whole_seconds) * 1e9)
    return Timestamp(t.seconds + whole_seconds + nanoseconds // 10**9, nanoseconds % 10**9,
                     t.machineId)


def elapsed(late: Timestamp, early: Timestamp) -> float:
    return (late.seconds - early.seconds) + (late.nanoseconds - early.nanoseconds) / 1e9
