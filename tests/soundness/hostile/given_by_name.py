# ruff: noqa
"""Arguments by name or behind stars, and copies of what calls and makes."""

from __future__ import annotations

from dataclasses import dataclass
import bisect
import collections
import copy
import dataclasses
import difflib
import functools
import itertools
import numpy as np
import statistics
import types
import typing

SEEN = []
LOG = []


def count(*a, **k):
    SEEN.append(1)
    return len(SEEN)


class Noisy:

    def __bytes__(self):
        return bytes([count() % 256])

    def __index__(self):
        return count() % 5

    def __round__(self, n=None):
        return count()

    def __lt__(self, o):
        return count() % 2 == 0

    def __gt__(self, o):
        return count() % 2 == 0

    def __hash__(self):
        return count() % 3

    def __iter__(self):
        return iter([count()])

    def __pow__(self, o, m=None):
        return count()

    def __call__(self):
        return count()

    def __float__(self):
        return float(count())


NOISY = Noisy()


class Holder:

    def __init__(self):
        self.items = []


HOLDER = Holder()
IT = itertools.count()


def map_insort_by_name(t):
    bisect.insort(a=LOG, x=t.n)
    return len(LOG)


def map_insort_by_star(t):
    bisect.insort(**{'a': LOG, 'x': t.n})
    return len(LOG)


def map_enumerate_by_name(t):
    return next(enumerate(iterable=IT))[1]


def map_accumulate_by_name(t):
    return next(itertools.accumulate(iterable=IT))


def map_repeat_by_name(t):
    return next(itertools.repeat(object=HOLDER)).items.append(1) or len(HOLDER.items)


def map_copy_by_name(t):
    copy.copy(x=HOLDER).items.append(1)
    return len(HOLDER.items)


def map_cast_by_name(t):
    typing.cast(typ=list, val=LOG).append(1)
    return len(LOG)


def map_round_by_name(t):
    return round(number=NOISY)


def map_bytes_by_name(t):
    return bytes(source=NOISY)


def map_bytes_by_star(t):
    return bytes(*[NOISY])


def map_range_by_star(t):
    return len(range(*[NOISY]))


def map_deque_by_name(t):
    return collections.deque(iterable=NOISY)[0]


def map_cmp_by_name(t):
    sorted([1, 2], key=functools.cmp_to_key(mycmp=lambda a, b: count()))
    return len(SEEN)


def map_bisect_by_name(t):
    return (bisect.bisect(a=[1, 2, 3], x=NOISY), len(SEEN))


def map_mode_by_name(t):
    statistics.mode(data=[HOLDER]).items.append(1)
    return len(HOLDER.items)


def map_pow_by_name(t):
    return pow(base=NOISY, exp=2, mod=3)


def map_od_pop_by_name(t):
    d = collections.OrderedDict(a=1)
    d.pop(key=NOISY, default=1)
    return len(SEEN)


def map_od_setdefault_by_name(t):
    d = collections.OrderedDict(a=1)
    d.setdefault(key=NOISY, default=1)
    return len(SEEN)


def map_od_fromkeys_by_name(t):
    return list(collections.OrderedDict.fromkeys(iterable=NOISY))


def map_asdict_by_name(t):
    return dataclasses.asdict(obj=DC, dict_factory=lambda p: count())


@dataclass
class D_:
    x: int = 1


DC = D_()
ARR = np.zeros(3)


def map_copyto_by_name(t):
    np.copyto(dst=ARR, src=ARR + 1)
    return float(ARR[0])


def map_put_by_name(t):
    before = float(ARR[0])
    np.put(a=ARR, ind=0, v=t.n)
    return before


def map_nan_to_num_by_name(t):
    before = NANS.tolist()
    np.nan_to_num(x=NANS, copy=False)
    return str(before)


NANS = np.array([np.nan, 1.0])
SM = difflib.SequenceMatcher(None, 'a', 'b')


def map_matcher_by_class(t):
    before = SM.a
    difflib.SequenceMatcher.set_seq1(self=SM, a=t.word)
    return before


DD = collections.defaultdict(count)


def map_dd_copy(t):
    return DD.copy()[t.n]


def map_dd_or(t):
    return (DD | {})[t.n]


def map_dd_ror(t):
    return ({} | DD)[t.n]


def map_dd_local_or(t):
    d = collections.defaultdict(count)
    return (d | {'a': 1})['b']


PART = functools.partial(count)


def map_partial_copy(t):
    return copy.copy(PART)()


def map_partial_deepcopy(t):
    return copy.deepcopy(PART)()


MAPPED = map(count, itertools.repeat(1))


def map_map_copy(t):
    return next(copy.copy(MAPPED))


ENUM = enumerate(iter(range(10000)))


def map_enumerate_copy(t):
    return next(copy.copy(ENUM))


def map_iter_deepcopy(t):
    return next(copy.deepcopy(MAPPED))


PROXY = types.MappingProxyType(DD)


def map_proxy_copy(t):
    return PROXY.copy()[t.n]


def map_proxy_or(t):
    return (PROXY | {})[t.n]


def map_proxy_missing(t):
    return PROXY[t.n]
