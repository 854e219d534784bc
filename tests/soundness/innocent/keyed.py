"""Operators with state for each key that keep to it."""

from __future__ import annotations

import bisect
import heapq
from collections import Counter, defaultdict, deque
from datetime import datetime

import anabranch as ab
from soundness.helpers.pure import scaled
from soundness.items import VISITS, Item, Visit

LIMIT = 100
PRICES = {"alpha": 2.0, "beta": 3.0}


class Sums(ab.State):
    n: int = 0
    total: float = 0.0
    last: str = ""
    high: float | None = None
    seen: bool = False


class Lists(ab.State):
    xs: list[int] = []
    words: dict[str, int] = {}
    lists: dict[str, list[int]] = {}
    distinct: set[str] = set()
    recent: deque = deque()
    counts: Counter = Counter()
    groups: defaultdict = defaultdict(list)


class Session(ab.State):
    start: datetime | None = None
    pages: list[str] = []
    ms: float = 0.0


class Account(ab.State):
    balance: float = 0.0
    moves: int = 0

    def deposit(self, amount: float) -> None:
        self.balance += amount
        self.moves += 1

    @property
    def mean(self) -> float:
        return self.balance / self.moves if self.moves else 0.0


class Total(ab.Record):
    key: int
    total: float


@ab.operator(by="key")
def apply_count(s: Sums, t: Item):
    s.n += 1
    yield s.n


@ab.operator(by="key")
def apply_running_total(s: Sums, t: Item):
    s.total += t.x
    yield Total(t.key, s.total)


@ab.operator(by="key")
def apply_mean(s: Sums, t: Item):
    s.n += 1
    s.total += t.x
    yield s.total / s.n


@ab.operator(by="key")
def apply_maximum(s: Sums, t: Item):
    if s.high is None or t.x > s.high:
        s.high = t.x
        yield t


@ab.operator(by="key")
def apply_change(s: Sums, t: Item):
    if s.seen:
        yield t.x - s.total
    s.total, s.seen = t.x, True


@ab.operator(by="key")
def apply_last_word(s: Sums, t: Item):
    if s.last and s.last != t.word:
        yield f"{s.last}>{t.word}"
    s.last = t.word


@ab.operator(by="key")
def apply_every_third(s: Sums, t: Item):
    s.n += 1
    if s.n % 3 == 0:
        yield t


@ab.operator(by="key")
def apply_reset(s: Sums, t: Item):
    s.total += t.n
    if s.total > LIMIT:
        yield s.total
        s.total = 0.0


@ab.operator(by="key")
def apply_early_return(s: Sums, t: Item):
    if t.note is None:
        return
    s.n += len(t.note)
    yield s.n


@ab.operator(by="key")
def apply_append(s: Lists, t: Item):
    s.xs.append(t.n)
    yield len(s.xs)


@ab.operator(by="key")
def apply_median(s: Lists, t: Item):
    bisect.insort(s.xs, t.n)
    yield s.xs[len(s.xs) // 2]


@ab.operator(by="key")
def apply_heap(s: Lists, t: Item):
    heapq.heappush(s.xs, -t.n)
    if len(s.xs) > 3:
        heapq.heappop(s.xs)
    yield -s.xs[0]


@ab.operator(by="key")
def apply_list_given_as_copy(s: Lists, t: Item):
    s.xs.append(t.n)
    yield list(s.xs)


@ab.operator(by="key")
def apply_list_given_as_tuple(s: Lists, t: Item):
    s.xs.append(t.n)
    yield (t.key, tuple(s.xs[-3:]))


@ab.operator(by="key")
def apply_list_rebuilt(s: Lists, t: Item):
    s.xs = [*s.xs, t.n][-4:]
    yield sum(s.xs)


@ab.operator(by="key")
def apply_batches(s: Lists, t: Item):
    s.xs.append(t.n)
    if len(s.xs) == 4:
        yield s.xs.copy()
        s.xs.clear()


@ab.operator(by="key")
def apply_dict_count(s: Lists, t: Item):
    s.words[t.word] = s.words.get(t.word, 0) + 1
    yield s.words[t.word]


@ab.operator(by="key")
def apply_dict_top(s: Lists, t: Item):
    s.words[t.word] = s.words.get(t.word, 0) + t.n
    yield max(s.words, key=lambda word: (s.words[word], word))


@ab.operator(by="key")
def apply_dict_sorted(s: Lists, t: Item):
    s.words[t.word] = t.n
    yield sorted(s.words.items())


@ab.operator(by="key")
def apply_dict_given_as_copy(s: Lists, t: Item):
    s.words[t.word] = t.n
    yield dict(s.words)


@ab.operator(by="key")
def apply_dict_pop(s: Lists, t: Item):
    if t.word in s.words:
        yield t.n - s.words.pop(t.word)
    else:
        s.words[t.word] = t.n


@ab.operator(by="key")
def apply_dict_of_lists(s: Lists, t: Item):
    s.lists.setdefault(t.word, []).append(t.n)
    yield sum(s.lists[t.word])


@ab.operator(by="key")
def apply_dict_of_lists_loop(s: Lists, t: Item):
    s.lists.setdefault(t.word, []).append(t.n)
    yield {word: len(xs) for word, xs in s.lists.items()}


@ab.operator(by="key")
def apply_set_distinct(s: Lists, t: Item):
    if t.word not in s.distinct:
        s.distinct.add(t.word)
        yield t


@ab.operator(by="key")
def apply_set_size(s: Lists, t: Item):
    s.distinct |= {t.word}
    yield len(s.distinct)


@ab.operator(by="key")
def apply_set_given_sorted(s: Lists, t: Item):
    s.distinct.add(t.word)
    yield sorted(s.distinct)


@ab.operator(by="key")
def apply_deque_window(s: Lists, t: Item):
    s.recent.append(t.x)
    if len(s.recent) > 3:
        s.recent.popleft()
    yield sum(s.recent) / len(s.recent)


@ab.operator(by="key")
def apply_deque_given_as_list(s: Lists, t: Item):
    s.recent.append(t.n)
    yield list(s.recent)


@ab.operator(by="key")
def apply_counter(s: Lists, t: Item):
    s.counts[t.word] += 1
    yield s.counts.most_common(1)[0][0]


@ab.operator(by="key")
def apply_counter_update(s: Lists, t: Item):
    s.counts.update(t.word)
    yield s.counts["a"]


@ab.operator(by="key")
def apply_defaultdict(s: Lists, t: Item):
    s.groups[t.word].append(t.n)
    yield len(s.groups[t.word])


@ab.operator(by="key")
def apply_method(s: Account, t: Item):
    s.deposit(t.x)
    yield s.balance


@ab.operator(by="key")
def apply_property(s: Account, t: Item):
    s.deposit(t.x)
    yield s.mean


@ab.operator(by="key")
def apply_session(s: Session, t: Visit):
    s.pages.append(t.page)
    s.ms += t.ms
    if s.start is None:
        s.start = t.when
    if s.ms > 300:
        yield (t.key, s.start, len(s.pages), s.ms)
        s.start, s.ms = None, 0.0
        s.pages.clear()


@ab.operator(by="key")
def apply_time_since_last(s: Session, t: Visit):
    if s.start is not None:
        yield (t.when - s.start).total_seconds()
    s.start = t.when


@ab.operator(by="key")
def apply_helper(s: Sums, t: Item):
    s.total = grown(s.total, t.x)
    yield s.total


def grown(total: float, x: float) -> float:
    return total * 0.5 + scaled(x)


@ab.operator(by="key")
def apply_helper_with_state(s: Sums, t: Item):
    note(s, t)
    yield s.n


def note(s: Sums, t: Item) -> None:
    s.n += t.n % 3


@ab.operator(by="key")
def apply_lookup(s: Sums, t: Item):
    s.total += PRICES.get(t.word, 1.0) * t.n
    yield t.replace(x=s.total)


@ab.operator(by="key")
def apply_local_function(s: Sums, t: Item):
    def weight(x):
        return x * 2 if s.seen else x
    s.total += weight(t.x)
    s.seen = not s.seen
    yield s.total


@ab.operator(by="key")
def apply_match(s: Sums, t: Item):
    match t.word:
        case "alpha" | "beta":
            s.n += 1
        case word if len(word) < 4:
            s.n -= 1
    yield s.n


@ab.operator(by="key")
def apply_try(s: Sums, t: Item):
    try:
        s.total += 10 / t.xs[0]
    except ZeroDivisionError:
        s.n += 1
    yield (s.n, s.total)


@ab.operator(by="key")
def apply_loop(s: Lists, t: Item):
    for x in t.xs:
        if x not in s.xs:
            s.xs.append(x)
            yield x


USES = {"apply_session": VISITS, "apply_time_since_last": VISITS}
