# ruff: noqa
"""Operations that give an object of the class that a user derived from Python's, or ask it."""

import array
import collections
import copy
import datetime
import itertools
import operator
import string
from decimal import Decimal

N = [0]


def tick(*_, **__):
    N[0] += 1
    return N[0]


class Day(datetime.date):

    def isoformat(self):
        return str(tick())

    def __str__(self):
        return str(tick())


DAY = Day(2020, 1, 1)


ONE = datetime.timedelta(1)


def map_date_add(t):
    return (DAY + ONE).isoformat()


def map_date_radd(t):
    return (ONE + DAY).isoformat()


def map_date_replace(t):
    return DAY.replace(year=2021).isoformat()


def map_date_fromiso(t):
    return Day.fromisoformat('2020-01-01').isoformat()


class Stamp(datetime.datetime):

    def weekday(self):
        return tick()

    def __eq__(self, o):
        return tick() % 2 == 0
    __hash__ = datetime.datetime.__hash__


STAMP = Stamp(2020, 1, 1, tzinfo=datetime.UTC)


def map_stamp_zone(t):
    return STAMP.astimezone(datetime.UTC).weekday()


def map_stamp_parse(t):
    return Stamp.strptime('2020', '%Y').weekday()


def map_stamp_combine(t):
    return Stamp.combine(datetime.date(2020, 1, 1), datetime.time()).weekday()


class MadeDay(datetime.date):

    def __new__(cls, *a):
        tick()
        return super().__new__(cls, *a)


def map_new_by_iso(t):
    return (MadeDay.fromisoformat('2020-01-01'), N[0])[1]


class Hour(datetime.time):

    def isoformat(self):
        return str(tick())


def map_time_replace(t):
    return Hour(1).replace(hour=2).isoformat()


class Whole(int):

    def __add__(self, o):
        return tick()

    def bit_length(self):
        return tick()


def map_int_from_bytes(t):
    return int.bit_length(0) + Whole.from_bytes(b'a', 'big').bit_length()


class Real(float):

    def hex(self):
        return str(tick())

    def __new__(cls, *a):
        tick()
        return super().__new__(cls, *a)


def map_float_fromhex_new(t):
    return (Real.fromhex('0x1'), N[0])[1]


class Raw(bytes):

    def hex(self):
        return str(tick())


def map_bytes_fromhex(t):
    return Raw.fromhex('00').hex()


class Dec(Decimal):

    def quantize(self, *a):
        return tick()

    def __new__(cls, *a):
        tick()
        return super().__new__(cls, *a)


def map_decimal_from_float(t):
    return Dec.from_float(0.5).quantize(1)


class SetDict(dict):

    def __setitem__(self, k, v):
        tick()
        super().__setitem__(k, v)


def map_fromkeys_set(t):
    return (SetDict.fromkeys('ab'), N[0])[1]


class InitDict(dict):

    def __init__(self, *a):
        super().__init__(*a)
        tick()


def map_fromkeys_init(t):
    return (InitDict.fromkeys('ab'), N[0])[1]


class Queue(collections.deque):

    def __init__(self, *a):
        super().__init__(*a)
        tick()


QUEUE = Queue([1, 2])


def map_deque_copy(t):
    return (QUEUE.copy(), N[0])[1]


def map_deque_add(t):
    return (QUEUE + collections.deque(), N[0])[1]


def map_deque_copy_copy(t):
    return (copy.copy(QUEUE), N[0])[1]


class Tally(collections.Counter):

    def __init__(self, *a):
        super().__init__(*a)
        tick()


TALLY = Tally('ab')


def map_counter_copy(t):
    return (TALLY.copy(), N[0])[1]


class Ranked(collections.OrderedDict):

    def __init__(self, *a):
        super().__init__(*a)
        tick()


RANKED = Ranked(a=1) if False else Ranked({'a': 1})


def map_ordered_or(t):
    return (RANKED | {'b': 1}, N[0])[1]


class Fallback(collections.defaultdict):

    def __init__(self, *a):
        super().__init__(*a)
        tick()


FALLBACK = Fallback(int)


def map_default_or(t):
    return (FALLBACK | {'a': 1}, N[0])[1]


class Err(ValueError):

    def __init__(self, *a):
        super().__init__(*a)
        tick()


ERR = Err(1)


def map_error_copy(t):
    return (copy.copy(ERR), N[0])[1]


class KeyOf:

    def __hash__(self):
        tick()
        return 1

    def __eq__(self, o):
        return self is o


BY_KEY = {KeyOf(): 1}


def map_deepcopy_dict_key(t):
    return (copy.deepcopy(BY_KEY), N[0])[1]


class Miss(dict):

    def __missing__(self, k):
        return tick()


MISS = Miss()


DD = collections.defaultdict(itertools.count().__next__)


def map_missing_by_name(t):
    return MISS.__getitem__(t.n)


def map_missing_key(t):
    return list(map(MISS.__getitem__, [1]))


def map_default_of_class(t):
    return dict.__getitem__(DD, t.word)


def map_default_missing(t):
    return DD.__missing__(t.word)


def map_default_key_only(t):
    return sorted([t.word, 'x'], key=DD.__getitem__)


def map_default_template(t):
    return string.Template('$' + t.word).substitute(DD)


class SupDef(collections.defaultdict):

    def __getitem__(self, k):
        return super().__getitem__(k)


SUPDEF = SupDef(itertools.count().__next__)


def map_default_super_only(t):
    return SUPDEF[t.word]


COUNTS = collections.Counter()


def map_alias_counter_add(t):
    c = COUNTS
    c += collections.Counter([t.word])
    return c[t.word]


def map_isub_counter(t):
    return len(operator.isub(COUNTS, collections.Counter({t.word: -1})))


ARR = array.array('i')


ONEA = array.array('i', [1])


def map_iadd_array(t):
    return len(operator.iadd(ARR, ONEA))
