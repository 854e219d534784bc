"""A property that is computed once, in objects that several threads have.

`functools.cached_property` asks for the object's `__dict__`, which CPython 3.11 makes at the first
request. Where two threads ask at once, and a garbage collection lets the second one in, each gets a
dictionary of its own over the same memory: once one of them is gone, a later collection reads what
is not there any more and the process dies. Here nobody asks for that dictionary.

>>> class Circle:
...     def __init__(self, radius):
...         self.radius = radius
...
...     @once
...     def area(self):
...         print("computing")
...         return 3 * self.radius ** 2
>>> circle = Circle(2)
>>> circle.area, circle.area
computing
(12, 12)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class once(Generic[Value]):
    """Threads that ask at the same time may compute it each for themselves; one result stays."""

    def __init__(self, compute: Callable[..., Value]):
        self.compute, self.__doc__ = compute, compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object | None, owner: type) -> Value:
        if instance is None:
            return self
        value = self.compute(instance)
        # What an object holds itself is found before this. Also in a frozen one.
        object.__setattr__(instance, self.name, value)
        return value
