"""Whether two states are the same, also where what they hold has no equality of its own."""

from __future__ import annotations

import numpy as np

from anabranch.ir.records import State


def alike(one: object, other: object) -> bool:
    """Equal, part by part. Objects without an equality are what they have as attributes; arrays
    are their elements; a NaN is like another.

    >>> alike([np.array([1, 2]), float("nan")], [np.array([1, 2]), float("nan")])
    True
    >>> alike({"a": 1}, {"a": 2})
    False
    """
    if type(one) is type(other):
        if isinstance(one, dict):
            return one.keys() == other.keys() and all(alike(one[k], other[k]) for k in one)
        if isinstance(one, (list, tuple)):
            return len(one) == len(other) and all(map(alike, one, other))
        if isinstance(one, np.ndarray):
            return one.shape == other.shape and alike(one.tolist(), other.tolist())
        if (parts := _parts(one)) is not None:
            return alike(parts, _parts(other))
    return bool(one == other) or bool(one != one and other != other)


def _parts(thing: object) -> dict | None:
    """The attributes of an object that has no equality but being itself."""
    if isinstance(thing, State):
        return thing.__getstate__()
    return getattr(thing, "__dict__", None) if type(thing).__eq__ is object.__eq__ else None
