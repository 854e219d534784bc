# ruff: noqa
"""More everyday functions, without hidden state."""

import collections
import dataclasses
import datetime
import decimal
import enum
import functools
import hashlib
import itertools
import json
import math
import operator
import re
import statistics
import string
import textwrap
import typing
from collections import Counter, defaultdict, deque, namedtuple

import numpy as np

import anabranch as ab
from soundness.items import VISITS, Item, Visit

LIMITS = {"alpha": 3, "beta": 5}
NAMES = ("a", "b", "c")
PATTERN = re.compile(r"(\w)(\w+)")
ENCODER = json.JSONEncoder(sort_keys=True)
WRAPPER = textwrap.TextWrapper(width=20)
TEMPLATE = string.Template("$a is $b")
BY_WORD = operator.attrgetter("word")
FIRST = operator.itemgetter(0)
UPPER = operator.methodcaller("upper")
SCALE = functools.partial(operator.mul, 2)
Point = namedtuple("Point", "x y")


class Colour(enum.Enum):
    RED = 1
    GREEN = 2

    @property
    def warm(self):
        return self is Colour.RED

    @classmethod
    def of(cls, n):
        return cls.RED if n % 2 else cls.GREEN


class Rights(enum.Flag):
    READ = 1
    WRITE = 2


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Kind(enum.StrEnum):
    A = "a"
    B = "b"


@dataclasses.dataclass(frozen=True)
class Money:
    amount: float
    currency: str = "EUR"

    def __add__(self, other):
        return Money(self.amount + other.amount, self.currency)

    def __str__(self):
        return f"{self.amount:.2f} {self.currency}"


@dataclasses.dataclass(order=True, slots=True)
class Range:
    low: int
    high: int = 10

    def __contains__(self, x):
        return self.low <= x < self.high

    def __len__(self):
        return self.high - self.low

    def __iter__(self):
        return iter(range(self.low, self.high))


class BadRow(ValueError):
    def __init__(self, row, why):
        super().__init__(f"{row}: {why}")
        self.row, self.why = row, why


class Stack:
    def __init__(self):
        self._xs = []

    def push(self, x):
        self._xs.append(x)
        return self

    def pop(self):
        return self._xs.pop()

    def __bool__(self):
        return bool(self._xs)

    def __getitem__(self, n):
        return self._xs[n]


class Out(ab.Record):
    n: int
    word: str


@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@functools.cache
def vowels(word: str) -> int:
    return sum(c in "aeiou" for c in word)


@functools.lru_cache
def label(colour, word):
    return f"{colour.name}-{word}"


def parse(text):
    try:
        return int(text)
    except ValueError as e:
        return str(e)


def map_enum_property(t):
    return Colour.of(t.n).warm


def map_flags(t):
    rights = Rights.READ | Rights.WRITE if t.n % 2 else Rights.READ
    return bool(rights & Rights.WRITE)


def map_flag_in(t):
    return Rights.READ in (Rights.READ | Rights.WRITE)


def map_int_enum(t):
    return Level(t.n % 2 + 1) < Level.HIGH


def map_str_enum(t):
    return Kind("a" if t.n % 2 else "b").upper()


def map_enum_name_lookup(t):
    return Colour["RED"].name + str(Colour.GREEN.value)


def map_enum_members(t):
    return [c.name for c in Colour]


def map_fib(t):
    return fib(t.n % 20)


def map_vowels(t):
    return vowels(t.word)


def map_cached_enum(t):
    return label(Colour.RED, t.word)


def map_money(t):
    return str(Money(t.x) + Money(2.0))


def map_money_replace(t):
    return dataclasses.replace(Money(t.x), currency="USD").currency


def map_money_dict(t):
    return dataclasses.asdict(Money(t.x))["amount"]


def map_range_in(t):
    return t.n in Range(3, 20)


def map_range_len(t):
    return len(Range(1, t.n % 9 + 2))


def map_range_list(t):
    return list(Range(1, 4))


def map_range_sorted(t):
    return [r.low for r in sorted([Range(3), Range(1), Range(t.n)])]


def map_range_unpacked(t):
    a, b, *rest = Range(1, 6)
    return a + b + len(rest)


def map_stack(t):
    s = Stack().push(1).push(t.n)
    return s.pop() if s else 0


def map_stack_slice(t):
    return Stack().push(1).push(2)[0:1]


def map_error_attribute(t):
    try:
        raise BadRow(t.n, "odd")
    except BadRow as e:
        return e.why


def map_error_text(t):
    return parse(t.word)


def map_error_args(t):
    try:
        raise ValueError("a", t.n)
    except ValueError as e:
        return e.args[0]


def map_key_error(t):
    try:
        return LIMITS[t.word]
    except KeyError as e:
        return f"no {e}"


def map_raise_from(t):
    try:
        try:
            int(t.word)
        except ValueError as e:
            raise BadRow(t.n, str(e)) from e
    except BadRow as e:
        return str(e)


def map_finally(t):
    n = 0
    try:
        n = 1 // (t.n % 3)
    except ZeroDivisionError:
        n = -1
    finally:
        n += 1
    return n


def map_json_encoder(t):
    return ENCODER.encode({"n": t.n, "w": t.word})


def map_json_dumps(t):
    return json.dumps({"n": t.n, "xs": t.xs}, sort_keys=True)


def map_json_roundtrip(t):
    return json.loads(json.dumps({"n": t.n}))["n"]


def map_wrapper(t):
    return WRAPPER.fill(t.word * 5)


def map_template(t):
    return TEMPLATE.substitute(a=t.word, b=t.n)


def map_attrgetter(t):
    return BY_WORD(t)


def map_itemgetter(t):
    return FIRST(t.xs)


def map_methodcaller(t):
    return UPPER(t.word)


def map_partial(t):
    return SCALE(t.n)


def map_local_partial(t):
    f = functools.partial(max, 3)
    return f(t.n)


def map_named_tuple(t):
    p = Point(t.n, y=2)
    return p.x + p.y


def map_named_tuple_replace(t):
    return Point(1, 2)._replace(x=t.n)._asdict()["x"]


def map_counter(t):
    return Counter(t.word).most_common(1)[0][0]


def map_counter_sum(t):
    c = Counter(t.word) + Counter("a")
    return c["a"]


def map_defaultdict(t):
    d = defaultdict(list)
    for x in t.xs:
        d[x % 2].append(x)
    return {k: len(v) for k, v in d.items()}


def map_deque(t):
    d = deque(t.xs, maxlen=2)
    d.append(9)
    return d.maxlen + sum(d)


def map_groupby(t):
    return [(k, len(list(g))) for k, g in itertools.groupby(sorted(t.word))]


def map_accumulate(t):
    return list(itertools.accumulate(t.xs, operator.add))


def map_chain(t):
    return list(itertools.chain.from_iterable([t.xs, [1]]))


def map_zip_longest(t):
    return list(itertools.zip_longest(t.xs, [1], fillvalue=0))


def map_starmap(t):
    return list(itertools.starmap(pow, [(t.n, 2)]))


def map_reduce(t):
    return functools.reduce(operator.mul, t.xs, 1)


def map_fsum(t):
    return math.fsum(t.xs)


def map_prod(t):
    return math.prod(t.xs)


def map_mean(t):
    return statistics.fmean(t.xs)


def map_hypot(t):
    return math.hypot(*t.xs)


def map_decimal(t):
    return (decimal.Decimal(t.n) / 4).quantize(decimal.Decimal("0.1"))


def map_decimal_text(t):
    return str(decimal.Decimal("1.10") + t.n)


def map_bytes(t):
    return t.word.encode("utf-8").hex()


def map_bytes_errors(t):
    return t.word.encode("ascii", errors="replace").decode("ascii", "ignore")


def map_latin(t):
    return t.word.encode("latin-1").decode("cp1252")


def map_hash(t):
    return hashlib.sha256(t.word.encode()).hexdigest()[:8]


def map_str_of_bytes(t):
    return str(b"abc", "utf-8")


def map_format_field(t):
    return "{0.word}-{1[0]}".format(t, t.xs)


def map_format_named(t):
    return "{word:>10}|{n:03d}".format(word=t.word, n=t.n)


def map_format_map(t):
    return "{a}".format_map({"a": t.n})


def map_percent(t):
    return "%s-%05.1f" % (t.word, t.x)


def map_f_nested(t):
    width = 8
    return f"{t.word!r:>{width}}|{t.x:.{2}f}"


def map_f_debug(t):
    return f"{t.n=}"


def map_pattern(t):
    m = PATTERN.match(t.word)
    return m.group(1) if m else ""


def map_pattern_sub(t):
    return PATTERN.sub(lambda m: m.group(2) + m.group(1), t.word)


def map_pattern_named(t):
    if m := re.match(r"(?P<a>\w)", t.word):
        return m["a"]
    return None


def map_slice(t):
    first = slice(0, 3)
    return t.word[first] + t.word[::-1]


def map_getattr_default(t):
    return getattr(t, "missing", t.n)


def map_getattr(t):
    return getattr(t, "word")


def map_setattr_local(t):
    s = Stack()
    setattr(s, "label", t.word)
    return s.label


def map_isinstance(t):
    return isinstance(t.n, (int, float)) and not isinstance(t.note, str)


def map_match(t):
    match t.xs:
        case [a, b, *_] if a == b:
            return "same"
        case [a, *_]:
            return str(a)
        case _:
            return "none"


def map_match_class(t):
    match Point(t.n, 0):
        case Point(x=0):
            return "origin"
        case Point(x, 0):
            return f"on x {x}"
    return "else"


def map_match_dict(t):
    match {"kind": t.word, "n": t.n}:
        case {"kind": "alpha", "n": n}:
            return n
        case {"kind": k, **rest}:
            return k + str(len(rest))


def map_match_type(t):
    match t.note:
        case None:
            return 0
        case str() as s:
            return len(s)


def map_inner_import(t):
    import math
    from collections import OrderedDict
    return math.sqrt(t.x) + len(OrderedDict(a=1))


def map_import_sub(t):
    import os.path
    return os.path.basename("/a/" + t.word)


def map_inner_function(t):
    def clean(x, low=0):
        return max(x, low)
    return [clean(x) for x in t.xs]


def map_inner_generator(t):
    def pairs(xs):
        for a in xs:
            yield a, a * 2
    return dict(pairs(t.xs))


def map_closure(t):
    k = t.n % 3

    def add(x):
        nonlocal k
        k += x
        return k
    add(1)
    return add(2)


def map_star_star(t):
    options = {"ndigits": 1}
    return round(t.x, **options)


def map_star_args(t):
    return max(*t.xs, 3)


def takes(a, *rest, scale=1, **more):
    return (a + sum(rest)) * scale + len(more)


def map_takes(t):
    return takes(*t.xs, scale=2, other=1)


def map_takes_mapping(t):
    return takes(t.n, **{"scale": 3})


def map_chained(t):
    return 0 <= t.n < 30 <= 100


def map_datetime(t):
    when = datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)
    return (when + datetime.timedelta(days=t.n)).isoformat()


def map_datetime_parts(t):
    return datetime.date(2024, 1, t.n % 28 + 1).strftime("%a")


def map_strptime(t):
    return datetime.datetime.strptime("2024-01-02", "%Y-%m-%d").month


def map_astimezone(t):
    zone = datetime.timezone(datetime.timedelta(hours=2))
    return datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC).astimezone(zone).hour


def map_visit(t):
    return t.when.replace(minute=0).strftime("%H") + t.folder


def map_visit_slow(t):
    return t.slow() and t.slow(limit=10)


def map_record(t):
    return Out(t.n, word=t.word.title())


def map_record_replace(t):
    return t.replace(n=t.n + 1, word="x")


def map_array(t):
    a = np.array(t.xs, dtype=float)
    a += 1
    a[a > 2] = 0
    return float(a.sum())


def map_array_norm(t):
    return float(np.linalg.norm(np.asarray(t.xs)))


def map_array_out(t):
    a = np.zeros(3)
    np.add(a, 1, out=a)
    return a.tolist()


def map_array_stack(t):
    return np.vstack([t.xs, t.xs]).mean(axis=0).tolist()


def map_set_ops(t):
    return sorted(set(t.word) & set("abcde"))


def map_frozen_key(t):
    return {frozenset("ab"): 1}.get(frozenset("ba"))


def map_dict_merge(t):
    return {**LIMITS, "gamma": t.n} | {"x": 1}


def map_dict_comp(t):
    return {k: v for k, v in sorted(LIMITS.items()) if v > t.n % 4}


def map_sorted_key(t):
    return sorted(LIMITS, key=lambda k: (-LIMITS[k], k))


def map_max_key(t):
    return max(LIMITS, key=LIMITS.get)


def map_max_default(t):
    return max((x for x in t.xs if x > 100), default=0)


def map_any_all(t):
    return any(x > 3 for x in t.xs) and all(isinstance(x, int) for x in t.xs)


def map_enumerate(t):
    return [(i, c) for i, c in enumerate(t.word, start=1)]


def map_reversed(t):
    return "".join(reversed(t.word))


def map_divmod(t):
    q, r = divmod(t.n, 7)
    return q * 10 + r


def map_pow_mod(t):
    return pow(t.n, 3, 11)


def map_int_bytes(t):
    return int.from_bytes(t.n.to_bytes(4, "big"), "little")


def map_translate(t):
    return t.word.translate(str.maketrans("abc", "xyz"))


def map_walrus(t):
    return [y for x in t.xs if (y := x * 2) > 2]


def map_while(t):
    n, steps = t.n + 1, 0
    while n != 1 and steps < 50:
        n, steps = (n // 2 if n % 2 == 0 else 3 * n + 1), steps + 1
    return steps


def map_tuple_key(t):
    table = {}
    table[t.n, t.word] = 1
    return (t.n, t.word) in table


def map_class_attribute(t):
    return type(t).__name__ + t.__class__.__name__


def map_callable(t):
    ops = {"add": operator.add, "sub": operator.sub}
    return ops["add" if t.n % 2 else "sub"](t.n, 1)


def map_dispatch(t):
    return {"alpha": str.upper, "beta": str.title}.get(t.word, str.lower)(t.word)


def map_sum_of_products(t):
    return sum(map(operator.mul, t.xs, [1, 2, 3]))


def map_bisect(t):
    import bisect
    return bisect.bisect_left([1, 5, 9], t.n)


def map_heap(t):
    import heapq
    h = list(t.xs)
    heapq.heapify(h)
    heapq.heappush(h, 2)
    return heapq.heappop(h)


def map_string_io(t):
    import io
    out = io.StringIO()
    out.write(t.word)
    return out.getvalue()


def map_suppress(t):
    import contextlib
    n = 0
    with contextlib.suppress(ValueError):
        n = int(t.word)
    return n


def map_ip(t):
    import ipaddress
    return str(ipaddress.ip_address("10.0.0.1") + t.n)


def map_fraction(t):
    import fractions
    return str(fractions.Fraction(t.n, 3) + 1)


def map_stop_iteration(t):
    it = iter(t.xs)
    try:
        next(it), next(it), next(it), next(it)
    except StopIteration:
        return "short"
    return "long"


def map_next_default(t):
    return next((x for x in t.xs if x > 2), None)


USES = {"map_visit": VISITS, "map_visit_slow": VISITS}
