# ruff: noqa
"""More functions as data engineers write them."""

from __future__ import annotations

import base64
import copy
import csv
import datetime
import enum
import functools
import hashlib
import html
import io
import json
import math
import operator
import re
import struct
import textwrap
import zlib
from collections import Counter, UserDict, defaultdict, deque
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import ClassVar, NamedTuple, Protocol
from urllib.parse import quote, unquote, urlencode, urlsplit

import numpy as np

import anabranch as ab

CURRENCIES = ("EUR", "USD")
THRESHOLDS = {"low": 1.0, "high": 5.0}
RULES = [("short", lambda t: len(t.word) < 4), ("odd", lambda t: t.n % 2 == 1),
         ("noted", lambda t: t.note is not None)]
HANDLERS = {"alpha": str.upper, "beta": str.title, "gamma": lambda w: w[::-1]}
PIPELINE = [str.strip, str.lower, lambda s: s.replace("a", "o")]
by_length = operator.attrgetter("n")
SCALE = functools.partial(round, ndigits=1)


class Status(str, enum.Enum):
    OPEN = "open"
    DONE = "done"

    @classmethod
    def _missing_(cls, value):
        return cls.OPEN


class HasTotal(Protocol):
    def total(self) -> float: ...


class Shape:
    sides: ClassVar[int] = 0

    def area(self):
        raise NotImplementedError

    def describe(self):
        return f"{type(self).__name__}({self.sides}): {self.area():.2f}"


class Square(Shape):
    sides = 4

    def __init__(self, a):
        self.a = a

    def area(self):
        return self.a ** 2


class Circle(Shape):
    def __init__(self, r):
        super().__init__()
        self.r = r

    def area(self):
        return math.pi * self.r ** 2


class Vector:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, by):
        return Vector(self.x * by, self.y * by)

    __rmul__ = __mul__

    def __eq__(self, other):
        return isinstance(other, Vector) and (self.x, self.y) == (other.x, other.y)

    def __hash__(self):
        return hash((self.x, self.y))

    def __repr__(self):
        return f"Vector({self.x}, {self.y})"

    def __bool__(self):
        return bool(self.x or self.y)

    def __iter__(self):
        yield self.x
        yield self.y

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return (self.x, self.y)[i]


@dataclass
class Order:
    id: int
    lines: list = field(default_factory=list)
    status: Status = Status.OPEN

    def __post_init__(self):
        self.lines = list(self.lines)

    @property
    def total(self):
        return sum(q * p for q, p in self.lines)

    def with_line(self, q, p):
        return Order(self.id, [*self.lines, (q, p)], self.status)


class Tree(NamedTuple):
    value: int
    left: object = None
    right: object = None

    def insert(self, v):
        if v < self.value:
            return self._replace(left=self.left.insert(v) if self.left else Tree(v))
        return self._replace(right=self.right.insert(v) if self.right else Tree(v))


def walk(tree):
    if tree is not None:
        yield from walk(tree.left)
        yield tree.value
        yield from walk(tree.right)


def map_rules(t):
    return [name for name, holds in RULES if holds(t)]


def map_handler(t):
    return HANDLERS.get(t.word, str.lower)(t.word)


def map_pipeline(t):
    return functools.reduce(lambda s, f: f(s), PIPELINE, t.word)


def map_status(t):
    return Status("done" if t.n % 2 else "zzz").value


def map_status_text(t):
    return f"{Status.OPEN.value}:{Status.DONE == 'done'}"


def map_shapes(t):
    shapes = [Square(t.n), Circle(t.x)]
    return [shape.describe() for shape in shapes]


def map_vector(t):
    v = 2 * (Vector(t.n, t.x) + Vector(1, 1))
    return repr(v), bool(v), tuple(v)


def map_vector_items(t):
    v = Vector(t.n, 1)
    x, y = v
    return v[0] + v[-1] + x + y + len(v)


def map_vector_equal(t):
    return Vector(t.n, 0) == Vector(3, 0), Vector(1, 2) in [Vector(1, 2)]


def map_vector_key(t):
    return len({Vector(x, 0) for x in t.xs})


def map_order(t):
    return Order(t.n).with_line(2, 1.5).with_line(1, t.x).total


def map_order_changed(t):
    order = Order(t.n, [(1, 2)])
    order.status = Status.DONE
    order.lines.append((t.n, 1))
    return order.status.value, order.total


def map_tree(t):
    tree = Tree(5)
    for x in t.xs:
        tree = tree.insert(x)
    return list(walk(tree))


def map_suppress(t):
    with suppress(ValueError, IndexError):
        return int(t.word)
    return 0


def map_csv_line(t):
    out = io.StringIO()
    csv.writer(out).writerow([t.n, t.word, t.note])
    return out.getvalue()


def map_csv_rows(t):
    rows = csv.DictReader(io.StringIO(f"a,b\n{t.n},{t.word}\n"))
    return [row["b"] for row in rows]


def map_csv_split(t):
    return next(csv.reader([f'{t.n},"{t.word},x",3']))


def map_hash(t):
    return hashlib.sha256(f"{t.key}|{t.word}".encode()).hexdigest()[:8]


def map_bucket(t):
    return zlib.crc32(t.word.encode()) % 16


def map_base64(t):
    return base64.b64decode(base64.b64encode(t.word.encode())).decode()


def map_struct(t):
    return struct.unpack("<Id", struct.pack("<Id", t.n, t.x))


def map_query(t):
    return urlencode({"q": t.word, "n": t.n}) + quote("a b/c") + unquote("%20")


def map_host(t):
    return urlsplit(f"http://{t.word}.example:80/x").hostname


def map_html(t):
    return html.unescape(html.escape(f"<{t.word}>"))


def map_wrap(t):
    return textwrap.shorten(f"{t.word} " * 5, width=20, placeholder="...")


def map_template(t):
    return textwrap.dedent(f"""
        {t.word}
        {t.n}
    """).strip()


def map_redact(t):
    return re.sub(r"\d+", lambda m: "*" * len(m.group()), f"{t.word}{t.n}")


def map_tokens(t):
    return [(m.lastgroup, m.group()) for m in re.finditer(
        r"(?P<number>\d+)|(?P<word>[a-z]+)", f"{t.word}{t.n}")]


def map_split(t):
    return re.split(r"[aeiou]", t.word, maxsplit=1)


def map_decimal_guard(t):
    try:
        return Decimal(t.word)
    except InvalidOperation:
        return Decimal(0)


def map_numpy(t):
    xs = np.array(t.xs, dtype=float)
    return float(xs.mean()), float(xs.clip(0, 2).sum()), xs.argmax().item()


def map_numpy_set(t):
    xs = np.zeros(4)
    xs[1:3] = t.x
    xs[0] += t.n
    return xs.round(2).tolist()


def map_numpy_where(t):
    xs = np.asarray(t.xs)
    return np.where(xs > 1, xs, 0).tolist()


def map_numpy_corr(t):
    return float(np.dot(np.arange(3), np.array(t.xs)))


def map_deepcopy(t):
    row = {"a": [t.n]}
    other = copy.deepcopy(row)
    other["a"].append(1)
    return row["a"], other["a"]


def map_replace(t):
    return t.replace(n=t.n + 1, word=t.word.upper()).n


def map_get_field(t):
    return [getattr(t, name) for name in ("n", "word")]


def map_scale(t):
    return SCALE(t.x)


def map_sorted_dicts(t):
    rows = [{"k": c, "n": n} for n, c in enumerate(t.word)]
    return [row["n"] for row in sorted(rows, key=lambda row: (row["k"], -row["n"]))]


def map_group_dicts(t):
    table = defaultdict(lambda: {"n": 0, "xs": []})
    for x in t.xs:
        row = table[x % 2]
        row["n"] += 1
        row["xs"].append(x)
    return {k: v["n"] for k, v in sorted(table.items())}


def map_counter_missing(t):
    c = Counter(t.word)
    return c["z"] + c.get("a", 0)


def map_flatten(t):
    def flat(x):
        if isinstance(x, (list, tuple)):
            for y in x:
                yield from flat(y)
        else:
            yield x
    return list(flat([t.n, [t.xs, (1, 2)]]))


def map_json_nested(t):
    row = json.loads(json.dumps({"user": {"id": t.n, "tags": t.xs}}))
    return row.get("user", {}).get("tags", [])[-1:]


def map_json_decimal(t):
    return str(json.loads(f'{{"a": {t.x}}}', parse_float=Decimal)["a"])


def map_json_lines(t):
    return [json.loads(line)["a"] for line in ('{"a": 1}', '{"a": 2}')]


def map_binary_search(t):
    low, high = 0, 100
    while low < high:
        middle = (low + high) // 2
        if middle < t.n:
            low = middle + 1
        else:
            high = middle
    return low


def map_sieve(t):
    prime = bytearray([1]) * (t.n + 2)
    for p in range(2, t.n + 1):
        if prime[p]:
            for q in range(p * p, t.n + 1, p):
                prime[q] = 0
    return sum(prime[2:])


def map_lookup_or_raise(t):
    level = THRESHOLDS["high" if t.n > 30 else "low"]
    if level is None:
        raise RuntimeError(f"no level for {t.n}")
    return t.x > level


def flat_map_words(t):
    for word in re.findall(r"\w+", f"{t.word} {t.note or ''}"):
        if len(word) > 2:
            yield word.lower(), 1


def flat_map_explode(t):
    return ((t.n, x) for x in t.xs if x)


def flat_map_pairs(t):
    return [(a, b) for i, a in enumerate(t.xs) for b in t.xs[i + 1:]]


def filter_sampled(t):
    return int(hashlib.md5(str(t.n).encode()).hexdigest(), 16) % 10 < 3


def filter_complete(t):
    return all(value not in (None, "") for value in (t.word, t.note, t.n))


class Window(ab.State):
    queue: deque = deque()
    counts: Counter = Counter()
    rows: dict = {}
    last: int | None = None
    total: Decimal = Decimal(0)


@ab.operator(by="key")
def apply_queue(s: Window, t):
    s.queue.append(t.n)
    while s.queue and s.queue[0] < t.n - 20:
        s.queue.popleft()
    yield len(s.queue)


@ab.operator(by="key")
def apply_counts(s: Window, t):
    s.counts[t.word] += 1
    if s.counts[t.word] > 1:
        del s.counts[t.word]
    yield sorted(s.counts)


@ab.operator(by="key")
def apply_counts_added(s: Window, t):
    s.counts += Counter(t.word)
    yield s.counts.most_common(1)[0]


@ab.operator(by="key")
def apply_gap(s: Window, t):
    match s.last:
        case None:
            pass
        case last if t.n - last > 10:
            yield "gap", t.n - last
        case last:
            yield "near", last
    s.last = t.n


@ab.operator(by="key")
def apply_total(s: Window, t):
    try:
        s.total += Decimal(str(t.x))
    except InvalidOperation:
        return
    yield str(s.total)


@ab.operator(by="key")
class apply_class(ab.State):
    n: int = 0
    names: list[str] = []

    def note(self, name):
        if name not in self.names:
            self.names.append(name)
        return len(self.names)

    def process(self, t):
        self.n += 1
        yield self.n, self.note(t.word)
