"""What classes, generators and statements of the user's give: each is run, and analysis says it."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import enum
import functools
import typing

import numpy as np
import pytest

from anabranch.analysis.effects.purity import Effects
from anabranch.analysis.fact import EffectKind
from anabranch.ir.function import Function
from anabranch.ir.operators import FlatMap, Map
from analysis.support import Entry, compiled, single
from analysis.test_library_results import is_one_of, line

NAMES = {"collections": collections, "contextlib": contextlib, "dataclasses": dataclasses,
         "enum": enum, "functools": functools, "typing": typing, "np": np,
         "__name__": __name__}
ITEM = Entry(1.5, 7, "Ab c1", 2.5, ["x", "yy"], None)
CLASSES = '''
class Length:
    def __get__(self, instance, owner):
        return "none" if instance is None else instance.n

    def __set__(self, instance, given):
        instance.n = given


class Kind:
    def __get__(self, instance, owner):
        return owner.base


class Vector:
    base = 2.5
    length = Length()
    kind = Kind()

    def __init__(self, n):
        self.n = n

    def __add__(self, other):
        return self.n + other.n

    def __radd__(self, other):
        return str(other)

    def __iadd__(self, other):
        return 2.5

    def __neg__(self):
        return str(self.n)

    def __iter__(self):
        return Steps(self.n)

    def __getitem__(self, at):
        return (self.n, at)

    def __len__(self):
        return self.n

    def __contains__(self, given):
        return given == self.n

    def __call__(self, given, *more, named=0):
        return [given, *more, named]

    def __eq__(self, other):
        return "equal"

    def __lt__(self, other):
        return 2.5

    def __hash__(self):
        return self.n

    def __getattr__(self, name):
        return name.upper()

    def __enter__(self):
        return self.n

    def __exit__(self, *why):
        return True

    def __round__(self, digits=0):
        return "round"

    def __reversed__(self):
        return iter([2.5])

    @property
    def double(self):
        return self.n * 2

    @classmethod
    def of(cls, n):
        return cls(n)

    @staticmethod
    def text(n):
        return str(n)

    def __private(self):
        return self.n

    def public(self):
        return self.__private()


class Steps:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        self.n -= 1
        if self.n < 0:
            raise StopIteration
        return self.n


class Wider(Vector):
    def __init__(self, n, more):
        super().__init__(n)
        self.more = more

    @property
    def double(self):
        return str(super().double)

    @classmethod
    def of(cls, n):
        return super().of(n, ) if n is None else cls(n, "x")


class Old:
    def __getitem__(self, at):
        if at > 2:
            raise IndexError
        return "item"


@dataclasses.dataclass
class Point:
    x: int
    y: float = 2.5
    names: list = dataclasses.field(default_factory=list)
    sum: str = dataclasses.field(init=False, default="")
    scale: dataclasses.InitVar[int] = 1

    def __post_init__(self, scale):
        self.sum = str(self.x * scale)


class Pair(typing.NamedTuple):
    left: int
    right: str = "r"


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Level(enum.IntEnum):
    LOW = 1


class Mine(ValueError):
    def __init__(self, n):
        super().__init__(str(n))
        self.n = n


class Names(dict):
    def __missing__(self, key):
        return 2.5


class Letters(list):
    def first(self):
        return self[0]


class Number(int):
    def twice(self):
        return str(self * 2)


def generated(n):
    for i in range(n):
        got = yield i
        if got:
            yield str(got)
    return "end"


def through(n):
    found = yield from generated(n)
    yield found


@contextlib.contextmanager
def opened(n):
    yield n


@functools.wraps(generated)
def wrapped(n):
    return n


def counted(*args, first=1, **more):
    return len(args) + first + len(more)


def closed(n):
    total = 0

    def add(m):
        nonlocal total
        total += m
        return total
    return add(n)
'''
EXPRESSIONS = [
    "Vector(t.uid) + Vector(1)", "1 + Vector(t.uid)", "-Vector(t.uid)", "list(Vector(t.uid))",
    "[*Vector(t.uid)][0]", "Vector(t.uid)['a']", "Vector(t.uid)[0][1]", "len(Vector(t.uid))",
    "t.uid in Vector(3)", "Vector(t.uid)(2.5)", "Vector(t.uid)(1, 2, named=3)[0]",
    "Vector(t.uid) == 3", "Vector(t.uid) < 3", "Vector(t.uid) > Vector(2)", "3 == Vector(t.uid)",
    "Vector(t.uid) != 3", "{Vector(t.uid): 1}[Vector(t.uid)]",
    "Vector(t.uid).missing", "Vector(t.uid).double", "Vector.of(t.uid).n", "Vector.text(t.uid)",
    "Vector(t.uid).of(2).n", "Vector(t.uid).text(2)", "Vector(t.uid).length", "Vector.length",
    "Vector(t.uid).public()", "Vector(t.uid).base", "Vector.base", "Vector(t.uid).kind",
    "round(Vector(t.uid), 1)", "list(reversed(Vector(t.uid)))[0]", "next(iter(Vector(t.uid)))",
    "bool(Vector(t.uid))", "not Vector(t.uid)", "Vector(t.uid) and 1 or 2", "max(Vector(t.uid))",
    "Wider(t.uid, 'm').more", "Wider(t.uid, 'm').n", "Wider(t.uid, 'm').double",
    "Wider.of(t.uid).n", "list(Old())", "'item' in Old()", "Point(t.uid).y", "Point(t.uid).x",
    "Point(t.uid).names", "Point(t.uid).sum", "Point(t.uid, y=1.5, scale=2).sum",
    "Point(t.uid) == Point(1)", "str(Point(t.uid))", "dataclasses.replace(Point(t.uid), x=2, "
    "scale=1).x", "Pair(t.uid).right", "Pair(t.uid, 'x').left", "Pair(t.uid)[0]", "Pair(t.uid)[1]",
    "Pair(t.uid)._replace(left=2).left", "Pair._make([t.uid, 'x']).left", "Colour.RED.value",
    "Colour.RED.name", "Colour(t.uid % 2 + 1).name", "Colour['RED'].value", "Colour.RED is "
    "Colour.BLUE", "Colour.RED == Colour.RED", "len(Colour)", "[c.value for c in Colour]",
    "Level.LOW < t.uid", "Level.LOW + t.uid", "Mine(t.uid).n", "Mine(t.uid).args[0]", "Names()[1]",
    "Names(a=t.uid)['a']", "Letters(t.tags).first()", "Letters(t.tags)[0]", "len(Letters(t.tags))",
    "Number(t.uid).twice()", "Number(t.uid) + 1", "list(generated(t.uid))", "wrapped(t.uid)",
    "next(generated(t.uid))", "list(through(t.uid))[0]", "counted(1, *t.tags, first=t.uid, a=2)",
    "counted(**{'a': t.uid})", "closed(t.uid)", "isinstance(Vector(t.uid), Vector)",
    "type(Vector(t.uid)).base", "Vector(t.uid).__class__.base", "type(t.uid).__name__",
    "Vector.__name__", "generated.__name__", "getattr(Vector(t.uid), 'double')",
    "np.array([t.uid]).shape[0]", "np.array([t.uid]).strides", "np.array([t.uid]).size",
    "np.array([t.uid]).ndim", "np.array([t.uid]).nbytes", "np.array([t.uid]).itemsize",
    "str(int)", "str(len)", "f'{generated}'", "str(Vector)", "(lambda *a: a[0])(t.uid, *t.tags)",
    "(lambda *a: a)(t.name, *[1])", "(lambda a, *b, **c: c)(1, 2, **{'x': t.uid})",
    "np.array([t.uid]).item()", "np.array([t.uid]).T",
    "np.array([t.uid]).tolist()", "np.array([t.amount]).real", "np.array([t.uid])[0]",
    "np.array([t.uid]) + 1", "list(np.array([t.uid]))",
]
BODIES = {
    "with": "with Vector(t.uid) as n:\n    return n\nreturn 3",
    "with manager": "with opened(t.name) as n:\n    return n",
    "try": "try:\n    raise Mine(t.uid)\nexcept Mine as error:\n    return error.n",
    "try else": "try:\n    n = 1\nexcept (KeyError, ValueError) as e:\n    n = str(e)\n    n = 3\n"
                "else:\n    n += 1\nfinally:\n    m = 1\nreturn m",
    "raise class": "try:\n    raise KeyError\nexcept LookupError as e:\n    return str(e)",
    "for else": "for n in (1, 2):\n    x = n\nelse:\n    x = 7\nreturn x",
    "while": "n = t.uid\nwhile n > 3:\n    n -= 1\nreturn n",
    "unpack": "a, (b, *c) = t.uid, (t.name, 2.5)\nreturn c",
    "unpack second": "a, b = t.uid, t.name\nreturn b",
    "augmented": "n = Vector(t.uid)\nn += 1\nreturn n",
    "augmented list": "n = [1]\nn += [t.uid]\nreturn n",
    "augmented item": "n = {'a': 1}\nn['a'] += t.uid\nreturn n",
    "attribute": "n = Vector(1)\nn.n = t.uid\nreturn n.n",
    "attribute set": "n = Vector(1)\nn.length = t.uid\nreturn n.n",
    "delete": "n = {'a': t.uid, 'b': 1}\ndel n['a']\nreturn n",
    "delete attribute": "n = Point(1)\ndel n.y\nreturn n.x",
    "match value": "match t.uid:\n    case 1 | 2:\n        return 'a'\n    case int(n) if n > 3:\n"
                   "        return str(n)\nreturn ''",
    "match sequence": "match t.tags:\n    case [first, *rest]:\n        return first\nreturn ''",
    "match rest": "match t.tags:\n    case [first, *rest]:\n        return rest\nreturn []",
    "match mapping": "match {'a': t.uid}:\n    case {'a': n}:\n        return n\nreturn 0",
    "match class": "match Point(t.uid):\n    case Point(x=n):\n        return n\nreturn 0",
    "match position": "match Point(t.uid):\n    case Point(a, b):\n        return a\nreturn 0",
    **{f"match {kind}": f"match {made}:\n    case {kind}(n):\n        return n\nreturn 0"
       for kind, made in {"set": "{t.uid}", "list": "[t.uid]", "dict": "{'a': t.uid}",
                          "tuple": "(t.uid,)", "frozenset": "frozenset([t.uid])", "int": "t.uid",
                          "bytearray": "bytearray(2)"}.items()},
    "match as": "match t.uid:\n    case int() as n:\n        return n\nreturn 0",
    "match or": "match t.uid:\n    case (1 | 7) as n:\n        return n\nreturn 0",
    "inner": "def inner(a, b=t.name, *c, d=t.uid, **e):\n    return b\nreturn inner(1)",
    "inner keyword": "def inner(a, b=t.name, *c, d=t.uid, **e):\n    return d\nreturn inner(1)",
    "inner rest": "def inner(a, *c):\n    return c[0]\nreturn inner(1, t.name)",
    "inner named": "def inner(**e):\n    return e\nreturn inner(a=t.name)",
    "decorated": "@functools.cache\ndef inner(a):\n    return a\nreturn 3",
    "assert": "assert t.uid, t.name\nreturn t.uid",
    "import": "import math as m\nreturn m.floor(t.amount)",
    "import from": "from math import floor\nreturn floor(t.amount)",
    "global read": "n = Colour\nreturn n.RED.value",
    "annotated": "n: int = t.uid\nreturn n",
    "walrus": "if (n := t.uid) > 3:\n    return n\nreturn n",
    "conditional": "return t.uid if Vector(t.uid) else 3",
    "send": "g = generated(3)\nnext(g)\nn = g.send('x')\nreturn 3",
    "sort": "n = list(t.tags)\nn.sort(key=len)\nreturn n",
    "setdefault": "n = {}\nn.setdefault('a', []).append(t.uid)\nreturn n",
    "defaultdict": "n = collections.defaultdict(list)\nn['a'].append(t.uid)\nreturn dict(n)",
    "deque": "n = collections.deque(maxlen=2)\nn.append(t.uid)\nn.rotate(1)\nreturn n.popleft()",
    "insert": "n = []\nn.insert(0, t.uid)\nreturn n",
    "extend": "n = []\nn.extend(t.tags)\nreturn n",
    "slice set": "n = [1]\nn[0:1] = t.tags\nreturn n", "update": "n = {}\nn.update({'a': "
    "t.uid})\nreturn n", "set update": "n = {1}\nn.update([t.uid])\nreturn n", "counter":
    "n = collections.Counter()\nn.update(t.tags)\nn['a'] += 1\nreturn n", "pair loop":
    "for k, v in {'a': t.uid}.items():\n    return v\nreturn 0", "exception": "try:\n    return "
    "int(t.name)\nexcept ValueError as e:\n    return 3",
}


def text_of(name: str) -> str:
    if name not in BODIES:
        return f"f = lambda t: {name}"
    return "def f(t):\n" + "\n".join(f"    {line}" for line in BODIES[name].splitlines())


def found(text: str):
    names = compiled(f"{CLASSES}\n\n{text}", NAMES)
    return names["f"], Effects().of(single(Map(Function.of(names["f"]))))["op"]


@pytest.mark.parametrize("name", [*EXPRESSIONS, *BODIES])
def test_what_it_gives(name):
    call, known = found(text_of(name))
    value = call(ITEM)
    assert is_one_of(value, known.outputs[0]) or EffectKind.UNRESOLVED in {
        e.kind for e in known.fact.value}, (value, known.outputs)


def test_all_that_is_known(golden):
    golden("analysis/classes.txt", "\n".join(
        line(name, found(text_of(name))[1]) for name in [*EXPRESSIONS, *BODIES]) + "\n")


@pytest.mark.parametrize("kind", [Map, FlatMap])
def test_a_function_without_source_may_give_anything(kind):
    known = Effects().of(single(kind(Function.of(len))))["op"]
    assert line("len", known) == (
        "len\n    anything; its source cannot be found: len is not written in Python")
