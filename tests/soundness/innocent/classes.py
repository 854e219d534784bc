"""Classes whose methods and operators only compute, made and used here."""

from __future__ import annotations

import collections
import dataclasses
import enum
import functools
import typing
from dataclasses import dataclass, field

import anabranch as ab
from soundness.helpers.pure import Vector
from soundness.items import VISITS


@dataclass(frozen=True)
class Point:
    x: int
    y: int = 0

    def moved(self, dx: int) -> Point:
        return Point(self.x + dx, self.y)

    @property
    def size(self) -> int:
        return abs(self.x) + abs(self.y)


@dataclass
class Tally:
    words: list[str] = field(default_factory=list)
    total: int = 0

    def add(self, word: str, n: int) -> None:
        self.words.append(word)
        self.total += n

    def result(self) -> str:
        return f"{len(self.words)}:{self.total}"


class Money:
    def __init__(self, cents: int):
        self.cents = cents

    def __add__(self, other: Money) -> Money:
        return Money(self.cents + other.cents)

    def __mul__(self, factor: int) -> Money:
        return Money(self.cents * factor)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Money) and self.cents == other.cents

    def __hash__(self) -> int:
        return hash(self.cents)

    def __lt__(self, other: Money) -> bool:
        return self.cents < other.cents

    def __str__(self) -> str:
        return f"{self.cents / 100:.2f}"


class Stack:
    def __init__(self):
        self.items = []

    def push(self, x):
        self.items.append(x)

    def pop(self):
        return self.items.pop()

    def __len__(self):
        return len(self.items)


class Matrix:
    def __init__(self, rows):
        self.rows = rows

    def __matmul__(self, other):
        columns = list(zip(*other.rows))
        return Matrix([[sum(a * b for a, b in zip(row, column)) for column in columns]
                       for row in self.rows])

    def __getitem__(self, place):
        row, column = place
        return self.rows[row][column]


class Shape:
    sides = 0

    def area(self) -> float:
        raise NotImplementedError

    def describe(self) -> str:
        return f"{type(self).__name__} {self.area():.1f}"


class Square(Shape):
    sides = 4

    def __init__(self, a: float):
        self.a = a

    def area(self) -> float:
        return self.a * self.a


class Circle(Shape):
    def __init__(self, r: float):
        self.r = r

    def area(self) -> float:
        return 3.0 * self.r * self.r


class Colour(enum.Enum):
    RED = 1
    GREEN = 2

    @property
    def warm(self) -> bool:
        return self is Colour.RED


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 5


class Pair(typing.NamedTuple):
    left: int
    right: int

    def swapped(self) -> Pair:
        return Pair(self.right, self.left)


Row = collections.namedtuple("Row", "name size")


class Out(ab.Record):
    n: int
    label: str

    def short(self) -> str:
        return self.label[:2]

    @property
    def doubled(self) -> int:
        return self.n * 2


class Temperature:
    def __init__(self, celsius: float):
        self._celsius = celsius

    @property
    def fahrenheit(self) -> float:
        return self._celsius * 1.8 + 32

    @classmethod
    def of_kelvin(cls, kelvin: float) -> Temperature:
        return cls(kelvin - 273.15)

    @staticmethod
    def freezing() -> float:
        return 0.0


class Invalid(Exception):
    def __init__(self, code: int):
        super().__init__(f"code {code}")
        self.code = code


class Countdown:
    def __init__(self, start: int):
        self.start = start

    def __iter__(self):
        return iter(range(self.start, 0, -1))

    def __contains__(self, x: int) -> bool:
        return 0 < x <= self.start


@functools.total_ordering
class Version:
    def __init__(self, major: int, minor: int):
        self.major, self.minor = major, minor

    def __eq__(self, other: object) -> bool:
        return (self.major, self.minor) == (other.major, other.minor)

    def __lt__(self, other: Version) -> bool:
        return (self.major, self.minor) < (other.major, other.minor)


class Config:
    RATE = 3
    NAMES = ("a", "b")


def map_dataclass(t):
    p = Point(t.n, t.key)
    return p.x + p.y


def map_dataclass_method(t):
    return Point(t.n).moved(2).x


def map_dataclass_property(t):
    return Point(-t.n, t.key).size


def map_dataclass_equality(t):
    return Point(t.n % 2) == Point(1)


def map_dataclass_replace(t):
    return dataclasses.replace(Point(t.n, 1), x=0).y


def map_mutable_dataclass(t):
    tally = Tally()
    for x in t.xs:
        tally.add(t.word, x)
    return tally.result()


def map_own_add(t):
    return (Money(t.n) + Money(5)).cents


def map_own_mul(t):
    return (Money(t.n) * 3).cents


def map_own_equality(t):
    return Money(t.n) == Money(7)


def map_own_str(t):
    return str(Money(t.n)) + f" {Money(t.key)}"


def map_own_stack(t):
    stack = Stack()
    for x in t.xs:
        stack.push(x)
    return stack.pop() + len(stack)


def map_own_matmul(t):
    return (Matrix([[t.n, 1], [0, 1]]) @ Matrix([[1, 2], [3, 4]]))[0, 1]


def map_polymorphic(t):
    shape = Square(t.x) if t.n % 2 else Circle(t.x)
    return shape.area()


def map_inherited_method(t):
    return Square(t.x).describe()


def map_class_constant(t):
    return Square(1.0).sides + Config.RATE


def map_class_tuple(t):
    return Config.NAMES[t.n % 2]


def map_enum(t):
    colour = Colour.RED if t.n % 2 else Colour.GREEN
    return colour.name


def map_enum_by_value(t):
    return Colour(t.n % 2 + 1).value


def map_enum_property(t):
    return Colour.RED.warm


def map_int_enum(t):
    return t.n > Level.HIGH


def map_named_tuple(t):
    pair = Pair(t.n, t.key)
    return pair.left - pair.right


def map_named_tuple_method(t):
    return Pair(t.n, t.key).swapped().left


def map_collections_named_tuple(t):
    row = Row(t.word, len(t.word))
    return row.name * row.size


def map_record(t):
    return Out(t.n, t.word)


def map_record_method(t):
    return Out(t.n, t.word).short()


def map_record_property(t):
    return Out(t.n, t.word).doubled


def map_item_method(t):
    return t.slow(50.0)


def map_item_property(t):
    return t.folder


def map_item_static_method(t):
    return t.seconds(t.ms)


def filter_item_method(t):
    return t.slow()


def map_item_replace(t):
    return t.replace(ms=t.ms / 2)


def map_property(t):
    return Temperature(t.x).fahrenheit


def map_class_method(t):
    return Temperature.of_kelvin(t.x).fahrenheit


def map_static_method(t):
    return Temperature.freezing() + t.x


def map_own_exception(t):
    try:
        if t.n % 2:
            raise Invalid(t.n)
    except Invalid as error:
        return error.code
    return 0


def map_own_iter(t):
    return [x for x in Countdown(t.key)]  # noqa: C416


def map_own_contains(t):
    return t.n in Countdown(20)


def map_own_less(t):
    return Money(t.n) < Money(30)


def map_total_ordering(t):
    return Version(t.n, 1) < Version(30, t.key)


def map_imported_class(t):
    return (Vector(t.x, 1.0) + Vector(1.0, t.x)).length()


def map_object_in_dict_by_key(t):
    return {Point(1): "one", Point(2): "two"}.get(Point(t.n % 3), "none")


def flat_map_records(t):
    return [Out(x, t.word) for x in t.xs]


def map_as_dict(t):
    return dataclasses.asdict(Point(t.n, t.key))


USES = dict.fromkeys(["map_item_method", "map_item_property", "map_item_static_method",
                      "filter_item_method", "map_item_replace"], VISITS)
