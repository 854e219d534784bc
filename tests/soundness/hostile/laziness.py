# ruff: noqa
"""Iterators, generators and views that are shared, or that show what comes later."""

import itertools
import operator

LOG = []
WORDS = {}
IDS = itertools.count()
CYCLE = itertools.cycle("abc")
NUMBERS = iter(range(100_000))
SQUARES = (n * n for n in range(100_000))
FIRST, SECOND = itertools.tee(range(100_000))
ENUMERATED = enumerate(range(100_000))
ZIPPED = zip(itertools.count(), itertools.count(5))
MAPPED = map(str, range(100_000))
CHAINED = itertools.chain(range(100_000))
REVERSED = reversed(range(100_000))
ACCUMULATED = itertools.accumulate(itertools.count())
GROUPED = itertools.groupby(range(100_000), key=lambda n: n // 3)
OTHERS = [itertools.count()]
BY_NAME = {"ids": itertools.count()}
NEXT = itertools.count().__next__
SLICED = itertools.islice(itertools.count(), 100_000)
FILTERED = filter(None, itertools.count())


def note(x=None):
    LOG.append(x)
    return len(LOG)


def numbers():
    n = 0
    while True:
        sent = yield n
        n += sent or 1


RUNNING = numbers()
next(RUNNING)


def map_count(t):
    return next(IDS)


def map_count_by_zip(t):
    return list(zip(t.word, IDS))


def map_count_by_loop(t):
    for n in IDS:
        return n


def map_count_by_comprehension(t):
    return [n for n, _ in zip(IDS, "ab")]


def map_count_by_islice(t):
    return list(itertools.islice(IDS, 2))


def map_count_by_dunder(t):
    return IDS.__next__()


def map_count_by_dict(t):
    return dict(zip("ab", IDS))


def map_count_repr(t):
    found = repr(IDS)
    next(IDS)
    return found


def map_cycle(t):
    return next(CYCLE)


def map_iterator(t):
    return next(NUMBERS)


def map_iterator_in(t):
    return (t.n in NUMBERS, next(NUMBERS, -1))


def map_generator(t):
    return next(SQUARES)


def map_generator_unpacked(t):
    a, b = itertools.islice(SQUARES, 2)
    return b


def map_tee(t):
    next(FIRST)
    return next(SECOND) if t.n % 2 else next(FIRST)


def map_tee_copied(t):
    a, b = itertools.tee(NUMBERS)
    return next(a)


def map_enumerate(t):
    return next(ENUMERATED)


def map_zip(t):
    return next(ZIPPED)


def map_map(t):
    return next(MAPPED)


def map_chain(t):
    return next(CHAINED)


def map_reversed(t):
    return next(REVERSED)


def map_accumulate(t):
    return next(ACCUMULATED)


def map_groupby(t):
    key, group = next(GROUPED)
    return key


def map_filter(t):
    return next(FILTERED)


def map_islice(t):
    return next(SLICED)


def map_in_list(t):
    return next(OTHERS[0])


def map_in_dict(t):
    return next(BY_NAME["ids"])


def map_bound_next(t):
    return NEXT()


def map_next_with_default(t):
    return next(NUMBERS, None)


def map_send(t):
    return RUNNING.send(t.n)


def map_default_iterator(t, ids=iter(range(1000))):
    return next(ids)


def map_any_consumes(t):
    any(n > 0 for n in NUMBERS)
    return next(NUMBERS)


def map_max_of_slice(t):
    return max(itertools.islice(IDS, 3))


def map_sum_of_slice(t):
    return sum(itertools.islice(SQUARES, 2))


def map_join_of_iterator(t):
    return "".join(itertools.islice(CYCLE, 2))


def map_dropwhile(t):
    return next(itertools.dropwhile(lambda n: n % 3, IDS))


def map_takewhile(t):
    return list(itertools.takewhile(lambda n: n % 4, IDS))


def map_starmap(t):
    return list(itertools.starmap(lambda a, b: note(a), [(1, 2)]))


def map_accumulate_function(t):
    return list(itertools.accumulate(t.xs, lambda a, b: note(b)))


def map_groupby_key(t):
    return [key for key, _ in itertools.groupby(t.xs, key=lambda x: note(x) // 4)]


def map_filterfalse(t):
    return list(itertools.filterfalse(lambda x: note(x) % 2, t.xs))


def map_iter_of_function(t):
    return next(iter(note, None))


def map_map_of_method(t):
    list(map(LOG.append, t.xs))
    return len(LOG)


def map_map_of_two(t):
    return list(map(operator.add, [1, 2], IDS))


def map_generator_with_effect(t):
    return sum(note(x) for x in t.xs)


def map_generator_closed(t):
    def run():
        try:
            yield 1
        finally:
            note()
    g = run()
    next(g)
    g.close()
    return len(LOG)


def map_generator_thrown(t):
    def run():
        try:
            yield 1
        except ValueError:
            yield note()
    g = run()
    next(g)
    return g.throw(ValueError())


def map_lazy_map_never_run(t):
    found = map(note, t.xs)
    next(found)
    return len(LOG)


def map_keys_view(t):
    WORDS[t.word] = t.n
    return KEYS


KEYS = WORDS.keys()


def map_view_made_before(t):
    WORDS[t.n] = 1
    return len(KEYS)


def map_gives_global_dict(t):
    WORDS[t.n] = 1
    return WORDS


def map_gives_view_of_global(t):
    WORDS[t.n] = t.n
    return WORDS.values()


def map_gives_items_of_global(t):
    WORDS[t.word] = t.n
    return WORDS.items()


def map_gives_global_list(t):
    LOG.append(t.n)
    return LOG


def map_gives_list_in_record(t):
    LOG.append(t.n)
    return t.replace(xs=LOG)


def flat_map_global_list(t):
    LOG.append(t.n)
    return [LOG]


def flat_map_shared_generator(t):
    return list(itertools.islice(SQUARES, 2))


def flat_map_lazy(t):
    return (next(IDS) for _ in range(2))


def flat_map_own_list_changed(t):
    found = []
    yield found
    found.append(t.n)
    yield found
    LOG.append(found)
    LOG[0].append(t.n)


def flat_map_yield_after_effect(t):
    yield t.n
    LOG.append(t.n)
    yield len(LOG)


def flat_map_map_of_function(t):
    return map(note, t.xs)


def filter_count(t):
    return next(IDS) % 3 == 0


def filter_seen(t):
    fresh = t.word not in WORDS
    WORDS[t.word] = True
    return fresh


def filter_first(t):
    return WORDS.setdefault(t.word, t.n) == t.n


def filter_last_differs(t):
    LOG.append(t.word)
    return len(LOG) < 2 or LOG[-2][0] < t.word[0]


def filter_cycle(t):
    return next(CYCLE) == "a"


def filter_generator(t):
    return t.n in itertools.islice(NUMBERS, 2)
