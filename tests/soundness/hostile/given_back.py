# ruff: noqa
"""What libraries get back from functions, from objects that they ask, and where they put results."""

import copy
import copyreg
import csv
import datetime
import enum
import functools
import html
import itertools
import json
import urllib.parse

import numpy as np

N = [0]


def tick(*_, **__):
    N[0] += 1
    return N[0]


LOG = []


def gen_returning():
    yield 1
    return LOG


def map_stop_args(t):
    g = gen_returning()
    try:
        (next(g), next(g))
    except StopIteration as stop:
        stop.args[0].append(t.n)
        return len(stop.args[0])


def map_hook_result(t):
    return json.loads('{}', object_hook=lambda d: LOG).append(1) or len(LOG)


def map_pairs_hook(t):
    found = json.loads('{}', object_pairs_hook=lambda d: LOG)
    found.append(1)
    return len(found)


def map_parse_int(t):
    found = json.loads('[1]', parse_int=lambda s: LOG)[0]
    found.append(1)
    return len(found)


class C6:

    def __add__(self, o):
        return tick()
    __radd__ = __add__


class C5:

    def __add__(self, o):
        return C6()
    __radd__ = __add__


class C4:

    def __add__(self, o):
        return C5()
    __radd__ = __add__


class C3:

    def __add__(self, o):
        return C4()
    __radd__ = __add__


class C2:

    def __add__(self, o):
        return C3()
    __radd__ = __add__


class C1:

    def __add__(self, o):
        return C2()
    __radd__ = __add__


def map_chain_sum(t):
    return sum([1] * 7, C1())


def map_chain_reduce(t):
    return functools.reduce(lambda a, b: a + b, [1] * 6, C1())


def map_chain_accumulate(t):
    return list(itertools.accumulate([1] * 6, initial=C1()))[-1]


BUFI = np.zeros((), dtype=int)


BUF0 = np.zeros(())


X = np.arange(3.0)


def map_np_clip_out(t):
    before = float(BUF3[0])
    np.array([t.x, 1, 1]).clip(0, 5, BUF3)
    return before


BUF3 = np.zeros(3)


def map_np_sum_out(t):
    before = float(BUF0)
    np.array([t.x, 1.0]).sum(0, None, BUF0)
    return before


def map_np_max_out(t):
    before = float(BUF0)
    np.array([t.x, 1.0]).max(0, BUF0)
    return before


def map_np_dot_out(t):
    before = float(BUF3[0])
    np.array([[t.x, 1, 1]] * 3).dot(X, BUF3)
    return before


def map_np_take_out(t):
    before = float(BUF3[0])
    np.array([t.x, 1.0, 2.0]).take([0, 1, 2], 0, BUF3)
    return before


def map_np_argmax_out(t):
    before = int(BUFI)
    np.array([t.n % 3, 1]).argmax(0, BUFI)
    return before


def map_np_trace_out(t):
    before = float(BUF0)
    np.array([[t.x]]).trace(0, 0, 1, None, BUF0)
    return before


class WithItems:

    def items(self):
        return [('a', tick())]


class Duck:

    def replace(self, a, b):
        return str(tick())

    def decode(self, *a):
        return str(tick())

    def encode(self, *a):
        return b'%d' % tick()

    def as_integer_ratio(self):
        return (tick(), 1)

    def write(self, s):
        tick()

    def read(self, *a):
        return str(tick())

    def readline(self, *a):
        return ''

    def timetuple(self):
        return (2020, 1, tick() % 20 + 1, 0, 0, 0)

    def isoformat(self):
        return str(tick())

    def lower(self):
        return str(tick())

    def strip(self, *a):
        return str(tick())

    def split(self, *a):
        return [str(tick())]

    def new(self, *a):
        return hashlib.md5(b'%d' % tick())

    def utcoffset(self, dt):
        return datetime.timedelta(tick())

    def keys(self):
        return []

    def close(self):
        tick()

    def group(self, *a):
        return str(tick())

    def start(self):
        return tick()

    @staticmethod
    def bytes():
        return b''


DUCK = Duck()


def map_urlencode_items(t):
    return urllib.parse.urlencode(WithItems())


def map_html_escape(t):
    return html.escape(DUCK)


def map_url_parse(t):
    return urllib.parse.urlparse(DUCK)[2]


class Lines:

    def __iter__(self):
        return iter([str(tick())])


def map_csv_reader(t):
    return list(csv.reader(Lines()))[0][0]


def map_csv_dict_reader(t):
    return [*csv.DictReader(Lines(), ['a'])][0]['a']


def map_json_dict(t):
    return json.dumps(ItemsDict(a=1))


class ItemsDict(dict):

    def items(self):
        return [('a', tick())]


class EqVal:
    __hash__ = None

    def __eq__(self, o):
        return tick() % 7 == 0


class Colv(enum.Enum):
    A = EqVal()
    B = 2


def map_enum_value_eq(t):
    try:
        return Colv([t.n]).name
    except ValueError:
        return 'none'


class Fl2(enum.Flag):
    A = 1
    B = 2

    @classmethod
    def _missing_(cls, v):
        tick()
        new = object.__new__(cls)
        new._value_ = v
        new._name_ = str(N[0])
        return new


def map_flag_or_missing(t):
    return (Fl2.A | Fl2.B).name


def map_flag_xor(t):
    return (Fl2.A ^ Fl2.B, N[0])[1]


def map_copyreg(t):
    return copy.copy(Creg()) and N[0]


class Creg:
    pass


copyreg.pickle(Creg, lambda o: (tick, ()))
