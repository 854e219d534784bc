# ruff: noqa
"""Small chores: money, dates, texts, parsing, little classes and memories."""

from __future__ import annotations
import bisect, collections, dataclasses, datetime as dt, decimal, enum, functools, hashlib, heapq, itertools, json, math, operator, re, statistics, string, textwrap, typing, unicodedata, uuid, zlib
from collections import Counter, defaultdict, deque, namedtuple, OrderedDict
from dataclasses import dataclass, field, asdict, replace
from datetime import datetime, timedelta, date, time, timezone
from decimal import Decimal, ROUND_HALF_UP
from enum import Enum, IntEnum, auto
from fractions import Fraction
from typing import NamedTuple, Optional, Callable, Iterable, Iterator
from urllib.parse import urlparse, parse_qs, quote
from zoneinfo import ZoneInfo
import numpy as np
import anabranch as ab
from soundness.items import VISITS, Visit

BERLIN = ZoneInfo("Europe/Berlin")
CENT = Decimal("0.01")
RATES = {"alpha": Decimal("0.19"), "beta": Decimal("0.07")}
EMAIL = re.compile(r"^[\w.+-]+@[\w-]+\.[\w.]+$")
STOP = frozenset({"the", "a", "pi"})
LEVELS = ((0, "low"), (10, "mid"), (50, "high"))
BOUNDS = [0, 5, 10, 20, 50]
EPOCH = datetime(1970, 1, 1)
WEIGHTS = np.array([0.2, 0.3, 0.5])


class Color(Enum):
    RED = "r"
    BLUE = "b"
    @classmethod
    def parse(cls, text: str) -> "Color":
        return cls.RED if text.startswith("a") else cls.BLUE
    @property
    def pretty(self): return self.name.title()


class Severity(IntEnum):
    LOW = auto()
    HIGH = auto()


@dataclass(frozen=True, slots=True)
class Point:
    x: float
    y: float = 0.0
    def __add__(self, o): return Point(self.x + o.x, self.y + o.y)
    def __abs__(self): return math.hypot(self.x, self.y)
    def dist(self, o: Point) -> float: return abs(Point(self.x - o.x, self.y - o.y))


@dataclass(order=True)
class Ranked:
    score: float
    tags: list[str] = field(default_factory=list, compare=False)


class Money(NamedTuple):
    amount: Decimal
    currency: str = "EUR"
    def times(self, k): return self._replace(amount=(self.amount * k).quantize(CENT, ROUND_HALF_UP))


class Interval:
    __slots__ = ("a", "b")
    def __init__(self, a, b):
        if a > b: a, b = b, a
        self.a, self.b = a, b
    def __contains__(self, v): return self.a <= v < self.b
    def __len__(self): return self.b - self.a
    def __eq__(self, o): return isinstance(o, Interval) and (self.a, self.b) == (o.a, o.b)
    def __hash__(self): return hash((self.a, self.b))
    def __iter__(self): return iter(range(self.a, self.b))
    def __repr__(self): return f"[{self.a}, {self.b})"


class Parser:
    def __init__(self, text):
        self.text, self.at = text, 0
    def peek(self): return self.text[self.at] if self.at < len(self.text) else None
    def take(self):
        c = self.peek()
        self.at += 1
        return c
    def number(self):
        out = ""
        while (c := self.peek()) is not None and c.isdigit():
            out += self.take()
        return int(out or 0)


class Matrix:
    def __init__(self, rows): self.rows = rows
    def __matmul__(self, o): return Matrix([[sum(a * b for a, b in zip(r, c)) for c in zip(*o.rows)] for r in self.rows])
    def __getitem__(self, ij): return self.rows[ij[0]][ij[1]]


class Temp:
    def __init__(self, c): self._c = c
    @property
    def f(self): return self._c * 9 / 5 + 32
    @f.setter
    def f(self, v): self._c = (v - 32) * 5 / 9


class Stack(list):
    def push(self, v): self.append(v)
    @property
    def top(self): return self[-1] if self else None


def retry(default):
    def deco(f):
        @functools.wraps(f)
        def wrapped(*a, **k):
            try: return f(*a, **k)
            except (ValueError, KeyError): return default
        return wrapped
    return deco


@retry(-1)
def to_int(text: str) -> int: return int(text)


@functools.lru_cache(maxsize=None)
def fib(n: int) -> int: return n if n < 2 else fib(n - 1) + fib(n - 2)


@functools.cache
def slug(word: str) -> str: return re.sub(r"[^a-z]+", "-", word.lower()).strip("-")


def chunks(xs: list[int], n: int) -> Iterator[list[int]]:
    for i in range(0, len(xs), n):
        yield xs[i:i + n]


def compose(*fs: Callable[[int], int]) -> Callable[[int], int]:
    return functools.reduce(lambda f, g: lambda x: g(f(x)), fs)
INC2 = compose(lambda x: x + 1, lambda x: x * 2)


def haversine(a: tuple[float, float], b: tuple[float, float]) -> float:
    (lat1, lon1), (lat2, lon2) = [(math.radians(x), math.radians(y)) for x, y in (a, b)]
    h = math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 2 * 6371 * math.asin(math.sqrt(h))
HANDLERS = {"add": operator.add, "mul": operator.mul, "max": max}
PIPELINE = [str.strip, str.lower, lambda s: s.replace("a", "4")]


def map_vat(t):
    return str((Decimal(t.n) * (1 + RATES.get(t.word, Decimal(0)))).quantize(CENT, rounding=ROUND_HALF_UP))


def map_email(t):
    return bool(EMAIL.match(f"{t.word}@x.de"))


def map_level(t):
    name = "none"
    for bound, label in LEVELS:
        if t.n >= bound: name = label
    return name


def map_bisect(t):
    return bisect.bisect_right(BOUNDS, t.n)


def map_local_time(t):
    return (datetime(2024, 3, 31, 0, 30, tzinfo=timezone.utc) + timedelta(minutes=t.n)).astimezone(BERLIN).isoformat()


def map_monday(t):
    d = date(2024, 1, 1) + timedelta(days=t.n)
    return d - timedelta(days=d.weekday())


def map_quarter(t):
    return f"Q{(t.n % 12) // 3 + 1}"


def map_age(t):
    return (datetime(2024, 1, 1) - EPOCH).days // 365


def map_iso_week(t):
    return "{0}-W{1:02d}".format(*(date(2024, 1, 1) + timedelta(t.n)).isocalendar()[:2])


def map_bucket_hour(t):
    return datetime(2024, 1, 1, 13, t.n % 60).replace(minute=0, second=0)


def map_enum(t):
    return Color.parse(t.word).pretty


def map_enum_value(t):
    return Color("r" if t.n % 2 else "b").name


def map_severity(t):
    return max(Severity.LOW, Severity(1 + t.n % 2)).name


def map_point(t):
    return abs(sum([Point(t.x, 1.0), Point(1.0)], Point(0.0)))


def map_point_dist(t):
    return Point(t.x).dist(Point(0.0, t.x))


def map_ranked(t):
    return sorted([Ranked(t.x, ["a"]), Ranked(1.0)])[0].score


def map_ranked_tags(t):
    r = Ranked(t.x)
    r.tags.append(t.word)
    return r.tags


def map_money(t):
    return Money(Decimal(t.n)).times(Decimal("1.195")).amount


def map_asdict(t):
    return json.dumps(asdict(Ranked(t.x, [t.word])), sort_keys=True)


def map_replace(t):
    return replace(Point(t.x), y=2.0).y


def map_interval(t):
    return t.n in Interval(10, 20)


def map_interval_len(t):
    return len(Interval(3, t.n))


def map_interval_sum(t):
    return sum(Interval(0, t.n % 7))


def map_interval_eq(t):
    return Interval(1, t.n) == Interval(t.n, 1)


def map_interval_set(t):
    return len({Interval(1, x) for x in t.xs})


def map_interval_repr(t):
    return f"{Interval(0, t.n)}"


def map_parser(t):
    p = Parser(f"{t.n}+{t.key}")
    a = p.number()
    p.take()
    return a + p.number()


def map_matrix(t):
    m = Matrix([[1, t.n], [0, 1]])
    return (m @ m)[0, 1]


def map_temp(t):
    x = Temp(t.x)
    x.f = x.f + 9
    return round(x._c, 3)


def map_stack(t):
    s = Stack()
    for v in t.xs: s.push(v)
    return s.top


def map_to_int(t):
    return to_int(t.word)


def map_fib(t):
    return fib(t.n % 20)


def map_slug(t):
    return slug(t.word)


def map_chunks(t):
    return [sum(c) for c in chunks(t.xs, 2)]


def map_compose(t):
    return INC2(t.n)


def map_haversine(t):
    return round(haversine((52.5, 13.4), (t.x, t.x)), 3)


def map_dispatch(t):
    return HANDLERS["add" if t.n % 2 else "mul"](t.n, 2)


def map_pipeline(t):
    s = t.word
    for f in PIPELINE: s = f(s)
    return s


def map_reduce(t):
    return functools.reduce(operator.xor, t.xs, 0)


def map_counter(t):
    return Counter(t.word).most_common(1)[0][0]


def map_anagram(t):
    return "".join(sorted(t.word))


def map_stopwords(t):
    return [w for w in f"the {t.word} pi".split() if w not in STOP]


def map_ngrams(t):
    return [t.word[i:i + 2] for i in range(len(t.word) - 1)]


def map_soundex(t):
    codes = {c: str(i) for i, g in enumerate(("aeiou", "bfpv", "cgjk")) for c in g}
    return "".join(codes.get(c, "9") for c in t.word)


def map_url(t):
    u = urlparse(f"https://x.de/{t.word}?a={t.n}&b=2")
    return (u.path, parse_qs(u.query)["a"][0])


def map_json_roundtrip(t):
    d = json.loads(json.dumps({"n": t.n, "w": [t.word]}))
    d["n"] += 1
    return d["n"]


def map_md5(t):
    return hashlib.md5(t.word.encode()).hexdigest()[:8]


def map_uuid5(t):
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, t.word))


def map_bits(t):
    return bin(t.n).count("1")


def map_base36(t):
    digits, n, out = string.digits + string.ascii_lowercase, t.n, ""
    while n:
        n, r = divmod(n, 36)
        out = digits[r] + out
    return out or "0"


def map_roman(t):
    n, out = t.n + 1, []
    for v, s in ((50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")):
        while n >= v:
            out.append(s)
            n -= v
    return "".join(out)


def map_luhn(t):
    ds = [int(c) for c in str(t.n * 7919)]
    return sum(d if i % 2 else sum(divmod(2 * d, 10)) for i, d in enumerate(reversed(ds))) % 10 == 0


def map_levenshtein(t):
    a, b = t.word, "gamma"
    row = list(range(len(b) + 1))
    for i, ca in enumerate(a, 1):
        prev, row[0] = row[0], i
        for j, cb in enumerate(b, 1):
            prev, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, prev + (ca != cb))
    return row[-1]


def map_topk(t):
    return heapq.nlargest(2, t.xs)


def map_group(t):
    return {k: len(list(g)) for k, g in itertools.groupby(sorted(t.xs))}


def map_pairs(t):
    return [b - a for a, b in itertools.pairwise(t.xs)]


def map_running(t):
    return list(itertools.accumulate(t.xs))


def map_flatten(t):
    return [x for row in [t.xs, [1]] for x in row]


def map_invert(t):
    d = defaultdict(list)
    for i, x in enumerate(t.xs): d[x].append(i)
    return dict(d)


def map_median(t):
    return statistics.median(t.xs)


def map_zscore(t):
    m, s = statistics.fmean(t.xs), statistics.pstdev(t.xs)
    return (t.n - m) / s if s else 0.0


def map_np_dot(t):
    return float(WEIGHTS @ np.array([t.x, 1.0, 2.0]))


def map_np_norm(t):
    return float(np.linalg.norm(np.asarray(t.xs, dtype=float)))


def map_np_hist(t):
    return np.bincount(np.array(t.xs) % 3, minlength=3).tolist()


def map_softmax(t):
    e = np.exp(np.array(t.xs) - max(t.xs))
    return (e / e.sum()).round(3).tolist()


def map_window(t):
    d = deque(maxlen=2)
    out = []
    for x in t.xs:
        d.append(x)
        out.append(sum(d))
    return out


def map_match(t):
    match (t.n % 3, t.word):
        case (0, "alpha" | "beta"): return "ab"
        case (1, w) if len(w) > 3: return w[:2]
        case (_, str() as w): return w.upper()


def map_match_dict(t):
    match {"kind": t.word, "n": t.n}:
        case {"kind": "alpha", "n": n}: return n
        case {"kind": k}: return k


def map_match_point(t):
    match Point(t.x, 1.0):
        case Point(x=0.0): return "origin"
        case Point(x, y) if x > y: return "right"
        case _: return "left"


def map_try_finally(t):
    out = []
    try: out.append(10 // (t.n % 3))
    except ZeroDivisionError as e: out.append(str(e))
    else: out.append("ok")
    finally: out.append("end")
    return out


def map_custom_error(t):
    class_ = ValueError if t.n % 2 else KeyError
    try: raise class_("x")
    except (ValueError, KeyError) as e: return type(e).__name__


def map_typed_inner(t):
    def pick(xs: list[int] | None, *, default: Optional[int] = None, by: Callable[[int], int] = abs) -> int | None:
        return max(xs, key=by) if xs else default
    return pick(t.xs)


def map_typed_gen(t):
    def go(xs: Iterable[int]) -> Iterator[int]:
        for x in xs:
            if x: yield x
    return sum(go(t.xs))


def map_closure_counter(t):
    n = 0
    def bump(by: int) -> None:
        nonlocal n
        n += by
    for x in t.xs: bump(x)
    return n


def map_memo_inner(t):
    seen: dict[int, int] = {}
    def collatz(n: int) -> int:
        if n <= 1: return 0
        if n not in seen: seen[n] = 1 + collatz(n // 2 if n % 2 == 0 else 3 * n + 1)
        return seen[n]
    return collatz(t.n + 1)


def map_itemgetter(t):
    return sorted([(t.n, "b"), (1, "a")], key=operator.itemgetter(1, 0))


def map_attr_sort(t):
    return min([Point(t.x), Point(1.0, 2.0)], key=operator.attrgetter("y", "x")).x


def map_partial(t):
    return functools.partial(round, ndigits=1)(t.x)


def map_textwrap(t):
    return textwrap.shorten(t.word * 5, 12, placeholder="...")


def map_nfkc(t):
    return unicodedata.normalize("NFKC", "ﬁ" + t.word)


def map_translate(t):
    return t.word.translate(str.maketrans("ab", "xy", "g"))


def map_format_spec(t):
    return f"{t.x:>10.2f}|{t.n:08b}|{t.word!r:^12}|{t.n:,}"


def map_percent(t):
    return "%05d %-6s %.1e" % (t.n, t.word, t.x)


def map_bytes(t):
    return int.from_bytes(t.word.encode()[:4], "big") ^ zlib.crc32(b"x")


def map_fraction(t):
    return str(Fraction(t.n, 7).limit_denominator(5))


def map_complex(t):
    return abs(complex(t.x, 3))


def map_ordered(t):
    d = OrderedDict((x, 1) for x in t.xs)
    d.move_to_end(t.xs[0])
    return list(d)


def map_walrus(t):
    return [y for x in t.xs if (y := x * 2) > 3]


def map_zip_longest(t):
    return list(itertools.zip_longest(t.xs, "ab", fillvalue="-"))


def map_any_all(t):
    return any(x > 5 for x in t.xs) and all(map(bool, t.xs))


def map_dict_merge(t):
    return {"a": 1} | {t.word: t.n} | {**{"z": 0}}


def map_nested_get(t):
    return {"a": {"b": [t.n]}}.get("a", {}).get("b", [0])[-1]


def map_set_algebra(t):
    return sorted({*t.xs} ^ {1, 2} | {9})


def map_star_unpack(t):
    first, *rest = t.xs
    return first, rest


def map_ternary_chain(t):
    return "neg" if t.x < 0 else "zero" if t.x == 0 else "pos"


def map_safe_div(t):
    return t.n / t.key if t.key else math.nan


def map_clamp(t):
    return max(0, min(t.n, 42))


def map_isclose(t):
    return math.isclose(t.x, 1.5, rel_tol=1e-3)


def map_time_of_day(t):
    return time(t.n % 24, 30).strftime("%H:%M")


def map_strptime(t):
    return datetime.strptime(f"2024-01-{t.n % 28 + 1:02}", "%Y-%m-%d").date()


def map_timedelta(t):
    return str(timedelta(seconds=t.n * 1234))


def filter_weekend(t):
    return (date(2024, 1, 1) + timedelta(t.n)).weekday() >= 5


def filter_regex(t):
    return re.search(r"(?i)a{1,}", t.word) is not None


def filter_note(t):
    return t.note is not None and t.note.startswith(("a", "b"))


def filter_in(t):
    return t.word in {"alpha", "chi"} and not t.n % 2


def flat_map_words(t):
    for w in t.word.split("a"):
        if w: yield w, len(w)


def flat_map_nested(t):
    yield from ((x, y) for x in t.xs for y in range(x % 3))


def flat_map_window(t):
    return [t.xs[i:i + 2] for i in range(len(t.xs))]


def map_exp_of_difference(t):
    return np.exp(np.array(t.xs) - max(t.xs)).tolist()


def map_share_of_sum(t):
    e = np.array(t.xs) + 1
    return (e / e.sum()).round(3).tolist()


def map_bins(t):
    return np.bincount(np.array(t.xs)).tolist()


def map_name_of_error(t):
    try:
        return int(t.word)
    except ValueError as e:
        return type(e).__name__


def map_name_and_text_of_error(t):
    try:
        return 1 / t.key
    except Exception as e:
        return f"{type(e).__name__}: {e}"


def map_class_of_error(t):
    try:
        return {}[t.n]
    except (KeyError, IndexError) as error:
        return error.__class__.__name__


class Run(ab.State):
    n: int = 0
    total: float = 0.0
    last: Optional[str] = None
    seen: set[str] = set()
    recent: deque[float] = deque(maxlen=3)
    by_word: dict[str, int] = {}
    heap: list[int] = []
    hist: Counter[str] = Counter()


def apply_mean(s: Run, t):
    s.n += 1
    s.total += t.x
    yield t.key, s.total / s.n


def apply_changed(s: Run, t):
    if s.last != t.word: yield t.key, s.last, t.word
    s.last = t.word


def apply_distinct(s: Run, t):
    if t.word not in s.seen:
        s.seen.add(t.word)
        yield t.word


def apply_moving(s: Run, t):
    s.recent.append(t.x)
    yield sum(s.recent) / len(s.recent)


def apply_words(s: Run, t):
    s.by_word[t.word] = s.by_word.get(t.word, 0) + 1
    yield max(s.by_word, key=lambda k: (s.by_word[k], k))


def apply_top(s: Run, t):
    heapq.heappush(s.heap, t.n)
    if len(s.heap) > 3: heapq.heappop(s.heap)
    yield tuple(sorted(s.heap))


def apply_hist(s: Run, t):
    s.hist[t.word] += 1
    yield s.hist.most_common(1)[0]


def apply_session(s: Run, t):
    gap = t.n - s.n
    s.n = t.n
    if gap > 8: s.total = 0.0
    s.total += 1
    yield s.total
for f in (apply_mean, apply_changed, apply_distinct, apply_moving, apply_words, apply_top, apply_hist, apply_session):
    globals()[f.__name__] = ab.operator(by="key")(f)
