"""Times: a datetime with a zone is an instant, one without is a wall-clock time.

Neither becomes the other. Instants are ordered as such, whatever their zones.
"""

from __future__ import annotations

from datetime import UTC, datetime

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
