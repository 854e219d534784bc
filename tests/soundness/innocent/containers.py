# ruff: noqa: PERF401, SIM401
"""Lists, dicts, sets and tuples that are made here, or that nobody changes."""

import bisect
import collections
import functools
import heapq
import itertools
import operator
from collections import Counter, defaultdict, deque

PRICES = {"alpha": 1.5, "beta": 2.0, "gamma": 0.25}
LEVELS = [("low", 10), ("middle", 30), ("high", 100)]
PRIMES = (2, 3, 5, 7, 11, 13)
WANTED = {"alpha", "omega"}
GROUPS = {"greek": ["alpha", "beta"], "other": ["chi"]}
BOUNDS = [5, 15, 40]
COLUMNS = ("n", "key", "word")


def map_list_comprehension(t):
    return [x * x for x in t.xs if x % 2 == 0]


def map_dict_comprehension(t):
    return {str(x): x for x in t.xs}


def map_set_comprehension(t):
    return sorted({x % 3 for x in t.xs})


def map_local_list(t):
    found = []
    for x in t.xs:
        if x > 1:
            found.append(x)
    return found


def map_local_dict(t):
    counts = {}
    for letter in t.word:
        counts[letter] = counts.get(letter, 0) + 1
    return counts


def map_local_setdefault(t):
    groups = {}
    for x in t.xs:
        groups.setdefault(x % 2, []).append(x)
    return groups


def map_local_set(t):
    seen = set()
    for x in t.xs:
        seen.add(x)
    return len(seen)


def map_counter(t):
    return Counter(t.word).most_common(2)


def map_defaultdict(t):
    groups = defaultdict(list)
    for letter in t.word:
        groups[letter in "aeiou"].append(letter)
    return dict(groups)


def map_deque(t):
    recent = deque(maxlen=2)
    for x in t.xs:
        recent.append(x)
    return list(recent)


def map_heap(t):
    heap = []
    for x in t.xs:
        heapq.heappush(heap, -x)
    return heapq.heappop(heap)


def map_heapify(t):
    heap = list(t.xs)
    heapq.heapify(heap)
    return heapq.nsmallest(2, heap)


def map_bisect(t):
    return bisect.bisect_right(BOUNDS, t.n)


def map_local_insort(t):
    ordered = []
    for x in t.xs:
        bisect.insort(ordered, x)
    return ordered


def map_sorted_key(t):
    return sorted(t.xs, key=lambda x: (x % 2, -x))


def map_local_sort(t):
    xs = list(t.xs)
    xs.sort(reverse=True)
    return xs


def map_copy_then_change(t):
    xs = t.xs.copy()
    xs.append(t.n)
    return xs


def map_slice_then_change(t):
    xs = t.xs[:]
    xs.insert(0, t.n)
    return xs


def map_dict_table(t):
    return PRICES.get(t.word, 0.0) * t.n


def map_dict_table_in(t):
    return PRICES[t.word] if t.word in PRICES else None


def map_list_table(t):
    return next((name for name, limit in LEVELS if t.n < limit), "none")


def map_tuple_table(t):
    return PRIMES[t.n % len(PRIMES)]


def filter_set_table(t):
    return t.word in WANTED


def map_nested_table(t):
    return [name for name, words in GROUPS.items() if t.word in words]


def flat_map_table(t):
    for prime in PRIMES:
        if t.n % prime == 0:
            yield (t.n, prime)


def map_merged_dicts(t):
    return {**PRICES, t.word: t.x}


def map_dict_union(t):
    return len(PRICES | {t.word: t.x})


def map_set_operations(t):
    return sorted(WANTED & {t.word} | {"x"})


def map_unpacking(t):
    first, *rest = t.xs
    return (first, len(rest))


def map_star_call(t):
    return max(*t.xs, 2)


def map_zip(t):
    return [a * b for a, b in zip(t.xs, PRIMES)]


def map_enumerate(t):
    return {letter: place for place, letter in enumerate(t.word)}


def map_nested_comprehension(t):
    return [(a, b) for a in t.xs for b in range(a % 3)]


def map_any_all(t):
    return any(x > 2 for x in t.xs) and all(x >= 0 for x in t.xs)


def map_reduce(t):
    return functools.reduce(operator.mul, t.xs, 1)


def map_accumulate(t):
    return list(itertools.accumulate(t.xs))


def flat_map_combinations(t):
    return list(itertools.combinations(t.xs, 2))


def map_groupby(t):
    return [(key, len(list(group))) for key, group in itertools.groupby(sorted(t.word))]


def map_chain(t):
    return list(itertools.chain(t.xs, PRIMES[:2]))


def map_local_count(t):
    ids = itertools.count(t.n)
    return [next(ids) for _ in range(2)]


def map_local_iterator(t):
    it = iter(t.xs)
    return next(it, None)


def map_islice(t):
    return list(itertools.islice(t.word, 2))


def map_reversed(t):
    return list(reversed(t.xs))


def map_min_by_key(t):
    return min(PRICES, key=lambda name: abs(PRICES[name] - t.x))


def map_itemgetter(t):
    return sorted(LEVELS, key=operator.itemgetter(1))[0][0]


def map_filter_and_map(t):
    return list(map(str, filter(lambda x: x > 0, t.xs)))


def map_dict_of_lists(t):
    table = {"even": [], "odd": []}
    for x in t.xs:
        table["odd" if x % 2 else "even"].append(x)
    return [table["even"], table["odd"]]


def map_matrix(t):
    rows = [[0] * 2 for _ in range(2)]
    rows[t.n % 2][t.key % 2] = t.n
    return [sum(row) for row in rows]


def map_stack(t):
    stack = []
    for c in f"({t.word}(x))":
        if c == "(":
            stack.append(c)
        elif c == ")":
            stack.pop()
    return len(stack)


def map_queue(t):
    waiting, seen = collections.deque([t.key]), []
    while waiting:
        node = waiting.popleft()
        seen.append(node)
        if node * 2 + 1 < 8:
            waiting.append(node * 2 + 1)
    return seen


def map_dict_pop(t):
    d = {"a": t.n, "b": t.key}
    return d.pop("a") + len(d)


def map_as_dict(t):
    return {name: getattr(t, name) for name in COLUMNS}


def map_frozenset(t):
    return len(frozenset(t.word) & frozenset("abc"))


def map_sorted_dict(t):
    return sorted({c: t.word.count(c) for c in t.word}.items(), key=lambda kv: (-kv[1], kv[0]))


def map_swap(t):
    a, b = t.n, t.key
    a, b = b, a
    return (a, b)


def map_chain_from_iterable(t):
    return list(itertools.chain.from_iterable([t.xs, [t.n]]))
