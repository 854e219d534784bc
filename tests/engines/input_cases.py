"""Sources that hand out what they, or an operator, change afterwards; and values of subclasses."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from datetime import datetime
from enum import IntEnum
from typing import NamedTuple

import numpy as np

import anabranch as ab


class Case(NamedTuple):
    name: str
    build: Callable[[], ab.Stream]
    expected: list


class Reading(ab.Record):
    place: str
    level: int
    share: float = 0.0
    values: object = None


class Loud(Reading):
    @property
    def place(self):
        raise AssertionError("a subclass was asked")

    def __iter__(self):
        raise AssertionError("a subclass was asked")


class Odd(int):
    def __int__(self):
        raise AssertionError("a subclass was asked")

    __index__ = __float__ = __add__ = __radd__ = __mul__ = __eq__ = __lt__ = __repr__ = __int__
    __hash__ = int.__hash__


class OddText(str):
    def __str__(self):
        raise AssertionError("a subclass was asked")

    __add__ = __len__ = __eq__ = __format__ = __repr__ = __getitem__ = isascii = encode = __str__
    __hash__ = str.__hash__


class OddFloat(float):
    def __float__(self):
        raise AssertionError("a subclass was asked")

    __add__ = __mul__ = __eq__ = __lt__ = __repr__ = __float__
    __hash__ = float.__hash__


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Box:
    def __init__(self):
        self.inside = []


class Times(ab.State):
    seen: int = 0


@ab.operator(by=None)
def counted(state: Times, item: object):
    """Stays in one place, and reads the item as late as any operator does."""
    state.seen += 1
    yield state.seen, repr(item)


N = 50


def again(make: Callable[[], object], change: Callable[[object, int], object]):
    """Always the same object, changed after each time."""
    one = make()
    for n in range(N):
        change(one, n)
        yield one


def in_box(box: Box, n: int) -> None:
    box.inside.append(n % 3)
    del box.inside[:-2]


def in_tuple(pair: tuple, n: int) -> None:
    pair[1][:] = [n]


def in_array(values: np.ndarray, n: int) -> None:
    values[0] = n


def of_generator(make, change) -> ab.Stream:
    return ab.from_iterable(again(make, change), object)


def pushed(queue: deque, n: int) -> None:
    queue.append(n)


def set_all(numbers: dict, n: int) -> None:
    numbers["n"] = n


def shown(item) -> str:
    return repr(item)


def made_again() -> ab.Stream:
    one = [0]

    def make(n: int):
        one[0] = n
        return one
    return ab.generate(make, N, to=object).map(shown)


def takes_out(item):
    item.pop()
    return len(item)


def changed_by_operator() -> ab.Stream:
    """The same list is in the collection several times, and an operator changes what it gets."""
    one = [1, 2, 3]
    return ab.from_iterable([one] * N, object).map(takes_out)


def removed_meanwhile() -> ab.Stream:
    """A list that an operator empties: what was there when the run began counts."""
    numbers = list(range(N))

    def forget(n):
        numbers.clear()
        return n
    return ab.from_iterable(numbers, int).map(forget)


def record_again() -> ab.Stream:
    values: list = []

    def readings():
        for n in range(N):
            values[:] = [n]
            yield Reading("here", n, 0.5, values)
    return ab.from_iterable(readings(), Reading).map(lambda r: (r.level, repr(r.values)))


def kinds(r: Reading) -> str:
    return " ".join([*(f"{type(v).__name__}:{v}" for v in r), type(r).__name__])


ODD = [Reading(OddText("a"), Odd(3), OddFloat(0.5)),
       Reading(np.str_("b"), np.int64(4), np.float32(0.25)), Reading("d", True, 2),
       Reading("e", 5, Level.LOW)]
PLAIN = [f"{kinds} NoneType:None Reading" for kinds in (
    "str:a int:3 float:0.5", "str:b int:4 float:0.25", "str:d bool:True int:2",
    "str:e int:5 int:1")]


class Moment(datetime):
    def __eq__(self, other):
        raise AssertionError("a subclass was asked")

    __hash__ = None


def kind_of(value) -> str:
    return f"{type(value).__name__} {value}"


CASES = [
    Case("list", lambda: of_generator(list, lambda one, n: one.append(n)).map(len),
         list(range(1, N + 1))),
    Case("dict", lambda: of_generator(dict, set_all).map(shown),
         [f"{{'n': {n}}}" for n in range(N)]),
    Case("set", lambda: of_generator(set, lambda one, n: one.add(n)).map(len),
         list(range(1, N + 1))),
    Case("deque", lambda: of_generator(lambda: deque(maxlen=1), pushed).map(lambda d: d[0]),
         list(range(N))),
    Case("object", lambda: of_generator(Box, in_box).map(lambda b: sum(b.inside)),
         [n % 3 + (n - 1) % 3 if n else 0 for n in range(N)]),
    Case("in a tuple", lambda: of_generator(lambda: ("x", [0]), in_tuple).map(lambda p: p[1][0]),
         list(range(N))),
    Case("array", lambda: of_generator(lambda: np.zeros(2), in_array).map(lambda a: float(a[0])),
         [float(n) for n in range(N)]),
    Case("in a record", record_again, [(n, f"[{n}]") for n in range(N)]),
    Case("with a state", lambda: of_generator(dict, set_all).apply(counted),
         [(n + 1, f"{{'n': {n}}}") for n in range(N)]),
    Case("generate", made_again, [f"[{n}]" for n in range(N)]),
    Case("changed by an operator", changed_by_operator, [2] * N),
    Case("removed meanwhile", removed_meanwhile, list(range(N))),
    Case("declared in a list", lambda: ab.from_iterable(ODD, Reading).map(kinds), PLAIN),
    Case("declared in a generator", lambda: ab.from_iterable(iter(ODD), Reading).map(kinds), PLAIN),
    Case("declared of generate", lambda: ab.generate(lambda n: ODD[n], len(ODD), to=Reading)
         .map(kinds), PLAIN),
    Case("a subclass", lambda: ab.from_iterable(iter([Loud("c", 1), Reading("d", 2)]), Reading)
         .map(kinds), ["str:c int:1 float:0.0 NoneType:None Reading",
                       "str:d int:2 float:0.0 NoneType:None Reading"]),
    Case("int", lambda: ab.from_iterable(
        iter([Odd(3), Level.LOW, np.uint8(4), True, 5]), int).map(kind_of),
        ["int 3", "int 1", "int 4", "bool True", "int 5"]),
    Case("bytes", lambda: ab.from_iterable(iter([bytearray(b"x"), np.bytes_(b"y")]), bytes)
         .map(kind_of), ["bytes b'x'", "bytes b'y'"]),
    Case("datetime", lambda: ab.from_iterable(iter([Moment(2024, 5, 1, 12)]), datetime)
         .map(kind_of), ["datetime 2024-05-01 12:00:00"]),
    Case("list of ints", lambda: ab.from_iterable(iter([(Odd(1), 2), [Level.HIGH]]), list[int])
         .map(shown), ["[1, 2]", "[2]"]),
]
