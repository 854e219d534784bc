# ruff: noqa
"""State of the standard library and of NumPy, and effects through functions that are handed over."""

import array
import ast
import bisect
import collections
import contextlib
import contextvars
import copy
import csv
import decimal
import functools
import gc
import heapq
import io
import itertools
import json
import logging
import operator
import os
import pickle
import random
import re
import string
import struct
import sys
import threading
import types
import warnings
import weakref
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque
from decimal import Decimal

import numpy as np

LOG = []
TABLE = {}


def note(x=None):
    LOG.append(x)
    return len(LOG)


# functools


@functools.lru_cache(maxsize=0)
def uncached(x):
    LOG.append(x)
    return len(LOG)


def map_lru_cache_size_zero(t):
    return uncached(t.word)


@functools.lru_cache
def cached(word):
    LOG.append(word)
    return len(LOG)


def map_lru_cache_first_call(t):
    return cached(t.word)


@functools.cache
def list_of(word):
    return []


def map_cache_gives_its_list(t):
    xs = list_of(t.word)
    xs.append(t.n)
    return len(xs)


@functools.lru_cache(maxsize=None)
def dict_of():
    return {}


def map_lru_cache_gives_its_dict(t):
    d = dict_of()
    d[t.word] = t.n
    return len(d)


def map_cache_info(t):
    pure_cached(t.word)
    return pure_cached.cache_info().hits


@functools.lru_cache
def pure_cached(word):
    return word.upper()


@functools.cache
def pair_of(word):
    return (word, [])


def map_cache_gives_list_in_tuple(t):
    pair_of(t.word)[1].append(1)
    return len(pair_of(t.word)[1])


@functools.lru_cache
def generator_of(word):
    return iter(range(1000))


def map_cache_gives_its_iterator(t):
    return next(generator_of(t.word))


class Lazy:
    @functools.cached_property
    def items(self):
        return []

    @functools.cached_property
    def number(self):
        return note()


LAZY = Lazy()


def map_cached_property(t):
    LAZY.items.append(t.n)
    return len(LAZY.items)


def map_cached_property_of_local(t):
    return Lazy().number


def map_cached_property_deleted(t):
    found = LAZY.number
    del LAZY.number
    return found


push = functools.partial(heapq.heappush, LOG)
put = functools.partial(operator.setitem, TABLE)
insort = functools.partial(bisect.insort, LOG)
append = functools.partial(list.append, LOG)
extend = functools.partial(LOG.extend)
setdefault = functools.partial(TABLE.setdefault)
fold = functools.partial(functools.reduce, lambda a, b: note(a))
of_keyword = functools.partial(note, x=1)


def map_partial_heappush(t):
    push(t.n)
    return len(LOG)


def map_partial_setitem(t):
    put(t.word, t.n)
    return len(TABLE)


def map_partial_insort(t):
    insort(-t.n)
    return len(LOG)


def map_partial_append(t):
    append(t.n)
    return len(LOG)


def map_partial_extend(t):
    extend([t.n])
    return len(LOG)


def map_partial_setdefault(t):
    return setdefault(t.word, t.n)


def map_partial_reduce(t):
    return fold(t.xs)


def map_partial_keyword(t):
    return of_keyword()


def map_partial_local(t):
    functools.partial(LOG.append, t.n)()
    return len(LOG)


def map_partial_local_heappush(t):
    p = functools.partial(heapq.heappush, LOG)
    p(t.n)
    return len(LOG)


def map_partial_mapped(t):
    list(map(functools.partial(operator.setitem, TABLE, t.word), [t.n]))
    return len(TABLE)


map_partial_itself = functools.partial(lambda seen, t: (seen.append(1), len(seen))[1], [])


class Owner:
    def __init__(self):
        self.n = 0

    def add(self, by, t):
        self.n += by
        return self.n

    one = functools.partialmethod(add, 1)


OWNER = Owner()


def map_partialmethod(t):
    return OWNER.one(t)


@functools.singledispatch
def dispatched(x):
    return 0


@dispatched.register
def _(x: int):
    return note(x)


def map_singledispatch(t):
    return dispatched(t.n)


def map_singledispatch_register(t):
    found = len(dispatched.registry)
    dispatched.register(type("Made", (), {}), lambda x: 1)
    return found


def map_reduce_effect(t):
    return functools.reduce(lambda a, b: note(b), t.xs)


def map_cmp_to_key(t):
    return sorted([1, 2, 3], key=functools.cmp_to_key(lambda a, b: 1 if note() % 3 else -1))


@functools.total_ordering
class Ordered:
    def __init__(self, n):
        self.n = n

    def __eq__(self, other):
        return False

    def __lt__(self, other):
        return note() % 2 == 0


def map_total_ordering(t):
    return Ordered(1) >= Ordered(2)


def map_wrapped_reached(t):
    return decorated.__wrapped__(t.n)


def count_calls(f):
    @functools.wraps(f)
    def call(*args, **kwargs):
        call.calls += 1
        return f(*args, **kwargs), call.calls
    call.calls = 0
    return call


@count_calls
def decorated(x):
    return note(x)


def map_wraps_counts(t):
    return decorated(t.n)


@count_calls
def pure_inside(x):
    return x


def map_wraps_around_pure(t):
    return pure_inside(t.n)


map_update_wrapper_itself = functools.update_wrapper(lambda t: note(t.n), lambda t: t.n)

# collections

CHAIN = ChainMap({}, TABLE)


def map_chain_map(t):
    CHAIN[t.word] = t.n
    return len(CHAIN)


def map_chain_map_child(t):
    child = CHAIN.new_child()
    child.parents[t.word] = t.n
    return len(CHAIN)


def map_chain_map_maps(t):
    CHAIN.maps[0][t.n] = 1
    return len(CHAIN)


def map_chain_map_local(t):
    scopes = ChainMap(TABLE)
    scopes[t.word] = t.n
    return len(TABLE)


GROUPS = defaultdict(list)
NUMBERS = defaultdict(itertools.count().__next__)


def map_defaultdict_read(t):
    GROUPS[t.n % 7]
    return len(GROUPS)


def map_defaultdict_append(t):
    GROUPS[t.word].append(t.n)
    return len(GROUPS[t.word])


def map_defaultdict_factory(t):
    return NUMBERS[t.word]


def map_local_defaultdict_factory(t):
    return defaultdict(lambda: note())[t.n]


def map_local_defaultdict_of_shared(t):
    d = defaultdict(lambda: LOG)
    d[t.n].append(1)
    return len(LOG)


COUNTS = Counter()


def map_counter(t):
    COUNTS[t.word] += 1
    return COUNTS[t.word]


def map_counter_update(t):
    COUNTS.update(t.word)
    return COUNTS["a"]


def map_counter_subtract(t):
    COUNTS.subtract([t.word])
    return COUNTS[t.word]


ORDERED = OrderedDict(a=1, b=2, c=3)


def map_move_to_end(t):
    found = next(iter(ORDERED))
    ORDERED.move_to_end(found)
    return found


QUEUE = deque([1, 2, 3, 4], maxlen=4)


def map_deque_rotate(t):
    QUEUE.rotate(1)
    return QUEUE[0]


def map_deque_append(t):
    QUEUE.append(t.n)
    return QUEUE[0]


class Own(UserDict):
    def __missing__(self, key):
        self.data[key] = len(self.data)
        return self.data[key]


OWN = Own()


def map_user_dict_missing(t):
    return OWN[t.word]


def map_user_dict_get(t):
    OWN.setdefault(t.word, t.n)
    return OWN.get(t.word)


class OwnList(UserList):
    def __getitem__(self, n):
        self.data.append(n)
        return len(self.data)


OWN_LIST = OwnList([1, 2, 3])


def map_user_list(t):
    return OWN_LIST[0]


class Mixed(collections.abc.Mapping):
    """`get`, `keys`, `items`, `values` and `in` come from the mixin and use the methods below."""

    def __init__(self):
        self.n = 0

    def __getitem__(self, key):
        self.n += 1
        return self.n

    def __iter__(self):
        self.n += 1
        return iter([self.n])

    def __len__(self):
        self.n += 1
        return self.n


MIXED = Mixed()


def map_mixin_get(t):
    return MIXED.get(t.word)


def map_mixin_contains(t):
    return (t.word in MIXED) + MIXED.n


def map_mixin_keys(t):
    return list(MIXED.keys())


def map_mixin_items(t):
    return list(MIXED.items())


def map_mixin_values(t):
    return list(MIXED.values())


def map_mixin_local(t):
    class Local(collections.abc.Mapping):
        def __getitem__(self, key):
            return note(key)

        def __iter__(self):
            return iter("ab")

        def __len__(self):
            return 2
    return Local().get("a")


def map_mixin_to_dict(t):
    return dict(MIXED)


def map_mixin_star_star(t):
    class Keyed:
        def keys(self):
            return ["a"]

        def __getitem__(self, key):
            return note(key)
    return dict(**Keyed())


class Series(collections.abc.Sequence):
    def __getitem__(self, n):
        if n > 3:
            raise IndexError(n)
        return note(n)

    def __len__(self):
        return 4


SERIES = Series()


def map_mixin_index(t):
    try:
        return SERIES.index(-1)
    except ValueError:
        return len(LOG)


def map_mixin_count(t):
    return SERIES.count(3) + len(LOG)


def map_mixin_sequence_iter(t):
    return list(SERIES)


def map_mixin_reversed(t):
    return list(reversed(SERIES))


class Changing(collections.abc.MutableMapping):
    kept = {}

    def __getitem__(self, key):
        return self.kept[key]

    def __setitem__(self, key, value):
        self.kept[key] = value

    def __delitem__(self, key):
        del self.kept[key]

    def __iter__(self):
        return iter(self.kept)

    def __len__(self):
        return len(self.kept)


def map_mixin_update(t):
    c = Changing()
    c.update({t.word: t.n})
    return len(c)


def map_mixin_pop(t):
    c = Changing()
    c[t.n] = 1
    return c.pop(t.n - 1, -1)


def map_mixin_setdefault(t):
    return Changing().setdefault(t.word, t.n)


# decimal


def map_decimal_precision(t):
    found = str(Decimal(1) / Decimal(7))
    decimal.getcontext().prec = 5 + t.n % 10
    return found


def map_decimal_flags(t):
    context = decimal.getcontext()
    found = context.flags[decimal.Inexact]
    Decimal(t.n) / Decimal(7)
    if t.n % 5 == 0:
        context.clear_flags()
    return found


CONTEXT = decimal.Context(prec=6)


def map_decimal_own_context(t):
    found = CONTEXT.flags[decimal.Inexact]
    CONTEXT.divide(Decimal(1), Decimal(3 if t.n % 2 else 2))
    if t.n % 4 == 0:
        CONTEXT.clear_flags()
    return found


def map_decimal_set_context(t):
    found = str(Decimal(1) / Decimal(3))
    decimal.setcontext(decimal.Context(prec=3 + t.n % 9))
    return found


def map_decimal_context_precision(t):
    CONTEXT.prec = CONTEXT.prec % 20 + 1
    return str(CONTEXT.divide(Decimal(1), Decimal(3)))


def map_decimal_rounding(t):
    found = str(Decimal("2.5").quantize(Decimal(1)))
    decimal.getcontext().rounding = decimal.ROUND_UP if t.n % 2 else decimal.ROUND_DOWN
    return found


def map_decimal_local_context_kept(t):
    with decimal.localcontext(CONTEXT) as context:
        found = LOG[-1] if LOG else 0
        LOG.append(context.prec + t.n)
    return found


# json, pickle, re, csv, text


class Odd:
    pass


def map_json_default(t):
    return json.dumps([Odd()], default=lambda o: note())


class Encoder(json.JSONEncoder):
    def default(self, o):
        return note()


def map_json_class(t):
    return json.dumps(Odd(), cls=Encoder)


def map_json_object_hook(t):
    return json.loads('{"a": 1}', object_hook=lambda d: note())


def map_json_pairs_hook(t):
    return json.loads('{"a": 1}', object_pairs_hook=lambda pairs: note())


def map_json_parse_float(t):
    return json.loads("1.5", parse_float=lambda text: note())


class Decoder(json.JSONDecoder):
    def decode(self, text):
        return note(text)


def map_json_decoder(t):
    return json.loads("1", cls=Decoder)


def map_json_dict_class(t):
    class Shown(dict):
        def items(self):
            return [("n", note())]
    return json.dumps(Shown(a=1), indent=1)


def map_json_int_class(t):
    class Shown(float):
        def __repr__(self):
            return str(note())
    return [json.dumps({"a": Shown(1.5)}), repr(Shown(2.5))]


def map_pickle_reduce(t):
    class Reduced:
        def __reduce__(self):
            return (int, (note(),))
    return pickle.loads(pickle.dumps(Reduced()))


def map_copy_reduce(t):
    class Reduced:
        def __reduce_ex__(self, protocol):
            return (int, (note(),))
    return copy.copy(Reduced())


def map_copy_of_shared(t):
    d = copy.copy({"xs": LOG})
    d["xs"].append(1)
    return len(LOG)


def map_re_sub_function(t):
    return re.sub("a", lambda m: str(note()), "a" + t.word)


PATTERN = re.compile("a")


def map_pattern_sub_function(t):
    return PATTERN.sub(lambda m: str(note()), "a" + t.word)


def map_pattern_subn_method(t):
    return PATTERN.subn(Numbering.next, "a" + t.word)


class Numbering:
    n = 0

    @classmethod
    def next(cls, match):
        cls.n += 1
        return str(cls.n)


SCANNER = re.compile("[a-z]").scanner("abcdefghijklmnopqrstuvwxyz" * 9)


def map_re_scanner(t):
    return SCANNER.search().group()


FOUND = re.finditer("[a-z]", "abcdefghijklmnopqrstuvwxyz" * 9)


def map_finditer_shared(t):
    return next(FOUND).group()


OUT = io.StringIO()
WRITER = csv.writer(OUT)


def map_csv_writer(t):
    WRITER.writerow([t.n])
    return OUT.tell()


def map_string_io(t):
    OUT.write(t.word)
    return len(OUT.getvalue())


def map_print_to_string_io(t):
    print(t.word, file=OUT)
    return len(OUT.getvalue())


def map_print_object(t):
    class Shown:
        def __str__(self):
            return str(note())
    out = io.StringIO()
    print(Shown(), file=out)
    return out.getvalue()


INPUT = io.StringIO("\n".join(map(str, range(1000))))


def map_readline(t):
    return INPUT.readline()


def map_line_of_file(t):
    for line in INPUT:
        return line


def map_seek(t):
    before = INPUT.tell()
    INPUT.seek(t.n)
    return before


BYTES = io.BytesIO()


def map_bytes_io(t):
    BYTES.write(t.word.encode())
    return BYTES.tell()


READER = csv.reader(str(n) for n in range(1000))


def map_csv_reader(t):
    return next(READER)


def map_redirected_print(t):
    with contextlib.redirect_stdout(OUT):
        print(t.word)
    return len(OUT.getvalue())


class Template(string.Template):
    used = []

    @property
    def delimiter_count(self):
        self.used.append(1)
        return len(self.used)


class Values(dict):
    def __getitem__(self, key):
        return note(key)


def map_template(t):
    return string.Template("$a").substitute(Values(a=1))


def map_format_map(t):
    return "{a}".format_map(Values(a=1))


class Formatter(string.Formatter):
    def get_value(self, key, args, kwargs):
        return note(key)


def map_string_formatter(t):
    return Formatter().format("{0}", t.n)


def map_join_of_generator(t):
    return "-".join(str(note(x)) for x in t.xs)


# logging, warnings, interpreter


class Kept(logging.Handler):
    def emit(self, record):
        LOG.append(record)


LOGGER = logging.getLogger("anabranch.soundness")
LOGGER.propagate = False
LOGGER.addHandler(Kept())


def map_logging(t):
    LOGGER.error("x")
    return len(LOG)


def map_logging_level(t):
    found = LOGGER.level
    LOGGER.setLevel(10 + t.n)
    return found


def map_warnings_filters(t):
    before = len(warnings.filters)
    warnings.filterwarnings("ignore", message=f"x{t.n}")
    return before


def map_environ(t):
    before = os.environ.get("ANABRANCH_SOUNDNESS")
    os.environ["ANABRANCH_SOUNDNESS"] = str(t.n)
    return before


def map_getenv_and_putenv(t):
    before = os.getenv("ANABRANCH_SOUNDNESS_2")
    os.environ.update(ANABRANCH_SOUNDNESS_2=t.word)
    return before


def map_recursion_limit(t):
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(2000 + t.n)
    return before


def map_switch_interval(t):
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.005 + t.n / 100_000)
    return before


def map_sys_modules(t):
    made = sys.modules.setdefault("anabranch_soundness", types.ModuleType("anabranch_soundness"))
    made.n = getattr(made, "n", 0) + 1
    return made.n


def map_sys_path(t):
    sys.path.append("x")
    return len(sys.path)


def map_sys_attribute(t):
    sys.anabranch_n = getattr(sys, "anabranch_n", 0) + 1
    return sys.anabranch_n


def map_gc_callbacks(t):
    gc.callbacks.append(lambda phase, info: None)
    return len(gc.callbacks)


def map_gc_threshold(t):
    before = gc.get_threshold()[0]
    gc.set_threshold(700 + t.n)
    return before


def map_weakref_callback(t):
    class Thing:
        pass
    thing = Thing()
    reference = weakref.ref(thing, LOG.append)
    del thing
    return len(LOG)


WEAK = weakref.WeakValueDictionary()
STRONG = []


def map_weak_dictionary(t):
    o = OwnList()
    WEAK[t.n] = o
    STRONG.append(o)
    return len(WEAK)


def map_finalize(t):
    class Thing:
        pass
    thing = Thing()
    weakref.finalize(thing, note)
    del thing
    return len(LOG)


def map_frame_globals(t):
    g = sys._getframe().f_globals
    g["frames"] = g.get("frames", 0) + 1
    return g["frames"]


def map_closure_cell(t):
    cell = CELL.__closure__[0]
    cell.cell_contents += 1
    return CELL()


def make_cell():
    n = 0
    return lambda: n


CELL = make_cell()


VARIABLE = contextvars.ContextVar("variable", default=0)


def map_context_variable(t):
    VARIABLE.set(VARIABLE.get() + 1)
    return VARIABLE.get()


LOCAL = threading.local()


def map_thread_local(t):
    LOCAL.n = getattr(LOCAL, "n", 0) + 1
    return LOCAL.n


LOCK = threading.Lock()


def map_lock(t):
    if LOCK.locked():
        LOCK.release()
        return 1
    LOCK.acquire()
    return 0


EVENT = threading.Event()


def map_event(t):
    found = EVENT.is_set()
    EVENT.clear() if found else EVENT.set()
    return found


SEMAPHORE = threading.Semaphore(5)


def map_semaphore(t):
    return SEMAPHORE.acquire(blocking=False)


# random


RANDOM = random.Random(7)


def map_random_instance(t):
    return RANDOM.random()


def map_random_choice(t):
    return RANDOM.choice(t.xs + list(range(50)))


def map_random_module(t):
    if not LOG:
        random.seed(3)
    LOG.append(1)
    return random.random()


def map_random_shuffle(t):
    RANDOM.shuffle(LOG)
    LOG.append(t.n)
    return list(LOG)


def map_random_sample(t):
    return RANDOM.sample(range(1000), 2)


GENERATOR = np.random.default_rng(5)


def map_numpy_generator(t):
    return float(GENERATOR.random())


def map_numpy_random_module(t):
    if not LOG:
        np.random.seed(3)
    LOG.append(1)
    return float(np.random.rand())


STATE = np.random.RandomState(3)


def map_numpy_random_state(t):
    return int(STATE.randint(1_000_000))


# NumPy


ARRAY = np.zeros(4)
MATRIX = np.zeros((2, 2))


def map_array_setitem(t):
    ARRAY[t.n % 4] += 1
    return ARRAY.tolist()


def map_array_in_place(t):
    a = ARRAY
    a += 1
    return float(ARRAY[0])


def map_array_in_place_of_view(t):
    a = ARRAY[1:]
    a += 1
    return float(ARRAY[1])


def map_array_reshaped(t):
    v = ARRAY.reshape(2, 2)
    v[0, 0] += 1
    return float(ARRAY[0])


def map_array_transposed(t):
    MATRIX.T[0, 1] += 1
    return MATRIX.tolist()


def map_array_ravel(t):
    MATRIX.ravel()[0] += 1
    return float(MATRIX[0, 0])


def map_array_view_method(t):
    ARRAY.view()[0] += 1
    return float(ARRAY[0])


def map_array_asarray(t):
    a = np.asarray(ARRAY)
    a[0] += 1
    return float(ARRAY[0])


def map_array_no_copy(t):
    a = np.array(ARRAY, copy=False)
    a[0] += 1
    return float(ARRAY[0])


def map_array_row_of_loop(t):
    for row in MATRIX:
        row += 1
    return float(MATRIX[0, 0])


def map_array_diagonal_fill(t):
    np.fill_diagonal(MATRIX, MATRIX[0, 0] + 1)
    return float(MATRIX[1, 1])


def map_array_out(t):
    np.add(ARRAY, 1, out=ARRAY)
    return float(ARRAY[0])


def map_array_out_positional(t):
    np.add(ARRAY, 1, ARRAY)
    return float(ARRAY[0])


def map_array_out_by_kwargs(t):
    options = {"out": ARRAY}
    np.add(ARRAY, 1, **options)
    return float(ARRAY[0])


OPTIONS = {"out": ARRAY}


def map_array_out_by_global_kwargs(t):
    np.add(ARRAY, 1, **OPTIONS)
    return float(ARRAY[0])


def map_array_method_out(t):
    ARRAY.clip(0, 5, out=ARRAY)
    ARRAY[0] += t.n % 4
    return float(ARRAY[0])


def map_array_cumsum_out(t):
    ARRAY[0] += 1
    np.cumsum(ARRAY, out=ARRAY)
    return float(ARRAY[-1])


def map_array_at(t):
    np.add.at(ARRAY, [0], 1)
    return float(ARRAY[0])


def map_array_fill(t):
    before = float(ARRAY[0])
    ARRAY.fill(t.n)
    return before


def map_array_sort(t):
    ARRAY[0] = t.n
    ARRAY.sort()
    return ARRAY.tolist()


def map_array_put(t):
    before = float(ARRAY[1])
    ARRAY.put([1], t.n)
    return before


def map_array_copyto(t):
    before = float(ARRAY[1])
    np.copyto(ARRAY, t.n)
    return before


def map_array_place(t):
    before = float(ARRAY[1])
    np.place(ARRAY, ARRAY >= 0, [t.n])
    return before


def map_array_flat(t):
    before = float(MATRIX.flat[0])
    MATRIX.flat[0] = t.n
    return before


def map_array_nditer(t):
    with np.nditer(ARRAY, op_flags=["readwrite"]) as it:
        for x in it:
            x[...] = x + 1
    return float(ARRAY[0])


def map_array_resize(t):
    MADE.resize(MADE.size + 1, refcheck=False)
    return MADE.size


MADE = np.zeros(1)


def map_array_setfield(t):
    before = ARRAY.tobytes()
    ARRAY[:] = t.n
    return len(set(before))


def map_array_data_buffer(t):
    memoryview(ARRAY)[0] += 1.0
    return float(ARRAY[0])


def map_array_frombuffer(t):
    np.frombuffer(BUFFER, dtype=np.uint8)[0] += 1
    return BUFFER[0]


BUFFER = bytearray(4)


def map_array_shuffle(t):
    np.random.default_rng(1).shuffle(DECK)
    return DECK.tolist()


DECK = np.arange(6)


def map_array_vectorize(t):
    return np.vectorize(lambda x: note(x))(np.array([1, 2])).tolist()


def map_array_apply_along_axis(t):
    return np.apply_along_axis(lambda r: note(), 0, np.array([1, 2])).tolist()


def map_array_frompyfunc(t):
    return np.frompyfunc(lambda a: note(a), 1, 1)(3)


def map_array_errstate(t):
    before = np.geterr()["divide"]
    np.seterr(divide="ignore" if t.n % 3 else "warn")
    return before


def map_array_print_options(t):
    found = str(np.array([1.23456789]))
    np.set_printoptions(precision=t.n % 8)
    return found


class Watched(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return note()


WATCHED = np.zeros(2).view(Watched)


def map_array_class(t):
    return WATCHED + 1


def map_array_class_reached_by_ufunc(t):
    return np.add(1, WATCHED)


class Wrapped:
    def __array__(self, *args, **kwargs):
        return np.array([note()])


def map_array_protocol(t):
    return np.asarray(Wrapped()).tolist()


def map_array_given_away(t):
    ARRAY[0] = t.n
    return ARRAY


def map_array_view_given_away(t):
    ARRAY[1] = t.n
    return ARRAY[1:3]


def map_array_object_dtype(t):
    holder = np.array([LOG, None], dtype=object)
    holder[0].append(1)
    return len(LOG)


# buffers and packed data


DATA = bytearray(8)
PACKED = array.array("i", [0, 0])


def map_bytearray(t):
    DATA[0] += 1
    return DATA[0]


def map_memoryview(t):
    memoryview(DATA)[1] += 1
    return DATA[1]


def map_memoryview_cast(t):
    memoryview(DATA).cast("h")[2] += 1
    return bytes(DATA)


def map_bytearray_iadd(t):
    d = DATA
    d += b"x"
    return len(DATA)


def map_array_module(t):
    PACKED[0] += 1
    return PACKED[0]


def map_array_module_append(t):
    PACKED.append(t.n)
    return len(PACKED)


def map_pack_into(t):
    before = DATA[0]
    struct.pack_into("b", DATA, 0, t.n)
    return before


PACKER = struct.Struct("b")


def map_struct_pack_into(t):
    before = DATA[0]
    PACKER.pack_into(DATA, 0, t.n)
    return before


def map_read_into(t):
    before = DATA[0]
    io.BytesIO(bytes([t.n])).readinto(DATA)
    return before


# operator


def map_methodcaller(t):
    operator.methodcaller("append", t.n)(LOG)
    return len(LOG)


def map_operator_setitem(t):
    operator.setitem(TABLE, t.word, t.n)
    return len(TABLE)


def map_operator_delitem(t):
    LOG.extend([1, 2])
    operator.delitem(LOG, 0)
    return len(LOG)


def map_operator_concat(t):
    operator.iconcat(LOG, [t.n])
    return len(LOG)


def map_operator_call(t):
    return getattr(operator, "call", lambda f, x: f(x))(note, t.n)


def map_attrgetter_list(t):
    operator.attrgetter("xs")(HOLDER).append(1)
    return len(HOLDER.xs)


HOLDER = types.SimpleNamespace(xs=[], n=0)


def map_itemgetter_list(t):
    operator.itemgetter(0)((LOG,)).append(1)
    return len(LOG)


def map_setattr(t):
    setattr(HOLDER, "n", HOLDER.n + 1)
    return HOLDER.n


def map_object_setattr(t):
    object.__setattr__(HOLDER, "n", HOLDER.n + 1)
    return HOLDER.n


def map_vars(t):
    vars(HOLDER)["n"] += 1
    return HOLDER.n


def map_dunder_dict(t):
    HOLDER.__dict__["n"] += 1
    return HOLDER.n


def map_dunder_method(t):
    LOG.__setitem__(slice(0, 0), [t.n])
    return len(LOG)


def map_dunder_iadd(t):
    LOG.__iadd__([t.n])
    return len(LOG)


def map_heapq_on_global(t):
    heapq.heappush(LOG, t.n)
    return len(LOG)


def map_heapreplace(t):
    return heapq.heapreplace(HEAP, t.n)


HEAP = [0, 0, 0]


def map_insort_on_global(t):
    bisect.insort(LOG, t.n)
    return len(LOG)


def map_insort_key(t):
    xs = [1, 5]
    bisect.insort(xs, 3, key=lambda x: note(x) % 3)
    return [*xs, len(LOG)]


def map_nlargest_key(t):
    return heapq.nlargest(1, [1, 2, 3], key=lambda x: note(x) % 4)


def map_most_common_of_shared(t):
    COUNTS.update(t.xs)
    return COUNTS.most_common(1)


def map_fromkeys_shared(t):
    d = dict.fromkeys("ab", LOG)
    d["a"].append(1)
    return len(d["b"])


# context managers


@contextlib.contextmanager
def counted():
    yield note()


def map_contextmanager(t):
    with counted() as n:
        return n


def map_exit_stack_callback(t):
    with contextlib.ExitStack() as stack:
        stack.callback(note)
    return len(LOG)


def map_exit_stack_enter(t):
    with contextlib.ExitStack() as stack:
        return stack.enter_context(counted())


def map_closing(t):
    class Closed:
        def close(self):
            note()
    with contextlib.closing(Closed()):
        pass
    return len(LOG)


def map_suppress_class(t):
    class Meta(type):
        def __subclasscheck__(cls, other):
            note()
            return True

    class Any(Exception, metaclass=Meta):
        pass
    with contextlib.suppress(Any):
        raise ValueError
    return len(LOG)


def map_decorator_context(t):
    @counted()
    def run():
        return len(LOG)
    return run()


def map_ast_visitor(t):
    class Visitor(ast.NodeVisitor):
        def visit_Name(self, node):
            note(node.id)
    Visitor().visit(ast.parse("a + b"))
    return len(LOG)


def map_type_call(t):
    type("Made", (), {"__init__": lambda self: LOG.append(1)})()
    return len(LOG)


def map_types_method(t):
    return types.MethodType(note, t.n)()


def map_function_type(t):
    return types.FunctionType(note.__code__, globals(), "f", (None,))(1)


def map_new_class(t):
    types.new_class("Made", (), {}, lambda namespace: LOG.append(1))
    return len(LOG)


def map_string_intern_dict(t):
    return TABLE.setdefault(sys.intern(t.word), len(TABLE))
