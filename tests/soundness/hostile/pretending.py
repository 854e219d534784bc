# ruff: noqa
"""What says that it is of a library, and what a metaclass or a descriptor does."""

import collections
import decimal
import enum
import functools
import json
import math
import operator
import re
import textwrap
import numpy as np
N = [0]


def _count():
    N[0] += 1
    return N[0]


@functools.wraps(math.sqrt)
def w_sqrt(x):
    return _count()


def map_wraps_sqrt(t):
    return w_sqrt(t.n)


@functools.wraps(textwrap.fill)
def w_fill(x):
    return _count()


def map_wraps_fill(t):
    return w_fill("a")


@functools.wraps(np.sum)
def w_npsum(x):
    return _count()


def map_wraps_npsum(t):
    return w_npsum([1])


@functools.wraps(json.dumps)
def w_dumps(x):
    return str(_count())


def map_wraps_dumps(t):
    return w_dumps([1])


@functools.wraps(re.sub)
def w_sub(*x):
    return str(_count())


def map_wraps_resub(t):
    return w_sub("a", "b", "c")


@functools.wraps(functools.reduce)
def w_reduce(*x):
    return _count()


def map_wraps_reduce(t):
    return w_reduce(1)


@functools.wraps(len)
def w_len(x):
    return _count()


def map_wraps_len(t):
    return w_len(t.xs)


class D1(dict):
    n = 0
    def get(self, k, d=None):
        D1.n += 1
        return D1.n


D1.__module__ = "collections"


def map_module_dict(t):
    return D1().get(1)


class D2:
    n = 0
    def __init__(self, *a):
        D2.n += 1
        self.v = D2.n


D2.__module__ = "decimal"


def map_module_decimal(t):
    return D2(1).v


class D3:
    n = 0
    @property
    def v(self):
        D3.n += 1
        return D3.n


D3.__module__ = "fractions"
D3O = D3()


def map_module_fractions(t):
    return D3O.v


class D4(Exception):
    n = []
    def __init__(self, *a):
        D4.n.append(1)


D4.__module__ = "builtins"


def map_module_builtins(t):
    try:
        raise D4(1)
    except D4:
        return len(D4.n)


class D5(enum.Enum):
    A = 1
    @classmethod
    def _missing_(cls, v):
        N[0] += 1
        return cls.A if N[0] % 2 else None


D5._missing_.__func__.__module__ = "enum"


def map_module_missing(t):
    try:
        return D5(7).value
    except ValueError:
        return 0


class D6:
    @classmethod
    def __class_getitem__(cls, k):
        N[0] += 1
        return N[0]


D6.__class_getitem__.__func__.__module__ = "typing"


def map_module_class_getitem(t):
    return D6[1]


@functools.lru_cache(maxsize=0)
def c_spoof(x):
    return _count()


c_spoof.__wrapped__ = math.sqrt


def map_wrapped_spoof(t):
    return c_spoof(t.n)


@functools.lru_cache(maxsize=0)
def c_spoof2(x):
    return _count()


c_spoof2.__wrapped__ = lambda x: x


def map_wrapped_spoof2(t):
    return c_spoof2(t.n)


class Rep:
    def __init__(self, f):
        self.f = f
        functools.update_wrapper(self, f)
        self.calls = 0
    def __call__(self, *a):
        self.calls += 1
        return self.calls


@Rep
def rep(x):
    return x


def map_decorator_class(t):
    return rep(t.n)


REP2 = Rep(math.sqrt)


def map_decorator_class_lib(t):
    return REP2(t.n)


def deco(f):
    calls = []
    @functools.wraps(f)
    def inner(*a):
        calls.append(1)
        return f(*a), len(calls)
    return inner


@deco
def decorated(x):
    return x


def map_decorated(t):
    return decorated(t.n)[1]


@deco
def map_decorated_whole(t):
    return t.n


def deco2(f):
    def inner(*a):
        inner.calls += 1
        return inner.calls
    inner.calls = 0
    inner.__name__ = f.__name__
    inner.__qualname__ = f.__qualname__
    inner.__module__ = f.__module__
    inner.__wrapped__ = f
    return inner


@deco2
def map_decorated_func_attr(t):
    return t.n


retry = deco2(math.sqrt)


def map_deco_lib(t):
    return retry(t.n)


class Meta(type):
    n = 0
    @property
    def count(cls):
        Meta.n += 1
        return Meta.n
    def __getattr__(cls, name):
        Meta.n += 1
        return Meta.n
    def __len__(cls):
        Meta.n += 1
        return Meta.n
    def __iter__(cls):
        Meta.n += 1
        return iter([Meta.n])
    def __contains__(cls, x):
        Meta.n += 1
        return Meta.n % 2 == 0
    def __getitem__(cls, x):
        Meta.n += 1
        return Meta.n
    def __instancecheck__(cls, x):
        Meta.n += 1
        return Meta.n % 2 == 0
    def __subclasscheck__(cls, x):
        Meta.n += 1
        return Meta.n % 2 == 0
    def __add__(cls, x):
        Meta.n += 1
        return Meta.n
    def __eq__(cls, x):
        Meta.n += 1
        return Meta.n % 2 == 0
    def __hash__(cls):
        Meta.n += 1
        return Meta.n
    def __str__(cls):
        Meta.n += 1
        return str(Meta.n)
    def __repr__(cls):
        Meta.n += 1
        return str(Meta.n)
    def __bool__(cls):
        Meta.n += 1
        return Meta.n % 2 == 0
    def __or__(cls, o):
        Meta.n += 1
        return Meta.n
    def __lt__(cls, o):
        Meta.n += 1
        return Meta.n % 2 == 0
    def __neg__(cls):
        Meta.n += 1
        return Meta.n
    def __index__(cls):
        Meta.n += 1
        return Meta.n
    def __setattr__(cls, k, v):
        Meta.n += 1
    def __dir__(cls):
        Meta.n += 1
        return [str(Meta.n)]
    def __call__(cls, *a):
        Meta.n += 1
        return Meta.n
    def __reversed__(cls):
        Meta.n += 1
        return iter([Meta.n])
    def __format__(cls, s):
        Meta.n += 1
        return str(Meta.n)
    def __enter__(cls):
        Meta.n += 1
        return Meta.n
    def __exit__(cls, *a):
        return False
    def mro(cls):
        return type.mro(cls)


class MC(metaclass=Meta):
    pass


def map_meta_property(t):
    return MC.count


def map_meta_getattr(t):
    return MC.nope


def map_meta_len(t):
    return len(MC)


def map_meta_iter(t):
    return str(list(MC))


def map_meta_for(t):
    for x in MC:
        return x


def map_meta_contains(t):
    return 1 in MC


def map_meta_getitem(t):
    return MC[1]


def map_meta_isinstance(t):
    return isinstance(t, MC)


def map_meta_issubclass(t):
    return issubclass(int, MC)


def map_meta_add(t):
    return MC + 1


def map_meta_eq(t):
    return MC == 1


def map_meta_str(t):
    return str(MC)


def map_meta_fstr(t):
    return f"{MC}"


def map_meta_repr(t):
    return repr(MC)


def map_meta_percent(t):
    return "%s" % MC


def map_meta_bool(t):
    return 1 if MC else 0


def map_meta_not(t):
    return not MC


def map_meta_and(t):
    return str(MC and 1)


def map_meta_or(t):
    return str(MC | int)


def map_meta_lt(t):
    return MC < 1


def map_meta_sorted(t):
    return str(len(sorted([MC, MC]))) + str(Meta.n)


def map_meta_neg(t):
    return -MC


def map_meta_index2(t):
    return "abc"[slice(0, MC)]


def map_meta_setattr(t):
    MC.x = 1
    return Meta.n


def map_meta_match(t):
    match t:
        case MC():
            return 1
    return 0


def map_meta_call(t):
    return MC()


def map_meta_except(t):
    with MC as x:
        return x


def map_meta_reversed(t):
    return str(list(reversed(MC)))


def map_meta_format(t):
    return format(MC, "")


def map_meta_in_list(t):
    return [MC, 3].index(3)


def map_meta_max(t):
    return str(max(MC, 1) is MC)


def map_meta_in_tuple_text(t):
    return str((MC,))


def map_meta_join(t):
    return ",".join(map(str, [MC]))


def map_meta_in_dataclass(t):
    return f"{[MC]!r}"


def map_meta_star(t):
    return (lambda *a: a[0])(*MC)


def map_meta_unpack(t):
    (a,) = MC
    return a


def map_meta_any(t):
    return any([MC])


def map_meta_filter(t):
    return len(list(filter(None, [MC])))


def map_meta_sum(t):
    return sum([MC], 0) if False else N.__len__() + bool(MC)


def map_meta_dir(t):
    return str(dir(MC))


class Desc:
    n = 0
    def __get__(self, o, c):
        Desc.n += 1
        return Desc.n
    def __set_name__(self, o, n):
        pass


class HasDesc:
    d = Desc()
    @classmethod
    def cm(cls):
        return cls.d
    @staticmethod
    def sm():
        return HasDesc.d
    def __class_getitem__(cls, k):
        return cls.d


HD = HasDesc()


def map_desc_class(t):
    return HasDesc.d


def map_desc_cm(t):
    return HasDesc.cm()


def map_desc_sm(t):
    return HD.sm()


def map_desc_getitem(t):
    return HasDesc[0]


def map_desc_getattr(t):
    return getattr(HD, "d")


def map_desc_attrgetter(t):
    return operator.attrgetter("d")(HD)


def map_desc_match(t):
    match HD:
        case HasDesc(d=x):
            return x


def map_desc_format(t):
    return "{0.d}".format(HD)


def map_desc_format_map(t):
    return "{a.d}".format_map({"a": HD})


def map_desc_hasattr(t):
    hasattr(HD, "d")
    return Desc.n


def map_desc_vars(t):
    return HasDesc.__dict__["d"].__get__(None, HasDesc)


class Named(type):
    @property
    def __name__(cls):
        return str(_count())

    @property
    def __doc__(cls):
        return str(_count())


class Misnamed(ValueError, metaclass=Named):
    pass


def described():
    """Python's own would be a text."""


class Described:
    __doc__ = SAID = []


class OfAnother:
    __module__ = described.__module__ = described.__doc__ = Described.SAID


def map_meta_name(t):
    return Misnamed.__name__


def map_meta_doc(t):
    return Misnamed.__doc__


def map_meta_name_of_error(t):
    try:
        raise Misnamed(1)
    except ValueError as e:
        return type(e).__name__


def map_type_of_error(t):
    try:
        raise Misnamed(1)
    except ValueError as e:
        return str(type(e).mro()[0].__name__)


def map_doc_of_function(t):
    said = described.__doc__
    said += [1]
    return len(said)


def map_module_of_function(t):
    said = described.__module__
    said += [1]
    return len(said)


def map_doc_of_class(t):
    said = Described.__doc__
    said += [1]
    return len(said)


def map_doc_of_object(t):
    said = Described().__doc__
    said += [1]
    return len(said)


def map_module_of_class(t):
    said = OfAnother.__module__
    said += [1]
    return len(said)
