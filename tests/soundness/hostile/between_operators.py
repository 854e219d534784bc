# ruff: noqa
"""Pairs of functions: what `write_x` changes, `read_x` reads, by another name where that can be."""

import abc
import calendar
import codecs
import collections
import csv
import dataclasses
import decimal
import enum
import functools
import os
import sys
import types

import numpy as np

import anabranch as ab

import soundness.helpers.counting as same_counting
from soundness.helpers import counting
from soundness.items import items_with_one_list

TABLE = {}
SAME_TABLE = TABLE
LOG = []
HOLDER = types.SimpleNamespace(xs=LOG, n=0)
RATE = 1
ARRAY = np.zeros(3)
NANS = np.array([np.nan])
VIEW = ARRAY[1:]
KEYS = TABLE.keys()


class Settings:
    rate = 1
    names = []


class Shown:
    n = 0

    def __str__(self):
        return str(self.n)

    def __add__(self, x):
        return self.n + x

    @property
    def value(self):
        return self.n


SHOWN = Shown()


class Colour(enum.Enum):
    RED = []


def write_dict(t):
    TABLE[t.n] = t.n
    return t.n


def read_dict(t):
    return len(SAME_TABLE)


def write_dict_for_view(t):
    TABLE[t.n] = t.n
    return t.n


def read_dict_for_view(t):
    return len(KEYS)


def write_dict_for_get(t):
    TABLE["last"] = t.n
    return t.n


def read_dict_for_get(t):
    look = SAME_TABLE.get
    return look("last", -1)


def write_global(t):
    global RATE
    RATE += 1
    return t.n


def use_rate(x):
    return x * RATE


def read_global(t):
    return use_rate(t.n)


def write_global_for_lambda(t):
    globals()["RATE"] = t.n
    return t.n


def read_global_for_lambda(t):
    return (lambda: RATE)()


def write_class(t):
    Settings.rate += 1
    return t.n


def read_class(t):
    return Settings().rate


def write_class_list(t):
    Settings().names.append(t.n)
    return t.n


def read_class_list(t):
    return len(Settings.names)


def write_object(t):
    SHOWN.n += 1
    return t.n


def read_object(t):
    return f"{SHOWN}"


def write_object_for_add(t):
    SHOWN.n += 1
    return t.n


def read_object_for_add(t):
    return SHOWN + 1


def write_object_for_property(t):
    setattr(SHOWN, "n", t.n)
    return t.n


def read_object_for_property(t):
    return SHOWN.value


def write_enum(t):
    Colour.RED.value.append(t.n)
    return t.n


def read_enum(t):
    return len(Colour["RED"].value)


def write_module(t):
    counting.total += t.n
    return t.n


def read_module(t):
    return same_counting.total


def write_alias(t):
    HOLDER.xs.append(t.n)
    return t.n


def read_alias(t):
    return len(LOG)


def write_array(t):
    ARRAY[1] += 1
    return t.n


def read_array(t):
    return float(VIEW[0])


def write_environ(t):
    os.environ["ANABRANCH_BETWEEN"] = str(t.n)
    return t.n


def read_environ(t):
    return os.environ.get("ANABRANCH_BETWEEN")


def write_decimal(t):
    decimal.getcontext().prec = 3 + t.n % 7
    return t.n


def read_decimal(t):
    return str(decimal.Decimal(1) / decimal.Decimal(7))


def write_default(t):
    with_default.__defaults__ = (t.n,)
    return t.n


def with_default(x=-1):
    return x


def read_default(t):
    return with_default()


def write_attribute(t):
    with_default.calls = t.n
    return t.n


def read_attribute(t):
    return getattr(with_default, "calls", -1)


@functools.lru_cache
def cached_rate(n):
    return TABLE.get("rate", 0)


def write_cached(t):
    TABLE["rate"] = t.n
    return t.n


def read_cached(t):
    return cached_rate(t.n)


def write_method(t):
    Shown.value = property(lambda self: t.n)
    return t.n


def read_method(t):
    return SHOWN.value


def write_builtin(t):
    globals()["len"] = lambda x: t.n
    return t.n


def read_builtin(t):
    return len(t.word)


def write_item(t):
    t.xs.append(t.n)
    return t.n


def read_item(t):
    return sum(t.xs)


def write_item_by_helper(t):
    list.append(t.xs, t.n)
    return t.n


def read_item_by_helper(t):
    return [x for x in t.xs]


def make_pair():
    n = 0

    def write(t):
        nonlocal n
        n += 1
        return n

    def read(t):
        return n
    return write, read


write_closure, read_closure = make_pair()

SHARING = items_with_one_list()
USES = {"write_item": SHARING, "write_item_by_helper": SHARING}


def write_first_weekday(t):
    calendar.setfirstweekday(3)
    return t.n


def read_first_weekday(t):
    return calendar.weekheader(3)


def write_digits(t):
    sys.set_int_max_str_digits(700)
    return t.n


def read_digits(t):
    try:
        return len(str(10 ** 800 + t.n))
    except ValueError:
        return -1


def write_print_options(t):
    np.set_printoptions(precision=2)
    return t.n


def read_print_options(t):
    return str(np.float64(1.23456) * np.ones(1))


def write_dialect(t):
    csv.register_dialect("excel", delimiter=";")
    return t.n


def read_dialect(t):
    return list(csv.reader(["1;2,3"], "excel"))[0][0]


def write_error_handler(t):
    codecs.register_error("namereplace", codecs.lookup_error("ignore"))
    return t.n


def read_error_handler(t):
    return "caf\u00e9".encode("ascii", errors="namereplace")


def write_overwritten(t):
    np.nan_to_num(NANS, copy=False, nan=t.x)
    return t.n


def read_overwritten(t):
    return repr(float(NANS[0]))


# What is reached without being named


NUMBERED = {"n": 0}
LATEST = collections.deque([0])


def write_through_default(t):
    NUMBERED["n"] = t.n + 1


def read_through_default(t, numbers=NUMBERED):
    return numbers["n"]


def _of_default(t, numbers=NUMBERED):
    return numbers["n"]


def write_default_of_called(t):
    NUMBERED["n"] = t.n + 1


def read_default_of_called(t):
    return _of_default(t)


def write_deque_in_default(t):
    LATEST[0] = t.n + 1


def read_deque_in_default(t, latest=LATEST):
    return latest[0]


SCALED = functools.partial(dict, x=0)


def write_keywords_of_partial(t):
    SCALED.keywords["x"] = t.n + 1


def read_keywords_of_partial(t):
    return SCALED()["x"]


class Tinted(enum.Enum):
    RED = 1

    def __init__(self, number):
        self.extra = 1


def write_enum_member(t):
    Tinted.RED.extra = t.n + 5


def read_enum_member(t):
    return Tinted.RED.extra


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: int = 1


FIXED = Frozen()


def write_frozen_shown(t):
    object.__setattr__(FIXED, "a", t.n + 5)


def read_frozen_shown(t):
    return str(FIXED)


def write_bound_method(t):
    NUMBERED["n"] = t.n + 1


NUMBER_OF = NUMBERED.get


def read_bound_method(t):
    return NUMBER_OF("n")


def write_computed_name(t):
    setattr(sys.modules[__name__], "LIM" + "IT", t.n + 1)


LIMIT = 0


def read_computed_name(t):
    return LIMIT


class Sampled(ab.Record):
    n: int
    kept: list = []


def write_default_of_record(t):
    Sampled(1).kept.append(1)


def read_default_of_record(t):
    return len(Sampled(1).kept)


def down_0(x):
    global DEPTH
    DEPTH += x


DEPTH = 0
def down_1(x): return down_0(x)
def down_2(x): return down_1(x)
def down_3(x): return down_2(x)
def down_4(x): return down_3(x)
def down_5(x): return down_4(x)
def down_6(x): return down_5(x)
def down_7(x): return down_6(x)
def down_8(x): return down_7(x)
def down_9(x): return down_8(x)
def down_10(x): return down_9(x)
def down_11(x): return down_10(x)
def down_12(x): return down_11(x)
def down_13(x): return down_12(x)
def down_14(x): return down_13(x)
def down_15(x): return down_14(x)
def down_16(x): return down_15(x)
def down_17(x): return down_16(x)
def down_18(x): return down_17(x)
def down_19(x): return down_18(x)
def down_20(x): return down_19(x)
def down_21(x): return down_20(x)
def down_22(x): return down_21(x)
def down_23(x): return down_22(x)
def down_24(x): return down_23(x)
def down_25(x): return down_24(x)
def down_26(x): return down_25(x)
def down_27(x): return down_26(x)
def down_28(x): return down_27(x)
def down_29(x): return down_28(x)


def write_far_below(t):
    down_29(t.n)


def read_far_below(t):
    return DEPTH


def _appending():
    while True:
        LOG.append(1)
        yield len(LOG)


APPENDING = _appending()
MAPPED = map(LOG.append, range(10**6))


def write_by_generator(t):
    next(APPENDING)


def read_by_generator(t):
    return len(LOG)


def write_by_map(t):
    next(MAPPED)


def read_by_map(t):
    return len(LOG)


def _counting():
    n = 0

    def seen(t):
        return n
    yield seen
    while True:
        n += 1
        yield


COUNTING_ON = _counting()
read_by_frame = next(COUNTING_ON)


def write_by_frame(t):
    next(COUNTING_ON)


class ListMember(list, enum.Enum):
    A = 1

    def __init__(self, value):
        list.__init__(self)

    def __new__(cls, value):
        made = list.__new__(cls)
        made._value_ = value
        return made


def write_in_member(t):
    ListMember.A.append(1)


def read_in_member(t):
    return len(ListMember.A)


class Known(enum.Enum):
    A = 1

    @classmethod
    def _missing_(cls, value):
        return cls.A


def write_known(t):
    Known._value2member_map_[1] = t.n


def read_known(t):
    return Known(1)


class Registering(abc.ABC):
    pass


def write_registered(t):
    Registering.register(str)


def read_registered(t):
    return isinstance(t.word, Registering)


class Limits:
    low = 0


def write_by_type(t):
    type.__setattr__(Limits, "low", t.n)


def read_by_type(t):
    return Limits.low
