"""Event times: when two are ordered, and how far a silent source has come.

A datetime with a zone is an instant, one without is a wall-clock time. Neither becomes the other.
Instants are ordered as such, whatever their zones.

Sources merged by their times wait for each other: an item may go when no other source can still
send an earlier one. A source that falls silent would hold all others back, so it says from time to
time how far it has come: these are its heartbeats.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from anabranch.core.errors import ProgramError
from anabranch.core.source import caller_span

EPOCH = datetime(1970, 1, 1)
UTC_EPOCH = EPOCH.replace(tzinfo=UTC)


def is_aware(time: object) -> bool | None:
    """Whether a time is an instant, or a wall-clock time; None for a number.

    >>> is_aware(UTC_EPOCH), is_aware(EPOCH), is_aware(0)
    (True, False, None)
    """
    return time.utcoffset() is not None if isinstance(time, datetime) else None


def moment(time: object) -> object:
    """What a time is ordered by: an instant in UTC, as Python compares those of one zone by what
    clocks show; anything else as it is.

    >>> moment(datetime.fromisoformat("2024-05-01T12:00+02:00")).hour, moment(3)
    (10, 3)
    """
    if not isinstance(time, datetime) or time.tzinfo is UTC or time.utcoffset() is None:
        return time
    try:
        return time.astimezone(UTC)
    except OverflowError:
        return time


def origin_of(aware: bool | None) -> datetime:
    return UTC_EPOCH if aware else EPOCH


def elapsed_of(time: object) -> object:
    """A time as the distance from where windows are counted from."""
    return time - origin_of(is_aware(time)) if isinstance(time, datetime) else time


@dataclass(frozen=True)
class Heartbeats:
    """A source that has sent nothing for `every` seconds promises that all it will send has at
    least the time that `clock()` gives. As the clock is asked before it is looked whether something
    has come, that is so at any rate of items, if items get their times from that clock.

    >>> import time
    >>> Heartbeats(time.time).every
    0.1
    """

    clock: Callable[[], object]
    every: float = 0.1

    def __post_init__(self):
        if not callable(self.clock):
            raise ProgramError("the clock of heartbeats is a function without arguments",
                               caller_span(), got=repr(self.clock),
                               help="write Heartbeats(time.time)")
        if not isinstance(self.every, (int, float)) or not self.every > 0:
            raise ProgramError("heartbeats come every so many seconds", caller_span(),
                               got=repr(self.every))
