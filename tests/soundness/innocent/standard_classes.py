"""Classes of one's own beside those of the library, as users derive and ask them."""

from __future__ import annotations

import abc
import bisect
import collections
import contextlib
import enum
import fractions
import functools
import gzip
import ipaddress
import numbers
from dataclasses import asdict, dataclass, replace
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from soundness.items import VISITS

USES = dict.fromkeys(("map_field_by_name", "map_method_beside_names"), VISITS)


@dataclass(frozen=True, order=True)
class Money:
    amount: int
    unit: str = "eur"

    @property
    def cents(self) -> int:
        return self.amount * 100


def map_dataclass_text(t): return repr(Money(t.n))


def map_dataclass_equal(t): return Money(t.n) == Money(3), Money(t.n) < Money(4)


def map_dataclass_key(t): return {Money(t.n): t.word}[Money(t.n)]


def map_dataclass_parts(t): return asdict(Money(t.n)), replace(Money(t.n), unit="usd").cents


class Pair(NamedTuple):
    left: int
    right: int = 0

    @property
    def total(self) -> int:
        return self.left + self.right


def map_named_tuple(t): return Pair(t.n)._replace(right=2).total


def map_named_tuple_as_dict(t): return repr(Pair(t.n, 1)), Pair(t.n) == Pair(1)


class Tagged(collections.namedtuple("Tagged", "n tag")):
    def shown(self) -> str:
        return f"{self.n}:{self.tag}"


def map_derived_named_tuple(t): return Tagged(t.n, t.word).shown(), str(Tagged(1, "a"))


@runtime_checkable
class HasArea(Protocol):
    def area(self) -> float: ...


class Square:
    def __init__(self, side: float):
        self.side = side

    def area(self) -> float:
        return self.side * self.side


def map_protocol(t):
    shape = Square(t.x)
    return shape.area() if isinstance(shape, HasArea) else 0.0


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self) -> float: ...


class Circle(Shape):
    def __init__(self, r: float):
        self.r = r

    def area(self) -> float:
        return 3.0 * self.r * self.r


def map_abstract(t):
    shape = Circle(t.x)
    return shape.area() if isinstance(shape, Shape) else 0.0


def filter_number(t): return isinstance(t.x, numbers.Number) and isinstance(t.n, numbers.Integral)


class Weekday(enum.IntEnum):
    MON = 0
    TUE = 1

    @property
    def short(self) -> str:
        return self.name[:2]

    @enum.property
    def is_first(self) -> bool:
        return self.value == 0


def map_enum_property(t): return Weekday(t.n % 2).short, Weekday.MON.is_first


def map_field_by_name(t):
    return [str(getattr(t, name)) for name in ("user", "page")]


def map_method_beside_names(t):
    name = "user" if t.ms > 100 else "key"
    return getattr(t, name) + 1


def map_gzip_with_time(t): return gzip.compress(t.word.encode(), mtime=0)


def map_date_of_numpy(t): return str(np.datetime64("2024-01-31") + np.timedelta64(t.n, "D"))


class Steps:
    def __init__(self, n: int):
        self.n = n

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, place: int) -> int:
        if place >= self.n:
            raise IndexError(place)
        return place * place


def map_reversed(t): return list(reversed(Steps(t.n % 5)))


def map_suppress(t):
    with contextlib.suppress(ValueError, TypeError):
        return int(t.word)
    return -1


def map_no_common_keys(t): return {"a": 1, t.word: 2}.keys().isdisjoint(["a", "b"])


def map_fraction(t): return str(fractions.Fraction(t.n, 3) + fractions.Fraction(1, 6))


def map_network(t):
    return ipaddress.ip_address(f"10.0.0.{t.n}") in ipaddress.ip_network("10.0.0.0/28")


class Ordered(collections.OrderedDict):
    def first(self) -> str:
        return next(iter(self))


def map_ordered(t):
    found = Ordered()
    found[t.word] = t.n
    found["z"] = 1
    return found.first()


def map_errors_in_groups(t):
    try:
        raise ExceptionGroup("several", [ValueError(t.n), KeyError(t.word)])
    except* ValueError as found:
        n = len(found.exceptions)
    except* KeyError:
        n = 0
    return n


def map_until(t):
    parts = iter([t.n, t.n + 1, 0, 5])
    return sum(iter(lambda: next(parts), 0))


def map_by_name(t):
    places = list(enumerate(iterable=t.xs, start=1))
    return round(number=t.x, ndigits=1), bisect.bisect(a=[1, 5, 9], x=t.n), places


def map_latest(t): return list(collections.deque(iterable=t.xs, maxlen=2))


def map_merged_defaults(t):
    found = collections.defaultdict(int, {t.word: t.n}) | {"a": 1}
    found["b"] += 1
    return dict(found)


def map_by_comparison(t):
    def apart(a, b):
        return (a % 3 > b % 3) - (a % 3 < b % 3)
    return sorted(t.xs, key=functools.cmp_to_key(apart)), max(t.xs, key=functools.cmp_to_key(apart))
