"""Chooses the channel of an item: in turn, or by a hash of its key that is the same everywhere."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from numbers import Number

import numpy as np

from anabranch.errors import RunError
from anabranch.ir.keys import is_certain
from anabranch.ir.operators import key_function
from anabranch.plan import Routing


def key_hash(value: object) -> int:
    """A hash that does not depend on the process; values that are equal have equal hashes.

    >>> key_hash(1) == key_hash(1.0) == key_hash(True), key_hash("IBM")
    (True, 1244168183)
    """
    if not is_certain(value):
        raise RunError(f"items cannot be routed by a {type(value).__name__}", got=repr(value),
                       expected="a key of numbers, strings, bytes, times or records of these")
    if isinstance(value, (str, bytes)):
        text = value.encode(errors="surrogatepass") if isinstance(value, str) else value
        return zlib.crc32(text)
    if isinstance(value, tuple):
        return _combined([key_hash(v) for v in tuple.__iter__(value)])
    if isinstance(value, (datetime, time)) and value.utcoffset() is not None:
        return hash(_since_midnight(value))
    if isinstance(value, (date, time)):
        return zlib.crc32(value.isoformat().encode())
    if isinstance(value, (Number, timedelta, np.bool_)) and value == value:
        # Python's own hash of a number is the same in every process, unlike that of a string.
        return hash(value)
    if isinstance(value, frozenset):
        return sum(map(key_hash, value))
    # None, NaN, and kinds that hash differently in each process: each kind meets in one place.
    return 0


def _combined(hashes: list[int]) -> int:
    result = 0
    for each in hashes:
        result = (result * 1_000_003 ^ each) & 0xFFFFFFFFFFFFFFFF
    return result


def _since_midnight(value: datetime | time) -> timedelta:
    """An instant as the distance from a midnight in UTC. As in Python's own hash, an hour that a
    clock shows twice is taken for the first: in one zone the two are equal."""
    first = value.replace(fold=0)
    days = first.toordinal() if isinstance(value, datetime) else 0
    clock = timedelta(days, first.second, first.microsecond, 0, first.minute, first.hour)
    return clock - first.utcoffset()


class Turn:
    """Which channel is next when items go round."""

    __slots__ = ("channel",)

    def __init__(self):
        self.channel = -1


def channel_of(routing: Routing, degree: int) -> Callable[[Turn, object], int]:
    """From an item (and whose turn it is) to its channel.

    >>> turn, chosen = Turn(), channel_of(Routing(), 2)
    >>> [chosen(turn, item) for item in "abc"]
    [0, 1, 0]
    """
    if routing.key:
        key = key_function(routing.key)
        return lambda turn, item: key_hash(key(item)) % degree

    def next_channel(turn: Turn, item: object) -> int:
        turn.channel = (turn.channel + 1) % degree
        return turn.channel
    return next_channel
