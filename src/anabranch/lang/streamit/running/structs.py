"""Structures as values: compared and copied by what they hold."""

from __future__ import annotations

import numpy as np

from anabranch.lang.streamit.running.plain import copied


def struct_class(name: str, fields: tuple[str, ...]) -> type:
    """A class of structures with these fields.

    >>> point = struct_class("point", ("x", "y"))
    >>> a = point(1, 2); b = a.copy(); b.x = 5
    >>> a
    point(1, 2)
    """
    return type(name, (Structure,), {"__slots__": fields})


class Structure:
    """A value with fields."""

    __slots__ = ()

    def __init__(self, *values: object):
        for name, value in zip(self.__slots__, values, strict=True):
            setattr(self, name, value)

    def values(self) -> list:
        return [getattr(self, name) for name in self.__slots__]

    def copy(self) -> Structure:
        held = (np.ndarray, Structure)
        return type(self)(*(copied(v) if isinstance(v, held) else v for v in self.values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.values()))})"
