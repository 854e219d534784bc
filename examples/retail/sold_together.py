"""Pairs of items sold together most often, hour by hour (query 1)."""

from collections import Counter
from collections.abc import Iterator
from heapq import nsmallest

from shop import HOUR, Sale, sale

import anabranch as ab

TOP = ab.param("top", 5)


class Basket(ab.State):
    items: list[int] = []


class Pair(ab.Record):
    hour: int
    a: int
    b: int


class Count(ab.State):
    hour: int = -1
    sold: int = 0


class Sold(ab.Record):
    hour: int
    a: int
    b: int
    sold: int


class Hour(ab.State):
    hour: int = -1
    pairs: Counter[tuple[int, int]] = Counter()


@ab.operator(by="ticket")
def paired(basket: Basket, s: Sale) -> Iterator[Pair]:
    for other in basket.items:
        if other != s.item:
            yield Pair(s.ts // HOUR, min(other, s.item), max(other, s.item))
    basket.items.append(s.item)


@ab.operator(by=("a", "b"))
def counted(count: Count, p: Pair) -> Iterator[Sold]:
    count.sold = count.sold + 1 if count.hour == p.hour else 1
    count.hour = p.hour
    yield Sold(p.hour, p.a, p.b, count.sold)


def best(hour: Hour) -> list[Sold]:
    pairs = nsmallest(TOP, hour.pairs.items(), key=lambda pair: (-pair[1], pair[0]))
    return [Sold(hour.hour, a, b, sold) for (a, b), sold in pairs]


@ab.operator
def top(hour: Hour, s: Sold) -> Iterator[Sold]:
    if s.hour != hour.hour:
        yield from best(hour)
        hour.hour, hour.pairs = s.hour, Counter()
    hour.pairs[s.a, s.b] = s.sold


@top.at_end
def last_hour(hour: Hour) -> Iterator[Sold]:
    yield from best(hour)


sales = ab.generate(sale, ab.param("rows", 3_000), time="ts")
kept = sales.filter(lambda s: s.category != "returned")
kept.apply(paired).apply(counted).apply(top).write_stdout()
