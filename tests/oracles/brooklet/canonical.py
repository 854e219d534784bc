"""Values made comparable: equal forms for equal values, hashable whatever the values are."""

from __future__ import annotations

from collections import deque


def canonical(value: object) -> object:
    """A hashable form in which 1, 1.0 and True differ, and objects are told by their fields.

    >>> canonical([1, float("nan")]) == canonical([1, float("nan")])
    True
    >>> canonical((1,)) == canonical((True,))
    False
    """
    name = type(value).__qualname__
    if isinstance(value, float):
        return name, repr(value)
    if isinstance(value, (list, tuple, deque)):
        return name, tuple(map(canonical, value))
    if isinstance(value, dict):
        # In order: a map of states is finished in the order of its keys.
        return name, tuple((canonical(k), canonical(v)) for k, v in value.items())
    if isinstance(value, (set, frozenset)):
        return name, frozenset(map(canonical, value))
    if type(value).__hash__ in (None, object.__hash__) and (fields := _fields(value)) is not None:
        return name, tuple((f, canonical(v)) for f, v in fields.items())
    return name, value if type(value).__hash__ else repr(value)


def _fields(value: object) -> dict[str, object] | None:
    """The attributes of an object that is compared by identity; None if it has no fields."""
    slots = [s for cls in type(value).__mro__ for s in getattr(cls, "__slots__", ())]
    if not slots and not hasattr(value, "__dict__"):
        return None
    held = {s: getattr(value, s) for s in slots if hasattr(value, s)}
    return {**held, **getattr(value, "__dict__", {})}
