# ruff: noqa
"""Functions as data engineers write them: parsing, cleaning, enriching, checking."""

from __future__ import annotations

import bisect
import collections
import datetime
import enum
import functools
import itertools
import json
import math
import operator
import re
import statistics
import string
import unicodedata
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import asdict, astuple, dataclass, field, replace
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import NamedTuple

import anabranch as ab
from soundness.items import VISITS

RATES = {"alpha": 1.5, "beta": 2.0, "gamma": 0.25}
LEVELS = [(0, "none"), (5, "low"), (20, "middle"), (50, "high")]
BOUNDS = [0, 5, 20, 50]
STOP = frozenset(("pi", "chi"))
VALID = re.compile(r"^[a-z]{3,}$")
PAIR = re.compile(r"(?P<key>\w+)=(?P<value>[^;]*)")
SUFFIX = {"k": 1_000, "m": 1_000_000}
NUMBERS = {n: w for n, w in enumerate("zero one two three four five".split())}


class Level(enum.Enum):
    LOW = 1
    HIGH = 2

    @classmethod
    def of(cls, n):
        return cls.HIGH if n > 30 else cls.LOW

    @property
    def label(self):
        return self.name.lower()


class Access(enum.Flag):
    READ = 1
    WRITE = 2
    ALL = READ | WRITE


class Weight(enum.IntEnum):
    LIGHT = 1
    HEAVY = 10


class Point(NamedTuple):
    x: float
    y: float = 0.0

    def norm(self):
        return math.hypot(self.x, self.y)

    def scaled(self, by):
        return self._replace(x=self.x * by, y=self.y * by)


Range = namedtuple("Range", "low high")


@dataclass(frozen=True)
class Money:
    cents: int
    currency: str = "EUR"

    def __add__(self, other):
        return Money(self.cents + other.cents, self.currency)

    def __str__(self):
        return f"{self.cents // 100}.{self.cents % 100:02} {self.currency}"


@dataclass
class Basket:
    owner: str
    lines: list = field(default_factory=list)
    tags: dict = field(default_factory=dict)

    def add(self, name, cents):
        self.lines.append((name, cents))
        return self

    @property
    def total(self):
        return sum(cents for _, cents in self.lines)


@dataclass(order=True)
class Version:
    major: int
    minor: int = 0
    patch: int = field(default=0, compare=True)

    @classmethod
    def parse(cls, text):
        return cls(*map(int, text.split(".")))


class Account:
    def __init__(self, owner, limit=100):
        self.owner, self.limit, self.entries = owner, limit, []

    def book(self, amount):
        if amount > self.limit:
            raise ValueError(f"{amount} is above {self.limit}")
        self.entries.append(amount)

    def __len__(self):
        return len(self.entries)

    def __iter__(self):
        return iter(self.entries)


class Timer:
    def __enter__(self):
        self.steps = 0
        return self

    def __exit__(self, *error):
        return False


def clean(text):
    return " ".join(text.strip().lower().split())


def to_number(text, default=0.0):
    try:
        return float(text.replace(",", "."))
    except (ValueError, AttributeError):
        return default


def chunks(xs, size):
    for start in range(0, len(xs), size):
        yield xs[start:start + size]


def first(xs, default=None):
    return next(iter(xs), default)


def compose(*functions):
    def run(x):
        for function in functions:
            x = function(x)
        return x
    return run


NORMALISE = compose(str.strip, str.lower, str.title)


@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def checked(call):
    @functools.wraps(call)
    def wrapper(t):
        if t is None:
            return None
        return call(t)
    return wrapper


def map_rate(t):
    return RATES.get(t.word, 1.0) * t.x


def map_level(t):
    for bound, name in reversed(LEVELS):
        if t.n >= bound:
            return name
    return "negative"


def map_bisect_level(t):
    return LEVELS[bisect.bisect_right(BOUNDS, t.n) - 1][1]


def filter_valid(t):
    return bool(VALID.match(t.word)) and t.word not in STOP


def map_pairs(t):
    return {m["key"]: m["value"] for m in PAIR.finditer(f"n={t.n};word={t.word}")}


def map_suffix(t):
    text = f"{t.n}k"
    unit = SUFFIX.get(text[-1], 1)
    return int(text[:-1]) * unit if unit > 1 else int(text)


def map_enum_of(t):
    return Level.of(t.n).label


def map_enum_by_name(t):
    return Level["HIGH" if t.n % 2 else "LOW"].value


def map_enum_by_value(t):
    return Level(1 + t.n % 2).name


def map_enum_compared(t):
    return Level.of(t.n) is Level.HIGH


def map_enum_listed(t):
    return [level.name for level in Level]


def map_flag(t):
    access = Access.READ if t.n % 2 else Access.ALL
    return Access.WRITE in access


def map_int_enum(t):
    return t.n * Weight.HEAVY + Weight.LIGHT


def map_point(t):
    return Point(t.x, t.n).scaled(2).norm()


def map_point_unpacked(t):
    x, y = Point(t.x)
    return x - y


def map_named_asdict(t):
    return Range(t.n, t.n + 3)._asdict()


def map_named_replace(t):
    return Range(t.n, 9)._replace(low=0).high


def map_money(t):
    return str(Money(t.n) + Money(50))


def map_money_sum(t):
    total = Money(0)
    for x in t.xs:
        total = total + Money(x)
    return total.cents


def map_basket(t):
    basket = Basket(t.word).add("a", t.n).add("b", 2)
    basket.tags["n"] = t.n
    return basket.total, len(basket.tags)


def map_basket_dict(t):
    return asdict(Basket(t.word, [(t.word, t.n)]))


def map_version(t):
    return Version.parse(f"1.{t.n}") > Version(1, 30)


def map_version_sorted(t):
    return [v.minor for v in sorted(Version(1, x) for x in t.xs)]


def map_version_tuple(t):
    return astuple(replace(Version(1, 2), patch=t.n))


def map_account(t):
    account = Account(t.word)
    try:
        account.book(t.n * 3)
    except ValueError as error:
        return str(error)
    return len(account)


def map_account_sum(t):
    account = Account(t.word, 1000)
    for x in t.xs:
        account.book(x)
    return sum(account)


def map_timer(t):
    with Timer() as timer:
        for _ in t.xs:
            timer.steps += 1
    return timer.steps


def map_clean(t):
    return clean(f"  {t.word.upper()}   {t.note or ''} ")


def map_to_number(t):
    return to_number(f"{t.n},5") + to_number(t.word) + to_number(None, 1.0)


def flat_map_chunks(t):
    return [sum(part) for part in chunks(t.xs, 2)]


def flat_map_chunks_yield(t):
    for number, part in enumerate(chunks(t.xs, 2), start=1):
        yield number, max(part)


def map_first(t):
    return first(x for x in t.xs if x > 2)


def map_normalise(t):
    return NORMALISE(f" {t.word} ")


def map_fib(t):
    return fib(t.n % 20)


@checked
def map_checked(t):
    return t.n + 1


def map_word_counts(t):
    counts = Counter(t.word)
    letter, times = counts.most_common(1)[0]
    return f"{letter}{times}"


def map_counter_minus(t):
    return sorted((Counter(t.word) - Counter("aeiou")).items())


def map_counter_total(t):
    c = Counter(t.word)
    c.update(t.note or "")
    return c.total()


def map_counter_in_place(t):
    c = Counter(t.word)
    c += Counter("ab")
    c -= Counter("b")
    return c["a"]


def map_groups(t):
    groups = defaultdict(list)
    for x in t.xs:
        groups["even" if x % 2 == 0 else "odd"].append(x)
    return dict(groups)


def map_nested_default(t):
    table = defaultdict(lambda: defaultdict(int))
    for c in t.word:
        table[c.isalpha()][c] += 1
    return {k: dict(v) for k, v in table.items()}


def map_ordered(t):
    od = OrderedDict((c, n) for n, c in enumerate(t.word))
    od.move_to_end(t.word[0])
    return list(od)


def map_chain(t):
    return ChainMap({"n": t.n}, {"n": 0, "word": t.word})["word"]


def map_deque_window(t):
    last = deque(maxlen=2)
    out = []
    for x in t.xs:
        last.append(x)
        out.append(sum(last) / len(last))
    return out


def map_decimal(t):
    price = Decimal("19.99") * t.n
    return str(price.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP))


def map_decimal_tax(t):
    net = Decimal(t.n) / Decimal("1.19")
    return float(round(net, 2))


def map_decimal_even(t):
    return Decimal(str(t.x)).quantize(Decimal(1), ROUND_HALF_EVEN)


def map_fraction(t):
    part = Fraction(t.n, 7) + Fraction(1, 3)
    return part.numerator, part.denominator


def map_statistics(t):
    return statistics.mean(t.xs), statistics.median(t.xs)


def map_stdev(t):
    return round(statistics.pstdev(t.xs), 3) if len(t.xs) > 1 else 0.0


def map_json(t):
    return json.dumps({"n": t.n, "word": t.word, "xs": t.xs}, sort_keys=True)


def map_json_back(t):
    row = json.loads('{"a": [1, 2], "b": {"c": 3}}')
    row["a"].append(t.n)
    return row["a"][-1] + row["b"]["c"]


def map_json_default(t):
    return json.dumps({"d": Decimal(t.n)}, default=str)


def map_json_guarded(t):
    try:
        return json.loads(t.word)
    except json.JSONDecodeError as error:
        return error.msg


def map_key_missing(t):
    try:
        return RATES[t.word]
    except KeyError as error:
        return f"no rate: {error.args[0]}"


def map_index_missing(t):
    try:
        return t.xs[t.n]
    except IndexError:
        return -1
    finally:
        pass


def map_retry(t):
    for base in (10, 16, 36):
        try:
            return int(t.word, base)
        except ValueError:
            continue
    return None


def map_match_number(t):
    match t.n % 5:
        case 0:
            return "five"
        case 1 | 2:
            return "small"
        case n if n > 3:
            return f"big {n}"
        case _:
            return "three"


def map_match_list(t):
    match t.xs:
        case [first, *rest] if first:
            return first + len(rest)
        case [_, second, _]:
            return second
        case _:
            return 0


def map_match_dict(t):
    match {"kind": t.word, "n": t.n}:
        case {"kind": "alpha", "n": n}:
            return n
        case {"kind": kind, **rest}:
            return kind, len(rest)


def map_match_point(t):
    match Point(t.x, t.n % 2):
        case Point(x, 0):
            return x
        case Point(y=y):
            return y


def map_match_type(t):
    match t.note:
        case None:
            return "none"
        case str() as text:
            return text.upper()


def map_match_enum(t):
    match Level.of(t.n):
        case Level.LOW:
            return 0
        case Level.HIGH:
            return 1


def map_walrus(t):
    if (m := re.search(r"[aeiou]", t.word)) is not None:
        return m.start()
    return -1


def map_walrus_list(t):
    return [y for x in t.xs if (y := x * 2) > 2]


def map_any_all(t):
    return any(x > 3 for x in t.xs), all(x >= 0 for x in t.xs)


def map_sorted_key(t):
    return sorted(t.xs, key=lambda x: (-x % 3, x), reverse=True)


def map_sorted_by_getter(t):
    return sorted([(x, -x) for x in t.xs], key=operator.itemgetter(1))


def map_max_key(t):
    return max(("a", 1), ("b", t.n), key=lambda pair: pair[1])[0]


def map_zip_strict(t):
    return dict(zip(("a", "b", "c"), t.xs, strict=True))


def map_itertools(t):
    return [sum(g) for _, g in itertools.groupby(sorted(t.xs), key=lambda x: x % 2)]


def map_pairwise(t):
    return [b - a for a, b in itertools.pairwise(t.xs)]


def map_accumulated(t):
    return list(itertools.accumulate(t.xs))


def map_accumulated_max(t):
    return list(itertools.accumulate(t.xs, max))


def map_reduced(t):
    return functools.reduce(lambda a, b: a * 31 + b, t.xs, 7)


def map_chained(t):
    return list(itertools.chain.from_iterable([t.xs, [t.n]]))


def map_product(t):
    return [a + str(b) for a, b in itertools.product("xy", t.xs)]


def map_islice(t):
    return list(itertools.islice(itertools.count(t.n, 2), 3))


def map_text_table(t):
    return t.word.translate(str.maketrans("aeiou", "43100"))


def map_template(t):
    return string.Template("$word: $n").substitute(word=t.word, n=t.n)


def map_format_spec(t):
    width = 8
    return f"{t.word:>{width}}|{t.x:08.3f}|{t.n:+d}|{t.n:#x}"


def map_percent(t):
    return "%s has %05.1f (%d%%)" % (t.word, t.x, t.n)


def map_percent_dict(t):
    return "%(word)s/%(n)03d" % {"word": t.word, "n": t.n}


def map_format_map(t):
    return "{word}-{n}".format_map({"word": t.word, "n": t.n})


def map_slug(t):
    text = unicodedata.normalize("NFKD", f"{t.word} é!").encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def map_camel(t):
    head, *tail = f"{t.word}_of_{t.key}".split("_")
    return head + "".join(part.capitalize() for part in tail)


def map_partition(t):
    left, found, right = t.word.partition("a")
    return (left, right) if found else None


def map_lines(t):
    return [line.rstrip() for line in f"{t.word} \n{t.n}\n\n".splitlines() if line]


def map_bytes(t):
    return int.from_bytes(t.word.encode()[:2], "big") ^ 0xFF


def map_hex(t):
    return bytes.fromhex(f"{t.n:04x}").hex(":")


def map_bytearray(t):
    data = bytearray(t.word, "utf-8")
    data.reverse()
    data.append(t.n % 128)
    data[0] = 33
    return bytes(data)


def map_math(t):
    return math.floor(t.x), math.ceil(t.x), math.trunc(-t.x), round(t.x, 1)


def map_math_more(t):
    return math.isclose(t.x, 0.75), math.gcd(t.n, 12), math.log1p(t.x), math.copysign(1, -t.x)


def map_divmod(t):
    minutes, seconds = divmod(t.n * 37, 60)
    return f"{minutes:02}:{seconds:02}"


def map_clamp(t):
    return max(0, min(t.n - 10, 40))


def map_ternary(t):
    return "big" if t.n > 40 else "middle" if t.n > 20 else "small"


def map_slice(t):
    return t.word[::-1], t.word[1:-1], t.xs[-2:]


def map_set_work(t):
    a, b = set(t.word), set("alphabet")
    return len(a & b), len(a | b), a <= b, sorted(a - b)


def map_set_sorted(t):
    return sorted({w.upper() for w in (t.word, t.note or "x")})


def map_dict_merge(t):
    row = {"n": t.n} | {"word": t.word}
    row |= {"x": t.x}
    return row


def map_dict_invert(t):
    return {v: k for k, v in NUMBERS.items() if k <= t.n}


def map_dict_sorted(t):
    return dict(sorted({t.word: 1, "b": 2, "a": 3}.items()))


def map_dict_loop(t):
    row = {"a": t.n, "b": None, "c": ""}
    for name in list(row):
        if row[name] in (None, ""):
            del row[name]
    return row


def map_dict_setdefault(t):
    index = {}
    for place, c in enumerate(t.word):
        index.setdefault(c, []).append(place)
    return index


def map_none_default(t):
    return (t.note or "?").strip().upper()


def map_get_chain(t):
    return {"a": {"b": t.n}}.get("a", {}).get("b", 0)


def map_nested_function(t):
    def scale(x, by=2):
        return x * by
    return [scale(x) for x in t.xs] + [scale(t.n, by=3)]


def map_nonlocal(t):
    total = 0

    def add(x):
        nonlocal total
        total += x
    for x in t.xs:
        add(x)
    return total


def map_recursive(t):
    def depth(n):
        return 0 if n <= 1 else 1 + depth(n // 2)
    return depth(t.n)


def map_while(t):
    n, steps = t.n + 1, 0
    while n != 1 and steps < 100:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def map_while_break(t):
    xs = list(t.xs)
    while xs:
        if xs.pop() > 2:
            break
    else:
        return "none"
    return len(xs)


def map_for_else(t):
    for d in range(2, t.n):
        if t.n % d == 0:
            return d
    else:
        return t.n


def map_enumerate_find(t):
    return next((i for i, x in enumerate(t.xs) if x == t.n), None)


def map_matrix(t):
    rows = [[x * y for y in range(3)] for x in t.xs]
    return [list(column) for column in zip(*rows)]


def map_stack(t):
    stack, best = [], 0
    for c in f"({t.word}(({t.n})))":
        if c == "(":
            stack.append(c)
            best = max(best, len(stack))
        elif c == ")":
            stack.pop()
    return best


def map_heap(t):
    import heapq
    heap = list(t.xs)
    heapq.heapify(heap)
    heapq.heappush(heap, 2)
    return [heapq.heappop(heap) for _ in range(2)]


def map_local_class_use(t):
    return collections.namedtuple


def map_operator(t):
    return operator.add(t.n, 1), operator.itemgetter("a", "b")({"a": 1, "b": t.n})


def map_methodcaller(t):
    return list(map(operator.methodcaller("upper"), t.word))


def map_partial(t):
    power = functools.partial(pow, t.n)
    return power(2), power(3, 7)


def map_isinstance(t):
    value = t.note if t.n % 2 else t.n
    if isinstance(value, str):
        return len(value)
    return value if isinstance(value, (int, float)) else 0


def map_assert(t):
    assert t.n >= 0, f"negative: {t.n}"
    return t.n


def map_raise_from(t):
    try:
        try:
            return RATES[t.word]
        except KeyError as error:
            raise LookupError(t.word) from error
    except LookupError:
        return 0.0


def map_unpack_star(t):
    head, *middle, tail = [t.n, *t.xs, 9]
    return head, middle, tail


def map_swap(t):
    a, b = t.n, t.key
    a, b = b, a
    return (a, b)


def map_complex(t):
    return abs(complex(t.x, t.n))


def map_bits(t):
    return bin(t.n).count("1"), t.n.bit_length(), t.n >> 1 | t.n << 2


def map_round_half(t):
    return round(t.x * 2) / 2


def map_range_in(t):
    return t.n in range(10, 50, 5), 3 in t.xs


def map_string_in(t):
    return "a" in t.word, b"a" in t.word.encode()


def map_global_lookup(t):
    return NUMBERS.get(t.n % 10, "many")


def map_luhn(t):
    digits = [int(d) for d in str(t.n * 7919)]
    odd, even = digits[-1::-2], digits[-2::-2]
    return (sum(odd) + sum(sum(divmod(2 * d, 10)) for d in even)) % 10 == 0


def map_levenshtein(t):
    before = list(range(len("alpha") + 1))
    for i, a in enumerate(t.word, 1):
        row = [i]
        for j, b in enumerate("alpha", 1):
            row.append(min(row[-1] + 1, before[j] + 1, before[j - 1] + (a != b)))
        before = row
    return before[-1]


def map_run_length(t):
    return "".join(f"{c}{len(list(g))}" for c, g in itertools.groupby(t.word))


def map_moving(t):
    return [sum(t.xs[max(0, i - 1):i + 1]) for i in range(len(t.xs))]


def map_percentile(t):
    xs = sorted(t.xs)
    return xs[int(0.9 * (len(xs) - 1))]


def map_haversine(t):
    lat, lon = math.radians(t.x), math.radians(t.n)
    a = math.sin(lat / 2) ** 2 + math.cos(lat) * math.sin(lon / 2) ** 2
    return 2 * 6371 * math.asin(math.sqrt(min(1.0, a)))


def filter_weekday(v):
    return v.when.weekday() < 5 and 6 <= v.when.hour < 22


def map_day(v):
    return v.when.date().isoformat()


def map_hour_bucket(v):
    return v.when.replace(minute=0, second=0, microsecond=0)


def map_week(v):
    year, week, _ = v.when.isocalendar()
    return f"{year}-W{week:02}"


def map_age(v):
    return (datetime.datetime(2024, 3, 10) - v.when).days


def map_next_month(v):
    first_day = v.when.date().replace(day=1)
    return (first_day + datetime.timedelta(days=32)).replace(day=1)


def map_parse_date(v):
    return datetime.datetime.strptime(v.when.strftime("%Y%m%d %H"), "%Y%m%d %H")


def map_utc(v):
    return v.when.replace(tzinfo=datetime.timezone.utc).isoformat()


def map_quarter(v):
    return (v.when.month - 1) // 3 + 1


def map_since_midnight(v):
    return (v.when - datetime.datetime.combine(v.when.date(), datetime.time())).total_seconds()


def map_slow(v):
    return v.slow(50.0) or v.folder == "/alpha"


def map_url(v):
    from urllib.parse import parse_qs, urlsplit
    parts = urlsplit(f"https://x.org{v.page}?u={v.user}")
    return parts.path, parse_qs(parts.query)["u"][0]


USES = {name: VISITS for name in (
    "filter_weekday", "map_day", "map_hour_bucket", "map_week", "map_age", "map_next_month",
    "map_parse_date", "map_utc", "map_quarter", "map_since_midnight", "map_slow", "map_url")}


class Totals(ab.State):
    n: int = 0
    total: float = 0.0
    best: float | None = None
    words: dict[str, int] = {}
    recent: deque = deque(maxlen=3)
    seen: set = set()
    log: list = []


@ab.operator(by="key")
def apply_mean(s: Totals, t):
    s.n += 1
    s.total += t.x
    yield s.total / s.n


@ab.operator(by="key")
def apply_best(s: Totals, t):
    if s.best is None or t.x > s.best:
        s.best = t.x
        yield t.word, s.best


@ab.operator(by="key")
def apply_words(s: Totals, t):
    s.words[t.word] = s.words.get(t.word, 0) + 1
    yield max(s.words.items(), key=lambda kv: (kv[1], kv[0]))[0]


@ab.operator(by="key")
def apply_recent(s: Totals, t):
    s.recent.append(t.x)
    if len(s.recent) == s.recent.maxlen:
        yield sum(s.recent) / 3


@ab.operator(by="key")
def apply_seen(s: Totals, t):
    if t.word in s.seen:
        return
    s.seen.add(t.word)
    yield len(s.seen)


@ab.operator(by="key")
def apply_log(s: Totals, t):
    s.log.append((t.n, t.word))
    s.log = s.log[-5:]
    yield [word for _, word in s.log]


@ab.operator(by="key")
def apply_session(s: Totals, t):
    if s.log and t.n - s.log[-1] > 10:
        yield len(s.log), s.log[0]
        s.log.clear()
    s.log.append(t.n)


@ab.operator(by="key")
def apply_counter(s: Totals, t):
    counts = Counter(s.words)
    counts.update([t.word])
    s.words = dict(counts)
    yield counts.most_common(2)


@ab.operator(by="key")
def apply_change(s: Totals, t):
    before, s.best = s.best, t.x
    yield 0.0 if before is None else t.x - before


@ab.operator(by="key")
def apply_alert(s: Totals, t):
    s.n = s.n + 1 if t.x > 5 else 0
    if s.n >= 2:
        yield f"{t.key}: {s.n} in a row"


@ab.operator(by="key")
def apply_ewma(s: Totals, t):
    s.total = t.x if s.n == 0 else 0.3 * t.x + 0.7 * s.total
    s.n += 1
    yield round(s.total, 6)


@ab.operator(by="key")
def apply_variance(s: Totals, t):
    s.log.append(t.x)
    if len(s.log) > 2:
        yield statistics.pvariance(s.log)
