# ruff: noqa
"""Items changed in place, while other items hold the same list."""

import bisect
import heapq
import operator
import random

from soundness.items import items_with_one_list

SHARING = items_with_one_list()


def map_append(t):
    t.xs.append(t.n)
    return len(t.xs)


def map_append_by_alias(t):
    xs = t.xs
    xs.append(t.n)
    return len(xs)


def map_iadd(t):
    xs = t.xs
    xs += [t.n]
    return len(xs)


def map_extend_by_helper(t):
    return put(t.xs, t.n)


def put(xs, x):
    xs.extend([x])
    return len(xs)


def map_setitem(t):
    t.xs[:] = [t.n, *t.xs[:2]]
    return list(t.xs)


def map_insort(t):
    bisect.insort(t.xs, -t.n)
    return len(t.xs)


def map_heappush(t):
    heapq.heappush(t.xs, t.n)
    return len(t.xs)


def map_sort(t):
    t.xs.append(t.n)
    t.xs.sort(reverse=True)
    return t.xs[0] + len(t.xs)


def map_getattr(t):
    getattr(t, "xs").append(t.n)
    return len(t.xs)


def map_subscript(t):
    t[4].append(t.n)
    return len(t[4])


def map_unpacked(t):
    n, key, word, x, xs, note = t
    xs.append(n)
    return len(xs)


def map_unpacked_star(t):
    *_, xs, note = t
    xs.append(1)
    return len(xs)


def map_match(t):
    match t:
        case (_, _, _, _, list() as xs, _):
            xs.append(1)
            return len(xs)


def map_loop_over_item(t):
    for field in t:
        if isinstance(field, list):
            field.append(1)
    return len(t.xs)


def map_replaced(t):
    t.replace(n=0).xs.append(1)
    return len(t.xs)


def map_asdict(t):
    t._asdict()["xs"].append(1)
    return len(t.xs)


def map_attrgetter(t):
    operator.attrgetter("xs")(t).append(1)
    return len(t.xs)


def map_operator_iadd(t):
    operator.iadd(t.xs, [1])
    return len(t.xs)


def map_closure(t):
    def inner():
        t.xs.append(1)
    inner()
    return len(t.xs)


def map_lambda(t):
    (lambda xs: xs.append(1))(t.xs)
    return len(t.xs)


def map_comprehension(t):
    [xs.append(1) for xs in [t.xs]]
    return len(t.xs)


def map_shuffle(t):
    t.xs.append(t.n)
    random.Random(3).shuffle(t.xs)
    return t.xs[0]


def map_list_in_dict(t):
    d = {"a": t.xs}
    d["a"].append(1)
    return len(t.xs)


def map_list_in_list(t):
    rows = [t.xs] * 2
    rows[1].append(1)
    return len(rows[0])


def map_conditional(t):
    xs = t.xs if t.n >= 0 else []
    xs.append(1)
    return len(t.xs)


def map_or(t):
    xs = t.xs or t.xs
    xs.append(1)
    return len(t.xs)


def map_unbound(t):
    list.append(t.xs, 1)
    return len(t.xs)


def map_map(t):
    list(map(t.xs.append, [1, 2]))
    return len(t.xs)


def filter_append(t):
    t.xs.append(1)
    return len(t.xs) % 2


def flat_map_append(t):
    t.xs.append(t.n)
    yield from t.xs[-2:]


def map_given_and_changed(t):
    t.xs.append(t.n)
    return t


def map_clear(t):
    found = len(t.xs)
    t.xs.clear()
    t.xs.extend(range(t.n % 5))
    return found


def map_pop(t):
    t.xs.insert(0, t.n)
    return t.xs.pop() if len(t.xs) > 3 else 0


def map_del(t):
    t.xs.append(t.n)
    if len(t.xs) > 3:
        del t.xs[0]
    return sum(t.xs)


def map_reverse(t):
    t.xs.append(t.n)
    t.xs.reverse()
    return t.xs[-1]


def map_with_default_of_inner(t):
    def inner(xs=t.xs):
        xs.append(1)
        return len(xs)
    return inner()


def map_walrus(t):
    (xs := t.xs).append(1)
    return len(xs)


USES = dict.fromkeys([name for name in dir() if name.startswith(("map_", "filter_", "flat_map_"))],
                     SHARING)
