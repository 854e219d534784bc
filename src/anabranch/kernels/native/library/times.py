"""Parts of a timestamp, which is a number of microseconds since 1970.

>>> day = 86400 * 10**6
>>> year(20000 * day), month(20000 * day), day_of_month(20000 * day), weekday(20000 * day)
(2024, 10, 4, 4)
"""

from __future__ import annotations

from numba import njit

from anabranch.kernels.native.library.numbers import Bail

SECOND = 1_000_000
DAY = 86_400 * SECOND
FIRST, LAST = -62_135_596_800_000_000, 253_402_300_799_999_999


@njit(nogil=True, _nrt=False)
def within_calendar(time):
    """A time that Python's datetime can hold."""
    if time < FIRST or time > LAST:
        raise Bail
    return time


@njit(nogil=True, _nrt=False)
def microsecond(time):
    return time % SECOND


@njit(nogil=True, _nrt=False)
def second(time):
    return time // SECOND % 60


@njit(nogil=True, _nrt=False)
def minute(time):
    return time // (60 * SECOND) % 60


@njit(nogil=True, _nrt=False)
def hour(time):
    return time // (3600 * SECOND) % 24


@njit(nogil=True, _nrt=False)
def weekday(time):
    return (time // DAY + 3) % 7


@njit(nogil=True, _nrt=False)
def isoweekday(time):
    return weekday(time) + 1


@njit(nogil=True, _nrt=False)
def _from_march(time):
    """The year that begins in March, and the day in it: leap days come last, so no table is needed.
    """
    days = time // DAY + 719_468
    era = days // 146_097
    of_era = days - era * 146_097
    of_year = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    return of_year + era * 400, of_era - (365 * of_year + of_year // 4 - of_year // 100)


@njit(nogil=True, _nrt=False)
def month(time):
    _, day = _from_march(time)
    march = (5 * day + 2) // 153
    return march + 3 if march < 10 else march - 9


@njit(nogil=True, _nrt=False)
def year(time):
    marched, _ = _from_march(time)
    return marched + 1 if month(time) <= 2 else marched


@njit(nogil=True, _nrt=False)
def day_of_month(time):
    _, day = _from_march(time)
    return day - (153 * ((5 * day + 2) // 153) + 2) // 5 + 1
