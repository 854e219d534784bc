# ruff: noqa
"""What data engineers write every day."""

import base64
import bisect
import calendar
import collections
import contextlib
import copy
import csv
import dataclasses
import datetime
import decimal
import difflib
import enum
import fractions
import functools
import hashlib
import heapq
import html
import io
import ipaddress
import itertools
import json
import math
import operator
import re
import statistics
import string
import struct
import textwrap
import types
import unicodedata
import urllib.parse
import uuid
import zlib
import zoneinfo
from collections import Counter, defaultdict, deque, namedtuple, OrderedDict, ChainMap
from datetime import date, timedelta, timezone
from decimal import Decimal, ROUND_HALF_UP
from functools import lru_cache, partial, reduce, cached_property, wraps, total_ordering
from itertools import groupby, islice, chain, accumulate, pairwise, zip_longest, takewhile, starmap, product, combinations
from operator import itemgetter, attrgetter, add, mul
from types import MappingProxyType, SimpleNamespace
import numpy as np
import anabranch as ab
from soundness.items import Item
STOP = frozenset({"the", "a", "of"})
CODES = {"alpha": "A", "beta": "B"}
FROZEN = MappingProxyType(CODES)
BREAKS = [0, 10, 20, 40]
GRADES = "FDCBA"
SLUG = re.compile(r"[^a-z0-9]+")
EMAIL = re.compile(r"^(?P<user>[^@]+)@(?P<host>.+)$")
CFG = SimpleNamespace(limit=3, name="x")
CENT = Decimal("0.01")
TRANS = str.maketrans("aeiou", "12345")
UTC = timezone.utc
BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
EPOCH = datetime.datetime(1970, 1, 1)
WEIGHTS = np.array([1.0, 2.0, 3.0])
Point = namedtuple("Point", ["x", "y"])


def map_clean(t): return " ".join(t.word.strip().lower().split())


def map_slug(t): return SLUG.sub("-", t.word.lower()).strip("-")


def map_lookup(t): return CODES.get(t.word, "?")


def map_lookup_in(t): return CODES[t.word] if t.word in CODES else None


def map_frozen(t): return FROZEN.get(t.word, "?")


def map_frozen_item(t): return FROZEN["alpha"] + t.word


def map_grade(t): return GRADES[bisect.bisect_right(BREAKS, t.n) - 1]


def map_cfg(t): return t.n > CFG.limit


def map_email(t):
    m = EMAIL.match(f"{t.word}@x.org")
    return m.group("host") if m else None


def map_email_dict(t):
    m = EMAIL.match(f"{t.word}@x.org")
    return m.groupdict()["user"] if m else ""


def map_email_index(t):
    if m := EMAIL.search(t.word + "@b"):
        return m["user"] + m[2]
    return ""


def map_translate(t): return t.word.translate(TRANS)


def map_money(t): return str(Decimal(str(t.x)).quantize(CENT, rounding=ROUND_HALF_UP))


def map_decimal_sum(t): return float(sum((Decimal(x) for x in t.xs), Decimal(0)))


def map_decimal_ctx(t):
    with decimal.localcontext() as ctx:
        ctx.prec = 10
        return str(Decimal(t.n) / 3)


def map_strftime(t): return (EPOCH + timedelta(days=t.n)).strftime("%Y-%m-%d")


def map_strptime(t): return datetime.datetime.strptime("2024-01-%02d" % (t.n % 28 + 1), "%Y-%m-%d").date().isoformat()


def map_fromiso(t): return datetime.date.fromisoformat("2024-02-29").year + t.n


def map_zone(t): return (EPOCH + timedelta(hours=t.n)).replace(tzinfo=UTC).astimezone(BERLIN).isoformat()


def map_isocal(t): return (EPOCH + timedelta(days=t.n)).isocalendar().week


def map_isocal_unpack(t):
    y, w, d = (EPOCH + timedelta(days=t.n)).isocalendar()
    return f"{y}-W{w}"


def map_month_end(t):
    d = EPOCH + timedelta(days=t.n * 11)
    return d.replace(day=calendar.monthrange(d.year, d.month)[1]).isoformat()


def map_quarter(t):
    d = EPOCH + timedelta(days=t.n * 40)
    return f"{d.year}Q{(d.month - 1) // 3 + 1}"


def map_floor_time(t):
    d = EPOCH + timedelta(minutes=t.n * 7)
    return (d - timedelta(minutes=d.minute % 15, seconds=d.second)).isoformat()


def map_total_seconds(t): return (EPOCH + timedelta(minutes=t.n) - EPOCH).total_seconds()


def map_timestamp(t): return datetime.datetime.fromtimestamp(t.n, tz=UTC).isoformat()


def map_combine(t): return datetime.datetime.combine(date(2024, 1, 1), datetime.time(t.n % 24)).isoformat()


@dataclasses.dataclass(frozen=True)
class Rate:
    base: float
    pct: float = 0.1
    def apply(self, v): return v * (self.base + self.pct)
    @property
    def total(self): return self.base + self.pct
    @classmethod
    def flat(cls, b): return cls(b, 0.0)
RATE = Rate(1.0)


def map_rate(t): return RATE.apply(t.x)


def map_rate_prop(t): return RATE.total * t.x


def map_rate_flat(t): return Rate.flat(t.x).apply(2)


def map_rate_replace(t): return dataclasses.replace(RATE, pct=t.x).total


def map_rate_asdict(t): return dataclasses.asdict(RATE)["pct"] + t.x


@dataclasses.dataclass
class Acc:
    total: float = 0.0
    seen: list = dataclasses.field(default_factory=list)
    def add(self, v):
        self.total += v
        self.seen.append(v)
        return self


def map_acc(t):
    a = Acc()
    for x in t.xs:
        a.add(x)
    return a.total + len(a.seen)


def map_acc_chain(t): return Acc().add(1).add(t.x).total


class Level(enum.Enum):
    LOW = 1
    MID = 2
    HIGH = 3
    @classmethod
    def of(cls, v):
        for m in cls:
            if v <= m.value * 10:
                return m
        return cls.HIGH
    def label(self): return self.name.title()


def map_level(t): return Level.of(t.n).name


def map_level_label(t): return Level(t.n % 3 + 1).label()


def map_level_match(t):
    match Level.of(t.n):
        case Level.LOW: return "l"
        case Level.MID | Level.HIGH: return "h"


def map_level_by_name(t): return Level["LOW"].value + t.n


def map_level_list(t): return [m.name for m in Level][t.n % 3]


def map_level_members(t): return "LOW" in Level.__members__
LABELS = {Level.LOW: "low", Level.MID: "mid", Level.HIGH: "high"}


def map_level_dict(t): return LABELS[Level.of(t.n)]


def map_counter(t): return Counter(t.word).most_common(1)[0][0]


def map_counter_sum(t): return sum((Counter(t.word) + Counter("abc")).values())


def map_counter_sub(t): return len(Counter(t.word) - Counter("a"))


def map_counter_loop(t):
    c = Counter()
    for ch in t.word:
        c[ch] += 1
    return max(c.values())


def map_counter_update(t):
    c = Counter(t.word); c.update("ab"); return c["a"]


def map_defaultdict(t):
    d = defaultdict(list)
    for i, x in enumerate(t.xs):
        d[x % 2].append(i)
    return len(d[0])


def map_defaultdict_int(t):
    d = defaultdict(int)
    for ch in t.word: d[ch] += 1
    return dict(d).get("a", 0)


def map_dd_nested(t):
    d = defaultdict(lambda: defaultdict(int))
    d[t.word][t.n] += 1
    return d[t.word][t.n]


def map_deque(t):
    d = deque(t.xs, maxlen=2)
    d.append(t.n)
    return d[0]


def map_groupby(t): return [k for k, g in groupby(sorted(t.xs))][0]


def map_groupby_len(t): return sum(len(list(g)) for k, g in groupby(t.word))


def map_islice(t): return list(islice(t.word, 2))[0]


def map_chain(t): return len(list(chain(t.xs, [1, 2])))


def map_chain_from(t): return list(chain.from_iterable([t.xs, t.xs]))[0]


def map_accumulate(t): return list(accumulate(t.xs))[-1]


def map_accumulate_max(t): return list(accumulate(t.xs, max))[-1]


def map_pairwise(t): return sum(b - a for a, b in pairwise(t.xs))


def map_zip_longest(t): return len(list(zip_longest(t.xs, [1], fillvalue=0)))


def map_takewhile(t): return len(list(takewhile(lambda x: x < 3, t.xs)))


def map_starmap(t): return sum(starmap(mul, zip(t.xs, t.xs)))


def map_product(t): return len(list(product(t.xs, repeat=2)))


def map_combinations(t): return len([1 for a, b in combinations(t.xs, 2) if a == b])


def map_reduce(t): return reduce(lambda a, b: a * 31 + b, t.xs, 7)


def map_reduce_add(t): return reduce(add, t.xs)


def map_sorted_key(t): return sorted(t.xs, key=lambda x: (-x, x))[0]


def map_sorted_getter(t): return sorted([(x, i) for i, x in enumerate(t.xs)], key=itemgetter(0))[0][1]


def map_sorted_attr(t): return sorted([Point(x, 1) for x in t.xs], key=attrgetter("x"))[0].x


def map_max_key(t): return max(t.word, key=t.word.count)


def map_min_dict(t):
    d = {c: ord(c) for c in t.word}
    return min(d, key=d.get)


def map_max_items(t): return max({c: t.word.count(c) for c in t.word}.items(), key=lambda kv: (kv[1], kv[0]))[0]


def map_dict_merge(t): return ({**CODES, "x": t.word} | {"y": "z"})["x"]


def map_dict_invert(t): return {v: k for k, v in CODES.items()}.get("A")


def map_keys_common(t): return len(CODES.keys() & {t.word: 1}.keys())


def map_keys_sorted(t): return sorted(CODES.keys() | {t.word})[0]


def map_set_sorted(t): return sorted({w for w in (t.word, "b")} - STOP)[0]


def map_set_len(t): return len(set(t.word) & set("aeiou"))


def map_set_subset(t): return set(t.word) <= set(string.ascii_lowercase)


def map_stop(t): return " ".join(w for w in t.word.split("a") if w not in STOP)


def map_any(t): return any(c.isdigit() for c in t.word)


def map_any_in(t): return any(w in t.word for w in ("al", "be"))


def map_all(t): return all(x >= 0 for x in t.xs)


def map_comp(t): return [x * 2 for x in t.xs if x]


def map_dictcomp(t): return {c: i for i, c in enumerate(t.word)}["a"] if "a" in t.word else -1


def map_fstring(t): return f"{t.n:05d}|{t.x:.2f}|{t.word:>8}|{t.word!r}"


def map_fstring_width(t): return f"{t.word:{10}}|{t.x:.{2}f}"


def map_percent(t): return "%s-%d" % (t.word, t.n)


def map_format(t): return "{a}/{b:.1f}".format(a=t.word, b=t.x)


def map_template(t): return string.Template("$w!").substitute(w=t.word)


def map_try(t):
    try:
        return int(t.word)
    except ValueError:
        return -1


def map_try_float(t):
    try:
        return float(t.note)
    except (TypeError, ValueError):
        return None


def map_try_finally(t):
    r = 0
    try:
        r = 10 // (t.n % 3)
    except ZeroDivisionError as e:
        r = len(str(e))
    finally:
        r += 1
    return r


def map_raise(t):
    if t.n < 0:
        raise ValueError(f"negative: {t.n}")
    return t.n


class BadRow(Exception):
    def __init__(self, row, why):
        super().__init__(f"{row}: {why}")
        self.why = why


def map_custom_error(t):
    try:
        if t.n % 2: raise BadRow(t.n, "odd")
        return "ok"
    except BadRow as e:
        return e.why


def map_match_tuple(t):
    match (t.n % 3, t.word):
        case (0, w): return w
        case (1, "alpha" | "beta"): return "x"
        case (k, w) if k > 1: return w[:k]
        case _: return ""


def map_match_dict(t):
    match {"kind": t.word, "n": t.n}:
        case {"kind": "alpha", "n": n}: return n
        case {"kind": k, **rest}: return len(rest)


def map_match_list(t):
    match t.xs:
        case [a, *_, b]: return a + b
        case []: return 0


def map_match_class(t):
    match Point(t.n, 2):
        case Point(x=0): return "zero"
        case Point(x=x, y=y): return str(x + y)


def map_match_type(t):
    match t.note:
        case None: return 0
        case str() as s: return len(s)


def map_walrus(t): return n if (n := len(t.word)) > 4 else 0


def map_json(t): return json.dumps({"a": t.n, "b": t.xs}, sort_keys=True)


def map_json_loads(t): return json.loads('{"a": [1, 2]}')["a"][0] + t.n


def map_json_default(t): return json.dumps({"a": EPOCH}, default=str)


def map_hash(t): return hashlib.sha256(t.word.encode()).hexdigest()[:8]


def map_md5_int(t): return int(hashlib.md5(t.word.encode("utf-8")).hexdigest(), 16) % 10


def map_crc(t): return zlib.crc32(t.word.encode()) % 100


def map_b64(t): return base64.b64encode(t.word.encode()).decode("ascii")


def map_uuid5(t): return str(uuid.uuid5(uuid.NAMESPACE_DNS, t.word))


def map_url(t): return urllib.parse.urlparse(f"http://x/{t.word}?q=1").path


def map_url_qs(t): return urllib.parse.parse_qs("a=1&a=2")["a"][0] + t.word


def map_quote(t): return urllib.parse.quote(t.word + " x")


def map_unescape(t): return html.unescape(t.word + "&amp;")


def map_nfc(t): return unicodedata.normalize("NFKD", t.word).encode("ascii", "ignore").decode()


def map_textwrap(t): return textwrap.shorten(t.word * 5, width=20)


def map_math(t): return math.sqrt(t.x) + math.log1p(t.n) + math.floor(t.x)


def map_hypot(t): return math.hypot(t.x, t.n)


def map_isclose(t): return math.isclose(t.x, t.n, rel_tol=1e-9)


def map_haversine(t):
    lat, lon = math.radians(t.x), math.radians(t.n)
    a = math.sin(lat / 2) ** 2 + math.cos(lat) * math.sin(lon / 2) ** 2
    return 2 * 6371 * math.asin(math.sqrt(a))


def map_stat(t): return statistics.mean(t.xs)


def map_median(t): return statistics.median(t.xs)


def map_stdev(t): return statistics.pstdev(t.xs)


def map_quantiles(t): return statistics.quantiles([*t.xs, 5])[0]


def map_np_mean(t): return float(np.mean(t.xs))


def map_np_dot(t): return float(np.dot(np.array(t.xs, dtype=float), WEIGHTS))


def map_np_clip(t): return float(np.clip(t.x, 0, 5))


def map_np_where(t): return int(np.where(np.array(t.xs) > 1, 1, 0).sum())


def map_np_percentile(t): return float(np.percentile(t.xs, 50))


def map_np_add_reduce(t): return int(np.add.reduce(t.xs))


def map_np_std(t): return float(np.array(t.xs).std())


def map_np_digitize(t): return int(np.digitize(t.x, [1, 2, 3]))


def map_np_int(t): return int(np.int64(t.n) % 7)


def map_np_isnan(t): return bool(np.isnan(t.x))


def map_np_einsum(t): return float(np.einsum("i,i", np.array(t.xs, dtype=float), WEIGHTS))


def map_np_linalg(t): return float(np.linalg.norm(np.array(t.xs, dtype=float)))


def map_np_unique(t): return int(len(np.unique(t.xs)))


def map_np_argmax(t): return int(np.argmax(t.xs))


def map_np_errstate(t):
    with np.errstate(divide="ignore"):
        return float(np.float64(t.x) * 2)


@lru_cache(maxsize=None)
def _fib(n): return n if n < 2 else _fib(n - 1) + _fib(n - 2)


def map_cached(t): return _fib(t.n % 20)


@lru_cache
def _norm(s): return s.strip().lower()


def map_cached_text(t): return _norm(t.word)


def _timed(f):
    @wraps(f)
    def inner(*args, **kwargs):
        return f(*args, **kwargs)
    return inner


@_timed
def _scaled(x, k=2): return x * k


def map_decorated(t): return _scaled(t.n, k=3)


@_timed
def map_decorated_whole(t): return t.n + 1


def _retry(times):
    def deco(f):
        @wraps(f)
        def inner(*a):
            for _ in range(times):
                try:
                    return f(*a)
                except ValueError:
                    continue
            return None
        return inner
    return deco


@_retry(3)
def _parse(s): return int(s)


def map_retry(t): return _parse(str(t.n))


class Pipeline:
    def __init__(self, *steps): self.steps = steps
    def __call__(self, v):
        for s in self.steps: v = s(v)
        return v
PIPE = Pipeline(str.strip, str.lower, lambda s: s.replace("a", "b"))


def map_pipeline(t): return PIPE(t.word)


class Parser:
    PATTERN = re.compile(r"(\w)(\d*)")
    def __init__(self, default): self.default = default
    def parse(self, s):
        m = self.PATTERN.match(s)
        return m.group(1) if m else self.default
PARSER = Parser("-")


def map_parser(t): return PARSER.parse(t.word)


class Money:
    __slots__ = ("cents",)
    def __init__(self, cents): self.cents = cents
    def __add__(self, o): return Money(self.cents + o.cents)
    def __lt__(self, o): return self.cents < o.cents
    def __eq__(self, o): return isinstance(o, Money) and self.cents == o.cents
    def __hash__(self): return hash(self.cents)
    def __repr__(self): return f"Money({self.cents})"
    def __str__(self): return f"{self.cents / 100:.2f}"


def map_money_class(t): return str(Money(t.n) + Money(5))


def map_money_sum(t): return str(sum((Money(x) for x in t.xs), Money(0)))


def map_money_sorted(t): return repr(sorted([Money(x) for x in t.xs])[0])


def map_money_set(t): return len({Money(x) for x in t.xs})


@total_ordering
class Ver:
    def __init__(self, s): self.parts = tuple(int(p) for p in s.split("."))
    def __eq__(self, o): return self.parts == o.parts
    def __lt__(self, o): return self.parts < o.parts


def map_version(t): return Ver("1.2") >= Ver(f"1.{t.n}")


class Base:
    def price(self, x): return x
    def final(self, x): return self.price(x) + 1


class Promo(Base):
    def price(self, x): return super().price(x) * 0.9


def map_inherit(t): return Promo().final(t.x)


class Temp:
    def __init__(self, c): self._c = c
    @property
    def f(self): return self._c * 9 / 5 + 32
    @f.setter
    def f(self, v): self._c = (v - 32) * 5 / 9


def map_property(t):
    x = Temp(t.x)
    x.f = 50
    return x.f


class Lazy:
    def __init__(self, xs): self.xs = xs
    @cached_property
    def total(self): return sum(self.xs)


def map_cached_prop(t): return Lazy(t.xs).total + 1


def map_inner(t):
    def score(w, k=2): return len(w) * k
    return score(t.word) + score("x", k=3)


def map_closure(t):
    limit = t.n
    return [x for x in t.xs if x < limit]


def map_nonlocal(t):
    count = 0
    def bump():
        nonlocal count
        count += 1
        return count
    bump(); bump()
    return count


def map_recursion(t):
    def depth(n): return 0 if n <= 0 else 1 + depth(n - 1)
    return depth(t.n % 10)


def map_generator(t):
    def evens(xs):
        for x in xs:
            if x % 2 == 0: yield x
    return sum(evens(t.xs))


def map_lambda_dict(t):
    ops = {"alpha": lambda x: x + 1, "beta": lambda x: x * 2}
    return ops.get(t.word, lambda x: x)(t.n)
OPS = {"alpha": lambda x: x + 1, "beta": abs}


def map_global_ops(t): return OPS.get(t.word, int)(t.n)


def map_partial(t): return partial(_scaled, k=4)(t.n)


def map_matrix(t):
    m = [[0] * 3 for _ in range(3)]
    m[t.n % 3][0] += 1
    return sum(map(sum, m))


def map_bits(t): return bin(t.n).count("1") + (t.n & 3) + (t.n >> 1) + (~t.n & 1)


def map_divmod(t):
    q, r = divmod(t.n, 7)
    return q * 10 + r


def map_round(t): return round(t.x, 2) + round(t.x)


def map_int_base(t): return int("ff", 16) + t.n


def map_slices(t): return t.word[::-1] + t.word[1:-1] + t.word[:2]


def map_partition(t):
    head, sep, tail = t.word.partition("a")
    return tail or head


def map_rsplit(t): return t.word.rsplit("a", 1)[-1]


def map_splitlines(t): return len((t.word + "\nx").splitlines())


def map_csv_line(t):
    out = io.StringIO()
    csv.writer(out).writerow([t.n, t.word])
    return out.getvalue().strip()


def map_csv_parse(t): return next(csv.reader([f"{t.n},{t.word}"]))[1]


def map_heap(t):
    h = list(t.xs)
    heapq.heapify(h)
    return heapq.heappop(h)


def map_nlargest(t): return heapq.nlargest(2, t.xs)[0]


def map_struct(t): return struct.unpack("<i", struct.pack("<i", t.n))[0]


def map_ip(t): return str(ipaddress.ip_address("10.0.0.%d" % (t.n % 250)))


def map_ipnet(t): return ipaddress.ip_address("10.0.0.1") in ipaddress.ip_network("10.0.0.0/8")


def map_difflib(t): return difflib.SequenceMatcher(None, t.word, "alpha").ratio()


def map_fraction(t): return str(fractions.Fraction(t.n, 3) + 1)


def map_namedtuple(t): return Point(t.n, 1)._replace(y=5).y


def map_namedtuple_dict(t): return Point(t.n, 1)._asdict()["x"]


def map_replace_record(t): return t.replace(n=t.n + 1).n


def map_getattr(t): return getattr(t, "word") + str(hasattr(t, "x"))


def map_isinstance(t): return isinstance(t.note, str) and bool(t.note)


def map_type_name(t): return type(t.n).__name__


def map_suppress(t):
    with contextlib.suppress(KeyError):
        return CODES[t.word]
    return ""


def map_chainmap(t): return ChainMap({"a": t.n}, {"b": 2})["b"]


def map_ordered(t):
    o = OrderedDict((c, 1) for c in t.word)
    o.move_to_end(t.word[0])
    return next(iter(o))


def map_zip_dict(t): return dict(zip("abc", t.xs))["a"]


def map_enumerate_start(t): return [i for i, c in enumerate(t.word, start=1)][-1]


def map_star(t):
    first, *rest = t.xs
    return first + len(rest)


def map_star_call(t): return max(*t.xs, 0)


def map_kwargs(t):
    opts = {"k": 5}
    return _scaled(t.n, **opts)


def map_copy_list(t):
    ys = t.xs.copy(); ys.append(1); ys.sort(reverse=True); return ys[0]


def map_deepcopy(t):
    d = copy.deepcopy({"a": t.xs}); d["a"].append(1); return len(d["a"])


def map_while(t):
    n, steps = t.n + 1, 0
    while n != 1 and steps < 100:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def map_nested_get(t): return {"a": {"b": {"c": t.n}}}.get("a", {}).get("b", {}).get("c")


def map_setdefault(t):
    d = {}
    for c in t.word: d.setdefault(c, []).append(1)
    return len(d)


def map_bytes(t): return t.word.encode("utf-8")[0]


def map_bytearray(t):
    b = bytearray(t.word, "utf-8"); b.append(33); return b.decode()


def map_luhn(t):
    digits = [int(c) for c in str(t.n)]
    odd, even = digits[-1::-2], digits[-2::-2]
    return (sum(odd) + sum(sum(divmod(d * 2, 10)) for d in even)) % 10


def map_iban(t): return int("".join(str(int(c, 36)) for c in "DE" + str(t.n))) % 97


def map_title(t): return t.word.title().swapcase().center(12, "*")


def map_mask(t): return re.sub(r"\w(?=\w{2})", "*", t.word)


def map_resub_fn(t): return re.sub(r"[aeiou]", lambda m: m.group().upper(), t.word)


def map_findall(t): return len(re.findall(r"[aeiou]", t.word))


def map_finditer(t): return [m.start() for m in re.finditer("a", t.word)]


def map_resplit(t): return re.split(r"[ae]", t.word)[0]


def map_typed_dict(t):
    row: dict[str, int] = {"a": t.n}
    return row["a"]


def map_assert(t):
    assert t.n >= 0, f"bad {t.n}"
    return t.n


def map_del(t):
    d = {"a": 1, "b": t.n}
    del d["a"]
    return len(d)


def map_global_const_tuple(t): return t.word in ("alpha", "beta")


def map_ternary_chain(t): return "lo" if t.n < 10 else "mid" if t.n < 40 else "hi"


def map_print_none(t): return None if not t.note else t.note.upper()


def flat_map_words(t): return [w for w in t.word.split("a") if w]


def flat_map_gen(t):
    for i, c in enumerate(t.word):
        if c in "aeiou":
            yield (i, c)


def filter_simple(t): return t.n % 2 == 0 and t.word.startswith("a")


def filter_set(t): return t.word not in STOP and bool(set(t.word) & {"a", "b"})


class Run(ab.State):
    n: int = 0
    total: float = 0.0
    words: list = []
    seen: dict = {}
    last: str = ""
    recent: deque = deque()


@ab.operator(by="key")
def apply_running(s: Run, t: Item):
    s.n += 1; s.total += t.x
    yield (t.key, s.n, s.total / s.n)


@ab.operator(by="key")
def apply_dedupe(s: Run, t: Item):
    if t.word not in s.seen:
        s.seen[t.word] = t.n
        yield t.word


@ab.operator(by="key")
def apply_recent(s: Run, t: Item):
    s.recent.append(t.x)
    if len(s.recent) > 3: s.recent.popleft()
    yield sum(s.recent) / len(s.recent)


@ab.operator(by="key")
def apply_sessions(s: Run, t: Item):
    if s.last and s.last != t.word:
        yield (s.last, list(s.words))
        s.words.clear()
    s.words.append(t.word); s.last = t.word


@ab.operator(by="key")
def apply_top(s: Run, t: Item):
    s.seen[t.word] = s.seen.get(t.word, 0) + 1
    w, n = max(s.seen.items(), key=lambda kv: (kv[1], kv[0]))
    yield f"{w}:{n}"


@ab.operator(by="key")
def apply_median(s: Run, t: Item):
    bisect.insort(s.words, t.x)
    yield s.words[len(s.words) // 2]
