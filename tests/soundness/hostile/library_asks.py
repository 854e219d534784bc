# ruff: noqa
"""A library written in Python asks the user's object for something else than it was asked for."""

from __future__ import annotations

from typing import Protocol
from typing import runtime_checkable
import collections
import contextlib
import fractions
import ipaddress
import math
import numbers

SEEN = []


def count(*a, **k):
    SEEN.append(1)
    return len(SEEN)


class Cx(numbers.Complex):

    def __init__(self):
        self.n = 0

    def __complex__(self):
        return 1j

    @property
    def real(self):
        return 1.0

    @property
    def imag(self):
        return 0.0

    def __add__(self, o):
        return count()
    __radd__ = __add__

    def __neg__(self):
        return self

    def __pos__(self):
        return self

    def __mul__(self, o):
        return 2
    __rmul__ = __mul__

    def __truediv__(self, o):
        return 2
    __rtruediv__ = __truediv__

    def __pow__(self, o):
        return 2
    __rpow__ = __pow__

    def __abs__(self):
        return 2.0

    def conjugate(self):
        return self

    def __eq__(self, o):
        return count() % 2 == 0

    def __hash__(self):
        return 1


CX = Cx()


def map_numbers_sub(t):
    return CX - t.n


def map_numbers_bool(t):
    return 1 if CX else 2


def map_numbers_rsub(t):
    return t.n - CX


class Ratio(numbers.Rational):

    @property
    def numerator(self):
        return count()

    @property
    def denominator(self):
        return 2

    def _no(self, *a):
        return 0
    __abs__ = __add__ = __ceil__ = __eq__ = __floor__ = __floordiv__ = __le__ = __lt__ = __mod__ = _no
    __mul__ = __neg__ = __pos__ = __pow__ = __radd__ = __rfloordiv__ = __rmod__ = __rmul__ = _no
    __round__ = __rpow__ = __rtruediv__ = __truediv__ = __trunc__ = _no

    def __hash__(self):
        return 1


RATIO = Ratio()


def map_numbers_rational_float(t):
    return float(RATIO)


def map_math_of_rational(t):
    return math.sqrt(RATIO)


class It(numbers.Integral):

    def __int__(self):
        return count()

    def _no(self, *a):
        return 0
    __abs__ = __add__ = __and__ = __ceil__ = __eq__ = __floor__ = __floordiv__ = __invert__ = __le__ = _no
    __lshift__ = __lt__ = __mod__ = __mul__ = __neg__ = __or__ = __pos__ = __pow__ = __radd__ = _no
    __rand__ = __rfloordiv__ = __rlshift__ = __rmod__ = __rmul__ = __ror__ = __round__ = __rpow__ = _no
    __rrshift__ = __rshift__ = __rtruediv__ = __rxor__ = __truediv__ = __trunc__ = __xor__ = _no

    def __hash__(self):
        return 1


IT = It()


def map_numbers_index(t):
    return list(range(100))[IT % 100 if False else IT]


@runtime_checkable
class HasSize(Protocol):
    size: int


class Sized:

    @property
    def size(self):
        count()
        return 1


SZ = Sized()


def map_protocol(t):
    isinstance(SZ, HasSize)
    return len(SEEN)


class Reads:
    n = 0

    def __getattr__(self, name):
        if name == 'total_of':
            Reads.n += 1
            return 5
        raise AttributeError(name)


@runtime_checkable
class HasTotal(Protocol):
    total_of: int


RD = Reads()


def filter_protocol_getattr(t):
    isinstance(RD, HasTotal)
    return Reads.n % 2 == 0


def map_protocol_match(t):
    match SZ:
        case HasSize():
            return len(SEEN)
    return 0


class MetaE(type):

    def __subclasscheck__(cls, c):
        SEEN.append(1)
        return True


class OwnError(Exception, metaclass=MetaE):
    pass


def map_suppress(t):
    with contextlib.suppress(OwnError):
        raise ValueError
    return len(SEEN)


def map_reversed_other(t):
    return list(reversed(REV))


class Rev:

    def __iter__(self):
        return iter([1, 2])

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return count()


REV = Rev()


def map_group_callback(t):
    g = ExceptionGroup('a', [ValueError(1), KeyError(2)])
    g.subgroup(lambda e: bool(count()))
    return len(SEEN)


def map_group_callback2(t):
    g = ExceptionGroup('a', [ValueError(1), KeyError(2)])
    a, b = g.split(lambda e: count() % 2 == 0)
    return repr(a)


def map_group_derive(t):
    g = OwnGroup('a', [ValueError(1), KeyError(2)])
    g.split(ValueError)
    return len(SEEN)


class OwnGroup(ExceptionGroup):

    def derive(self, x):
        SEEN.append(1)
        return OwnGroup(self.message, x)


class Hit:

    def __iter__(self):
        SEEN.append(1)
        return iter([len(SEEN)])


HIT = Hit()


def map_view_isdisjoint(t):
    return {3: 1, 5: 2}.keys().isdisjoint(HIT)


def tick(result):
    SEEN.append(1)
    return result


class Fr(fractions.Fraction):

    @property
    def numerator(self):
        count()
        return 1


FR = Fr(1, 2)


def map_fraction_numerator(t):
    FR + 1
    return len(SEEN)


def map_fraction_numerator_float(t):
    float(FR)
    return len(SEEN)


def map_fraction_numerator_eq(t):
    FR == 0.5
    return len(SEEN)


def map_fraction_of(t):
    fractions.Fraction(FR)
    return len(SEEN)


def map_fraction_round(t):
    round(FR, 1)
    return len(SEEN)


class Frd(fractions.Fraction):

    def _richcmp(self, other, op):
        return tick(True)

    def as_integer_ratio(self):
        return tick((1, 2))


FRD = Frd(1, 2)


def map_fraction_richcmp(t):
    FRD < 1
    return len(SEEN)


def map_fraction_limit(t):
    FR.limit_denominator(3)
    return len(SEEN)


class Ip(ipaddress.IPv4Address):

    @property
    def packed(self):
        return tick(b'abcd')

    def __int__(self):
        return tick(5)


IP = Ip('1.2.3.4')


def map_ip_add(t):
    return str(IP + 1) + str(len(SEEN))


class OD(collections.OrderedDict):

    def __setitem__(self, k, v):
        SEEN.append(1)
        super().__setitem__(k, v)


def map_od_set(t):
    OD(a=1)
    return len(SEEN)
