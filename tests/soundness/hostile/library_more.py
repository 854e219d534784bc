# ruff: noqa
"""State that lies in Python's own libraries, or is changed by them."""

import abc
import base64
import bisect
import bz2
import calendar
import codecs
import collections
import contextlib
import copy
import dataclasses
import datetime
import decimal
import difflib
import enum
import fractions
import functools
import gzip
import hashlib
import heapq
import hmac
import html
import io
import ipaddress
import itertools
import json
import lzma
import math
import numbers
import operator
import os
import pprint
import re
import reprlib
import shlex
import statistics
import string
import struct
import textwrap
import types
import typing
import unicodedata
import urllib.parse
import uuid
import zlib
import zoneinfo

import numpy as np

LOG = []


def tick(*given):
    LOG.append(1)
    return len(LOG)


NUMBERS = iter([float(n) for n in range(100_000)])
INTS = itertools.cycle([1, 2, 3, 5, 7])
WORDS = itertools.cycle(["a", "bb", "ccc", "dddd"])
BYTES = itertools.cycle([1, 2, 3])
PAIRS = itertools.cycle([("a", 1), ("b", 2), ("c", 3)])


def take(n, it=INTS):
    return itertools.islice(it, n)


def gen_of(n):
    for _ in range(n):
        yield tick()


class Finite:
    """An iterator that gives two more each time it is gone through."""

    def __init__(self):
        self.n = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.n += 1
        if self.n % 3 == 0:
            raise StopIteration
        return self.n


FINITE = Finite()
HUNDREDS = [iter(range(n, n + 40)) for n in range(100)]


def two():
    while True:
        yield 1.0
        yield 2.0


TWO = two()
SHRINKING = iter(range(20))
SHRINK1, SHRINK2, SHRINK3, SHRINK4 = (iter(range(1, 20)) for _ in range(4))
SHRINK5, SHRINK6, SHRINK7, SHRINK8 = (iter("abcdefgh" * 3) for _ in range(4))


def map_fsum_of_iterator(t):
    return math.fsum(SHRINKING)


def map_prod_of_iterator(t):
    return math.prod(SHRINK1)


def map_fmean_of_iterator(t):
    try:
        return statistics.fmean(SHRINK2)
    except statistics.StatisticsError:
        return 0


def map_mean_of_iterator(t):
    try:
        return statistics.mean(SHRINK3)
    except statistics.StatisticsError:
        return 0


def map_hypot_of_iterator(t):
    return math.hypot(*SHRINK4)


def map_dumps_of_iterator(t):
    return json.dumps(list(SHRINK5))


def map_close_matches_of_iterator(t):
    return difflib.get_close_matches("a", SHRINK7)


def map_hashed_iterator(t):
    return hashlib.sha256("".join(SHRINK8).encode()).hexdigest()


LINES = iter(["a", "b", "c"] * 4)
OPTIONS = iter([("a", 1), ("b", 2)])
CHUNKS = iter([b"a", b"bc"])
NUM_ARRAY = iter([1.0, 2.0, 3.0])
QUANT = iter([1.0, 2.0, 3.0, 4.0])
MODES = iter([1, 1, 2])


def map_urlencode_of_iterator(t):
    return urllib.parse.urlencode(list(OPTIONS))


def map_mode_of_iterator(t):
    try:
        return statistics.mode(MODES)
    except statistics.StatisticsError:
        return -1


def map_quantiles_of_iterator(t):
    try:
        return statistics.quantiles(QUANT)
    except statistics.StatisticsError:
        return -1


def map_multimode_of_iterator(t):
    return statistics.multimode(MODES)


def map_array_of_iterator(t):
    return len(list(NUM_ARRAY))


def map_shlex_join_of_iterator(t):
    return shlex.join(LINES2)


LINES2 = iter(["a", "b", "c"] * 4)


def map_textwrap_of_iterator(t):
    return " ".join(LINES3)


LINES3 = iter(["a", "b", "c"] * 4)


def map_unified_diff(t):
    return list(difflib.ndiff(list(LINES4), ["a"]))


LINES4 = iter(["a", "b", "c"] * 4)


def map_batched_by_zip(t):
    return list(zip(*[iter(LINES5)] * 2))


LINES5 = iter(["a", "b", "c"] * 4)


def map_fnmatch_filter(t):
    import fnmatch
    return fnmatch.filter(LINES6, "a*")


LINES6 = iter(["a", "b", "c"] * 4)


def map_merge_of_iterator(t):
    return list(heapq.merge(LINES7, ["b"]))


LINES7 = iter(["a", "b", "c"] * 4)


def map_bytes_of_iterator(t):
    return bytes(BYTE_ITER)


BYTE_ITER = iter([1, 2, 3])


def map_int_from_bytes_of_iterator(t):
    return int.from_bytes(BYTE_ITER2, "big")


BYTE_ITER2 = iter([1, 2, 3])


def map_chain_from_iterable(t):
    return list(itertools.chain.from_iterable(NESTED))


NESTED = iter([[1], [2]])


def map_dict_fromkeys_of_iterator(t):
    return dict.fromkeys(KEYS_ITER, 1)


KEYS_ITER = iter([1, 2])


def map_set_union_of_iterator(t):
    return len({100}.union(SET_ITER))


SET_ITER = iter([1, 2])


def map_max_of_iterator(t):
    return max(MAX_ITER, default=0)


MAX_ITER = iter(range(9))


def map_str_translate_maketrans(t):
    return t.word.translate(str.maketrans({"a": next(WORDS)}))


def map_format_star(t):
    return "{} {}".format(*take(2))


# Objects of the library that remember

MATCHER = difflib.SequenceMatcher()
MATCHER2 = difflib.SequenceMatcher()
WRAPPER = textwrap.TextWrapper(width=10)
DECODER = codecs.getincrementaldecoder("utf-8")(errors="replace")
ENCODER = codecs.getincrementalencoder("utf-16")()
COMPRESSOR = zlib.compressobj()
HASH = hashlib.sha256()
MAC = hmac.new(b"key", digestmod="sha256")
CONTEXT = decimal.Context(prec=5)
CONTEXT2 = decimal.Context(prec=5)
CONTEXT3 = decimal.Context(prec=5)
CONTEXT4 = decimal.Context(prec=5)
LEXER = shlex.shlex("a b c " * 200)
SHOWN = reprlib.Repr()
OUT = io.StringIO()
CALENDAR = calendar.TextCalendar()
FRACTION_CACHE = {}
BZ = bz2.BZ2Compressor()
LZ = lzma.LZMACompressor()


def map_matcher_second(t):
    r = MATCHER2.ratio()
    MATCHER2.set_seq2(t.word)
    return r


def map_matcher_bound(t, put=MATCHER.set_seq1):
    before = MATCHER.a
    put(t.word)
    return before


def map_decoder(t):
    return DECODER.decode(b"\xc3" if t.n % 2 else b"\xa9")


def map_encoder(t):
    return ENCODER.encode("a")


def map_compressor(t):
    COMPRESSOR.compress(t.word.encode() * 9)
    return len(COMPRESSOR.copy().flush())


def map_hash(t):
    HASH.update(b"a")
    return HASH.hexdigest()


def map_hash_copy(t):
    h = HASH.copy()
    HASH.update(b"b")
    return h.hexdigest()


def map_mac(t):
    MAC.update(b"a")
    return MAC.hexdigest()


def map_context_flags(t):
    seen = bool(CONTEXT.flags[decimal.Inexact])
    CONTEXT.divide(decimal.Decimal(1), decimal.Decimal(3) if t.n == 20 else decimal.Decimal(2))
    return seen


def map_context_given(t):
    seen = bool(CONTEXT2.flags[decimal.Inexact])
    decimal.Decimal(2 if t.n == 20 else 4).sqrt(CONTEXT2)
    return seen


def map_context_keyword(t):
    seen = bool(CONTEXT3.flags[decimal.Rounded])
    decimal.Decimal("1.23").quantize(decimal.Decimal("0.1") if t.n == 20 else decimal.Decimal("0.01"),
                                     context=CONTEXT3)
    return seen


def map_context_create(t):
    seen = bool(CONTEXT4.flags[decimal.Inexact])
    CONTEXT4.create_decimal("1.23456789" if t.n == 20 else "1.2")
    return seen


def map_context_clear(t):
    CONTEXT4.clear_flags()
    return tick()


def map_context_bound(t, divide=CONTEXT.divide):
    divide(decimal.Decimal(1), decimal.Decimal(3 if t.n == 20 else 2))
    return str(CONTEXT.flags[decimal.Inexact])


def map_default_context(t):
    decimal.DefaultContext.prec += 1
    return decimal.DefaultContext.prec


def map_lexer(t):
    return LEXER.get_token()


def map_lexer_iterated(t):
    return next(iter(LEXER))


def map_repr_level(t):
    SHOWN.maxlist += 1
    return SHOWN.maxlist


def map_pprint_stream(t):
    pprint.pprint(t.n, stream=OUT)
    return len(OUT.getvalue())


def map_pp_stream(t):
    pprint.pp(t.n, stream=OUT)
    return OUT.tell()


def map_pretty_printer(t):
    pprint.PrettyPrinter(stream=OUT).pprint(t.n)
    return OUT.tell()


def map_calendar_first(t):
    CALENDAR.setfirstweekday(t.n % 7)
    return CALENDAR.firstweekday + tick()


def map_calendar_property(t):
    before = CALENDAR.firstweekday
    CALENDAR.firstweekday = t.n % 7
    return before


def map_wrapper_width(t):
    WRAPPER.width = WRAPPER.width + 1
    return WRAPPER.width


def map_codecs_error_handler(t):
    return b"\xff".decode("ascii", "counting")


codecs.register_error("counting", lambda e: (str(tick()), e.end))


def map_codecs_error_encode(t):
    return "\xe9".encode("ascii", errors="counting")


def map_codecs_error_str(t):
    return str(b"\xff", "ascii", "counting")


def map_codecs_error_bytes(t):
    return bytes("\xe9", "ascii", "counting2")


codecs.register_error("counting2", lambda e: (b"%d" % tick(), e.end))


def map_normal_samples(t):
    return statistics.NormalDist(0, 1).samples(2)


def map_abc_register(t):
    if t.n == 20:
        numbers.Number.register(Plainly)
    return isinstance(Plainly(), numbers.Number)


class Plainly:
    pass


class Base(abc.ABC):
    pass


class Late:
    pass


def map_own_abc_register(t):
    seen = isinstance(Late(), Base)
    Base.register(Late)
    return seen


def map_abc_cache_token(t):
    before = abc.get_cache_token()
    Base.register(type("X", (), {}))
    return before


def map_mac_default(t, h=hashlib.md5()):
    h.update(b"a")
    return h.hexdigest()


def map_zone_cache(t):
    zoneinfo.ZoneInfo.clear_cache()
    return id(zoneinfo.ZoneInfo("UTC")) and tick()


def map_match_lastindex(t):
    FOUND.append(re.match("a", "a"))
    return len(FOUND)


FOUND = []


def map_re_cache(t):
    re.purge()
    return tick()


def map_template_pattern(t):
    return Tmpl("$a").substitute(a=1)


class Tmpl(string.Template):
    @property
    def template(self):
        tick()
        return f"{len(LOG)}"

    @template.setter
    def template(self, x):
        pass


def map_string_formatter_class(t):
    return Fmt().format("{}", 1)


class Fmt(string.Formatter):
    def format_field(self, value, spec):
        return str(tick())


def map_json_encoder_class(t):
    return Enc().encode({"a": Plainly()})


class Enc(json.JSONEncoder):
    def default(self, o):
        return tick()


def map_json_decoder_hook(t):
    return json.JSONDecoder(object_hook=tick).decode('{"a": 1}')


def map_json_encoder_default(t):
    return json.JSONEncoder(default=tick).encode([Plainly()])


def map_json_scanner(t):
    return json.loads("[1]", parse_int=tick)


def map_json_constant(t):
    return json.loads("[NaN]", parse_constant=tick)


def map_html_parser(t):
    from html.parser import HTMLParser

    return HTMLParser().feed("<a>") or tick()


def map_struct_iter(t):
    return next(UNPACKED)


UNPACKED = struct.iter_unpack("B", bytes(range(200)))


def map_finditer_shared(t):
    return next(MATCHES).group()


MATCHES = re.finditer(".", "abcdefghijklmnopqrstuvwxyz" * 10)


def map_combinations_shared(t):
    return next(COMB)


COMB = itertools.combinations(range(30), 2)


def map_accumulated_shared(t):
    return next(ACC)


ACC = itertools.accumulate(itertools.repeat(1))


def map_permutations_of_shared(t):
    return sum(1 for _ in zip(PERM, range(3))), next(PERM)


PERM = itertools.permutations(range(6))


def map_zip_strict_shared(t):
    return list(zip(t.xs, ZIPPED))


ZIPPED = iter(range(10000))


def map_enumerate_shared(t):
    return next(ENUM)


ENUM = enumerate(itertools.repeat("a"))


# Equal, and yet not the same: what remembers by equality

@functools.lru_cache
def kind_of(x):
    return type(x).__name__


@functools.lru_cache
def n_of(p):
    return p.n


@functools.cache
def shown(x):
    return repr(x)


@functools.cache
def first_of(s):
    return list(s)


@dataclasses.dataclass(frozen=True)
class Partly:
    key: int
    n: int = dataclasses.field(compare=False)


class ByKey:
    def __init__(self, key, n):
        self.key, self.n = key, n

    def __eq__(self, other):
        return self.key == other.key

    def __hash__(self):
        return hash(self.key)


class Level(enum.IntEnum):
    ONE = 1
    TWO = 2


class Word(enum.StrEnum):
    ALPHA = "alpha"


class P(typing.NamedTuple):
    n: int


class Q(typing.NamedTuple):
    n: int


class Sub(int):
    pass


class TextSub(str):
    pass


@dataclasses.dataclass(frozen=True)
class Money:
    amount: float


def map_cached_partly_equal(t):
    return n_of(Partly(t.key, t.n))


def map_cached_by_key(t):
    return n_of(ByKey(t.key, t.n))


def map_cached_named_tuples(t):
    return kind_of(P(1) if t.n % 2 else Q(1))


def map_cached_named_and_tuple(t):
    return kind_of(P(1) if t.n % 2 else (1,))


def map_cached_float_in_object(t):
    return shown(Money(1) if t.n % 2 else Money(1.0))


def map_cached_zero(t):
    return shown((0.0,) if t.n % 2 else (-0.0,))


def map_cached_zero_in_object(t):
    return shown(Money(0.0 if t.n % 2 else -0.0))


def map_cached_decimal(t):
    return shown(decimal.Decimal("1.0") if t.n % 2 else decimal.Decimal("1.00"))


def map_cached_frozenset(t):
    return first_of(frozenset([8, 16, 0] if t.n % 2 else [0, 16, 8]))


def map_cached_datetime(t):
    zone = datetime.timezone(datetime.timedelta(hours=t.n % 2))
    return shown(datetime.datetime(2020, 1, 1, 12 + t.n % 2, tzinfo=zone))


def map_cached_numpy_float(t):
    return kind_of(np.float64(3.5) if t.n % 2 else 3.5)


def map_cached_range(t):
    return shown(range(0, 3, 2) if t.n % 2 else range(0, 4, 2))


class Cached:
    def __init__(self, key, n):
        self.key, self.n = key, n

    def __eq__(self, other):
        return self.key == other.key

    def __hash__(self):
        return self.key

    @functools.lru_cache
    def get(self):
        return self.n

    @functools.cached_property
    def own(self):
        return self.n


def map_cached_method(t):
    return Cached(t.key, t.n).get()


# Dates, decimals and numbers with contexts

def map_decimal_context_flags(t):
    ctx = decimal.getcontext()
    seen = bool(ctx.flags[decimal.Inexact])
    decimal.Decimal(1) / (3 if t.n == 20 else 2)
    return seen


# NumPy

A = np.zeros(3)
ROWS = np.zeros((3, 3))
STRUCT = np.zeros(3, dtype=[("a", int), ("b", float)])
MASKED = np.ma.array([1, 2, 3], mask=[0, 0, 0])
MATRIX = np.zeros((2, 2))
RECORDS = np.rec.array([(1, 2.0)], dtype=[("a", int), ("b", float)])
POLY = np.poly1d([1, 2])
RNG = np.random.default_rng(1)


def map_array_imul(t):
    x = A
    x *= 2
    x += 1
    return float(x.sum())


def map_array_ternary(t):
    x = A if t.n >= 0 else np.ones(3)
    x[0] += 1
    return float(A[0])


def map_array_from_list(t):
    for row in list(ROWS):
        row += 1
    return float(ROWS.sum())


def map_array_split(t):
    for part in np.split(ROWS, 3):
        part += 1
    return float(ROWS.sum())


def map_array_atleast(t):
    np.atleast_1d(A)[0] += 1
    return float(A[0])


def map_array_squeeze(t):
    np.squeeze(A)[0] += 1
    return float(A[0])


def map_array_swapaxes(t):
    ROWS.swapaxes(0, 1)[0, 0] += 1
    return float(ROWS[0, 0])


def map_array_broadcast(t):
    a, b = np.broadcast_arrays(A, A)
    A[0] += 1
    return float(a[0])


def map_array_meshgrid(t):
    x, y = np.meshgrid(A, A, copy=False)
    A[0] += 1
    return float(x[0, 0])


def map_array_field(t):
    STRUCT["a"][0] += 1
    return int(STRUCT["a"][0])


def map_array_record(t):
    STRUCT[0]["a"] += 1
    return int(STRUCT[0]["a"])


def map_array_void(t):
    row = STRUCT[1]
    row["a"] = row["a"] + 1
    return int(STRUCT["a"][1])


def map_array_shape(t):
    before = MATRIX.shape
    MATRIX.shape = (4,) if MATRIX.ndim == 2 else (2, 2)
    return before


def map_array_masked(t):
    MASKED[0] += 1
    return int(MASKED[0])


def map_array_mask(t):
    MASKED.mask[1] = not MASKED.mask[1]
    return bool(MASKED.mask[1])


def map_rec_array(t):
    RECORDS.a[0] += 1
    return int(RECORDS.a[0])


def map_poly(t):
    POLY[0] = POLY[0] + 1
    return float(POLY[0])


def map_generator_numpy(t):
    return float(RNG.normal())


def map_generator_out(t):
    return float(RNG.random(out=np.zeros(3))[0])


def map_array_flat_index(t):
    A.flat[0] = A.flat[0] + 1
    return float(A[0])


def map_array_real(t):
    A.real[0] += 1
    return float(A[0])


def map_array_T(t):
    ROWS.T[0, 0] += 1
    return float(ROWS[0, 0])


def map_array_out_tuple(t):
    np.add(A, 1, out=(A,))
    return float(A[0])


def map_array_where_out(t):
    np.add(A, 1, where=A > -1, out=A)
    return float(A[0])


def map_array_reduce_out(t):
    s = A[:1]
    np.add.accumulate([1.0], out=s)
    A[0] += tick()
    return float(A[0])


def map_array_ufunc_at(t):
    np.add.at(A, [0], 1)
    return float(A[0])


def map_array_clip_out(t):
    A.clip(tick(), None, A)
    return float(A[0])


def map_array_sum_out(t):
    ROWS.sum(0, None, A)
    ROWS[0, 0] += 1
    return float(A[0])


def map_array_partition(t):
    A.partition(1)
    A[0] -= 1
    return float(A[0])


def map_array_setflags(t):
    w = A.flags.writeable
    A.setflags(write=not w)
    return w


def map_array_flags(t):
    w = ROWS.flags.writeable
    ROWS.flags.writeable = not w
    return w


def map_array_dtype(t):
    before = DT.dtype.name
    DT.dtype = np.int32 if DT.dtype == np.float64 else np.float64
    return before


DT = np.zeros(4)


def map_array_data(t):
    memoryview(A)[0] = float(tick())
    return float(A[0])


def map_array_choose_out(t):
    np.take([5.0, 6.0, 7.0], [0, 1, 2], out=A)
    A[0] += tick()
    return float(A[0])


def map_array_nan_to_num(t):
    np.nan_to_num(A, copy=False, nan=tick())
    A[0] = np.nan
    return float(np.nan_to_num(A, copy=False, nan=tick())[0])


def map_array_sort_in_place(t):
    SORT.sort()
    before = float(SORT[0])
    SORT[2] = -before - 1
    return before


SORT = np.array([3.0, 1.0, 2.0])


def map_array_geterr(t):
    with np.errstate(divide="ignore"):
        return str(np.geterr()["divide"]) + str(tick())


def map_array_print(t):
    with np.printoptions(precision=t.n % 5):
        return str(np.array([1.23456789])) + str(tick())


def map_array_string_function(t):
    return np.array2string(A, formatter={"float_kind": lambda x: str(tick())})


def map_array_apply(t):
    return np.apply_along_axis(lambda v: tick(), 0, np.ones(1)).tolist()


def map_array_fromiter(t):
    return np.fromiter((tick() for _ in range(2)), int).tolist()


def map_array_select(t):
    return float(np.select([A >= 0], [A]).sum()) + tick()


def map_array_object(t):
    return np.array([Plain2()], dtype=object).sum()


class Plain2:
    def __add__(self, other):
        return tick()

    __radd__ = __add__

    def __array__(self, dtype=None, copy=None):
        return np.array([float(tick())])


def map_array_of_protocol(t):
    return float(np.asarray(Plain2())[0])


def map_array_plus_object(t):
    return str(np.ones(1) + Plain2())


def map_scalar_plus_object(t):
    return str(np.float64(1.0) + Plain2())


def map_scalar_power_object(t):
    return str(np.int64(2) * OnlyR())


class OnlyR:
    __array_ufunc__ = None

    def __rmul__(self, other):
        return tick()


def map_array_index_object(t):
    return float(np.arange(5.0)[Pos()])


class Pos:
    def __index__(self):
        return tick() % 5


def map_array_equal_object(t):
    return str(np.ones(1) == EqA())


class EqA:
    __array_ufunc__ = None

    def __eq__(self, other):
        return tick()


# Functions given to functions

def map_reduce_initial(t):
    return functools.reduce(lambda a, b: a.append(b) or a, t.xs, LOG).__len__()


def map_accumulate_initial(t):
    return list(itertools.accumulate(t.xs, lambda a, b: (LOG.append(1), len(LOG))[1]))


def map_starmap_partial(t):
    return list(itertools.starmap(functools.partial(put, LOG), [(1,), (2,)]))


def put(xs, *more):
    xs.append(1)
    return len(xs)


def map_methodcaller_local(t):
    operator.methodcaller("append", 1)(LOG)
    return len(LOG)


def map_methodcaller_arguments(t):
    operator.methodcaller("append", t.n)(LOG)
    return len(LOG)


def map_methodcaller_global(t):
    CALLER(LOG)
    return len(LOG)


CALLER = operator.methodcaller("append", 1)
CALLER_KW = operator.methodcaller("take", xs=LOG)


def map_methodcaller_keyword(t):
    return CALLER_KW(Takes())


class Takes:
    def take(self, xs=()):
        xs.append(1)
        return len(xs)


def map_attrgetter_dotted(t):
    return put(operator.attrgetter("a.b")(Outer()))


class Outer:
    class a:
        b = LOG


def map_itemgetter_several(t):
    return put(operator.itemgetter(0, 1)([1, LOG])[1])


def map_cmp_to_key_stateful(t):
    return sorted([3, 1, 2], key=functools.cmp_to_key(lambda a, b: tick() % 3 - 1))


def map_key_object(t):
    return sorted([3, 1, 2], key=KEYED)


class Keyed:
    def __call__(self, x):
        return tick() * (-1) ** len(LOG)


KEYED = Keyed()


def map_groupby_object(t):
    return [k for k, _ in itertools.groupby([1, 1], KEYED)]


def map_bisect_key(t):
    return bisect.bisect([1, 2, 3], 2, key=lambda x: tick())


def map_nlargest_object(t):
    return heapq.nlargest(1, [1, 2, 3], key=KEYED)


def map_re_sub_method(t):
    return re.sub("a", BUMP.bump, t.word)


class Bump:
    def bump(self, m):
        return str(tick())


BUMP = Bump()


def map_iter_callable(t):
    return next(iter(tick, -1))


def map_defaultdict_method(t):
    d = collections.defaultdict(BUMP2.make)
    return d["a"]


class Bump2:
    def make(self):
        return tick()


BUMP2 = Bump2()


def map_dict_setdefault_global(t):
    return len(D.setdefault(t.word, []))+len(D)


D = {}


def map_exit_stack(t):
    with contextlib.ExitStack() as s:
        s.callback(tick)
    return len(LOG)


def map_redirect(t):
    with contextlib.redirect_stdout(OUT2):
        print(t.n)
    return len(OUT2.getvalue())


OUT2 = io.StringIO()


def map_suppressed(t):
    with contextlib.suppress(KeyError):
        LOG.append(1)
        {}[1]
    return len(LOG)


def map_nullcontext(t):
    with contextlib.nullcontext(LOG) as xs:
        xs.append(1)
    return len(LOG)


def map_copy_of_holder(t):
    return put(copy.copy(HOLDER).xs)


class Holder:
    def __init__(self):
        self.xs = LOG


HOLDER = Holder()


def map_copy_of_slotted(t):
    return put(copy.copy(SLOTTED).xs)


class Slotted:
    __slots__ = ("xs",)

    def __init__(self):
        self.xs = LOG


SLOTTED = Slotted()


def map_replace_dataclass(t):
    return put(dataclasses.replace(BOX, n=2).xs)


@dataclasses.dataclass
class Box:
    xs: list
    n: int = 1


BOX = Box(LOG)


def map_fields_default(t):
    return put(dataclasses.fields(Box2)[0].default_factory())


@dataclasses.dataclass
class Box2:
    xs: list = dataclasses.field(default_factory=lambda: LOG)


def map_dataclass_default_factory(t):
    return put(Box2().xs)


def map_dataclass_kw(t):
    return put(Box3(n=1).xs)


@dataclasses.dataclass(kw_only=True, slots=True)
class Box3:
    n: int
    xs: list = dataclasses.field(default_factory=lambda: LOG)


def map_dataclass_order(t):
    return Box4(Lt()) < Box4(Lt())


class Lt:
    def __lt__(self, other):
        return tick() % 2 == 0

    def __eq__(self, other):
        return False


@dataclasses.dataclass(order=True)
class Box4:
    a: Lt


def map_dataclass_init_false(t):
    return Box5(1).k


@dataclasses.dataclass
class Box5:
    n: int
    k: int = dataclasses.field(init=False, default_factory=tick)


def map_dataclass_init_var(t):
    return Box6(1, LOG).n


@dataclasses.dataclass
class Box6:
    n: int
    log: dataclasses.InitVar[list]

    def __post_init__(self, log):
        log.append(1)
        self.n = len(log)


def map_dataclass_inherits(t):
    return put(Box7().xs)


@dataclasses.dataclass
class Box7(Box2):
    m: int = 0


def map_frozen_set_attribute(t):
    object.__setattr__(FROZEN, "n", FROZEN.n + 1)
    return FROZEN.n


@dataclasses.dataclass(frozen=True)
class Frozen:
    n: int = 0


FROZEN = Frozen()


def map_frozen_dict(t):
    FROZEN.__dict__["n"] = FROZEN.n + 1
    return FROZEN.n


def map_enum_auto(t):
    return len(Level.__members__) + tick()


class Perm(enum.Flag):
    R = 1
    W = 2


def map_flag_member_attribute(t):
    (Perm.R | Perm.W).seen = getattr(Perm.R | Perm.W, "seen", 0) + 1
    return (Perm.R | Perm.W).seen


def map_enum_value_list(t):
    return put(Lists.A.value)


class Lists(enum.Enum):
    A = []


def map_enum_by_value_attribute(t):
    Level(1).seen = getattr(Level(1), "seen", 0) + 1
    return Level(1).seen


def map_enum_member_map(t):
    Level._value2member_map_[t.n + 10] = Level.ONE
    return len(Level._value2member_map_)


def map_type_annotations(t):
    Box.__annotations__[t.word] = int
    return len(Box.__annotations__)


def map_function_annotations(t):
    put.__annotations__[str(t.n)] = 1
    return len(put.__annotations__)


def map_function_defaults(t):
    with_default.__kwdefaults__["n"] += 1
    return with_default()


def with_default(*, n=0):
    return n


def map_doc(t):
    put.__doc__ = (put.__doc__ or "") + "a"
    return len(put.__doc__)


def map_ipaddress(t):
    return str(next(HOSTS))


HOSTS = ipaddress.ip_network("10.0.0.0/20").hosts()


def map_typing_overloads(t):
    typing.overload(put)
    return tick()


def map_deque_maxlen(t):
    RECENT.append(t.n)
    return sum(RECENT)


RECENT = collections.deque(maxlen=3)


def map_chainmap_new(t):
    return CM.new_child({"a": 1}).maps[1].setdefault(t.n, 1) + len(BASE)


BASE = {}
CM = collections.ChainMap(BASE)


def map_chainmap_parents(t):
    CM2.parents["a"] = CM2.parents.get("a", 0) + 1
    return CM2["a"]


CM2 = collections.ChainMap({}, {})


def map_user_string(t):
    return str(US("a") + "b")


class US(collections.UserString):
    def __add__(self, other):
        return tick()


def map_bytearray_default(t, b=bytearray()):
    b.append(1)
    return len(b)


def map_memoryview_release(t):
    m = memoryview(BA)
    m[0] = (m[0] + 1) % 256
    return BA[0]


BA = bytearray(3)
