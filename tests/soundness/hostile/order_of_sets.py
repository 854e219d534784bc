# ruff: noqa
"""The order of a set, which another hash of texts changes."""

import collections
import copy
import dataclasses
import enum
import functools
import itertools
import json
import operator
import statistics
import threading
from soundness.items import items
LOG = []


TL = threading.local()
TL.limit = 5


def map_str_of_set(t):
    return str({t.word, "alpha", "zeta", "yy"})


def map_fstring_set(t):
    return f"{ {t.word, 'alpha', 'zeta', 'yy'} }"


def map_repr_set(t):
    return repr(frozenset([t.word, "alpha", "zeta"]))


def map_percent_set(t):
    return "%s" % ({t.word, "alpha", "zeta"},)


def map_format_set(t):
    return "{}".format({t.word, "alpha", "zeta"})


def map_str_list_of_set(t):
    return str([{t.word, "alpha", "zeta"}])


def map_str_dict_of_set(t):
    return str({"a": {t.word, "alpha", "zeta"}})


def map_keys_and(t):
    return "".join({t.word: 1, "alpha": 2, "zeta": 3}.keys() & {t.word: 1, "alpha": 3, "zeta": 1}.keys())


def map_keys_or(t):
    return [k for k in {t.word: 1, "alpha": 2}.keys() | {"zeta": 1, "q": 3}.keys()][0]


def map_keys_sub(t):
    return next(iter({t.word: 1, "alpha": 2, "zeta": 1}.keys() - {"zeta"}))


def map_keys_or_set(t):
    return list({t.word: 1, "alpha": 2}.keys() | {"zeta"})[0]


def map_items_and(t):
    return list({t.word: 1, "alpha": 2}.items() | {("zeta", 3)})[0][0]


def map_set_mode(t):
    return statistics.mode({t.word, "alpha", "zeta"})


def map_set_multimode(t):
    return statistics.multimode({t.word, "alpha", "zeta"})[0]


def map_any_walrus(t):
    if any((w := x) for x in {t.word, "alpha", "zeta"}):
        return w


def map_any_walrus2(t):
    hit = None
    if any(len(hit := x) > 1 for x in {t.word, "alpha", "zeta"}):
        return hit


def map_sum_accumulating(t):
    acc = []
    return sum(acc.append(w) or len(acc) * len(w) for w in {t.word, "alpha", "bb", "c"})


def map_sorted_accumulating(t):
    acc = []
    return str(sorted((acc.append(w), str(len(acc)) + w)[1] for w in {t.word, "alpha", "bb", "c"}))


def map_all_stateful(t):
    seen = {}
    all(seen.setdefault("first", w) for w in {t.word, "alpha", "bb"})
    return seen["first"]


def map_len_of_list(t):
    acc = []
    len([acc.append(w) for w in {t.word, "alpha", "bb"}])
    return acc[0]


def map_set_of_appends(t):
    acc = []
    set(acc.append(w) for w in {t.word, "alpha", "bb"})
    return acc[0]


def map_setcomp_appends(t):
    acc = []
    {acc.append(w) for w in {t.word, "alpha", "bb"}}
    return acc[0]


def map_max_map(t):
    acc = []
    max(map(lambda w: (acc.append(w), w)[1], {t.word, "alpha", "bb"}))
    return acc[0]


def map_any_map(t):
    acc = []
    any(map(acc.append, {t.word, "alpha", "bb"}))
    return acc[0]


def map_any_next(t):
    it = iter(["x", "y", "z"])
    return str(sorted(w + next(it) for w in {t.word, "alpha"}))


def map_set_min_key(t):
    return min({t.word, "alpha", "bb", "omega"}, key=lambda w: 0)


def map_set_sorted_key(t):
    return sorted({t.word, "alpha", "bb", "omega"}, key=lambda w: 0)[0]


def map_set_nlargest(t):
    import heapq
    return str(heapq.nlargest(2, {t.word, "alpha", "bb", "omega"}, key=lambda w: 0))


def map_set_zip(t):
    return str(list(zip({t.word, "alpha", "bb"}, [1, 2, 3])))


def map_set_enumerate(t):
    return str({w: i for i, w in enumerate({t.word, "alpha", "bb"})}[t.word])


def map_set_star(t):
    return (lambda a, *r: a)(*{t.word, "alpha", "bb"})


def map_set_unpack(t):
    a, *_ = {t.word, "alpha", "bb"}
    return a


def map_set_dict_fromkeys(t):
    return list(dict.fromkeys({t.word, "alpha", "bb"}))[0]


def map_set_counter(t):
    return collections.Counter({t.word, "alpha", "bb"}).most_common(1)[0][0]


def map_set_join(t):
    return "".join({t.word, "alpha", "bb"})


def map_set_reduce(t):
    return functools.reduce(operator.add, {t.word, "alpha", "bb"})


def map_set_tuple(t):
    return tuple({t.word, "alpha", "bb"})[0]


def map_set_extend(t):
    xs = []
    xs.extend({t.word, "alpha", "bb"})
    return xs[0]


def map_set_iadd(t):
    xs = []
    xs += {t.word, "alpha", "bb"}
    return xs[0]


def map_set_slice_assign(t):
    xs = [0]
    xs[:] = {t.word, "alpha", "bb"}
    return xs[0]


def map_set_chain(t):
    return next(itertools.chain({t.word, "alpha", "bb"}))


def map_set_deque(t):
    return collections.deque({t.word, "alpha", "bb"})[0]


def map_set_yield_from(t):
    def g():
        yield from {t.word, "alpha", "bb"}
    return next(g())


def map_set_pop(t):
    return {t.word, "alpha", "bb"}.pop()


def map_set_copy(t):
    return list({t.word, "alpha", "bb"}.copy())[0]


def map_set_update_iter(t):
    d = {}
    d.update((w, i) for i, w in enumerate({t.word, "alpha", "bb"}))
    return d[t.word]


def map_set_json(t):
    return json.dumps({1: 2}, default=list) + json.dumps({"a": {t.word, "alpha", "bb"}}, default=list)


def map_set_nested_frozenset(t):
    return str(sorted(frozenset({frozenset([t.word]), frozenset(["x"])}), key=len))


def map_set_of_tuples_str(t):
    return str({(t.word, 1), ("a", 2), ("b", 3)})


def map_set_exc(t):
    try:
        raise ValueError({t.word, "alpha", "bb"})
    except ValueError as e:
        return str(e)


def map_set_dataclass_repr(t):
    return str(Holder({t.word, "alpha", "bb"}))


@dataclasses.dataclass
class Holder:
    xs: object


def map_set_namedtuple_repr(t):
    return str(NT({t.word, "alpha", "bb"}))


NT = collections.namedtuple("NT", "xs")


def map_hash_str(t):
    return hash(t.word) % 7


def map_hash_tuple_dunder(t):
    return (t.word, 1).__hash__() % 7


def map_hash_str_dunder(t):
    return t.word.__hash__() % 7


def map_object_hash(t):
    return object.__hash__(LOG)


def map_enum_hash(t):
    return hash(Col.A) % 100


class Col(enum.Enum):
    A = 1
    B = 2


def _attr(x):
    _attr.n += 1
    return _attr.n


_attr.n = 0
