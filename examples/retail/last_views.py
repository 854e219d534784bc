"""What was among the last five views, of ten days, before an item was bought (query 3)."""

from collections import Counter
from collections.abc import Iterator
from heapq import nsmallest

from shop import DAY, Click, click

import anabranch as ab

TOP = ab.param("top", 30)


class Views(ab.State):
    last: list[tuple[int, int]] = []


class Before(ab.Record):
    bought: int
    viewed: int


class Counts(ab.State):
    bought: int = 0
    views: Counter[int] = Counter()


class Mostly(ab.Record):
    bought: int
    viewed: int
    views: int


@ab.operator(by="user")
def viewed_before(views: Views, c: Click) -> Iterator[Before]:
    if c.kind == "buy":
        for ts, item in views.last:
            if c.ts - ts <= 10 * DAY:
                yield Before(c.item, item)
    else:
        views.last = [*views.last[-4:], (c.ts, c.item)]


@ab.operator(by="bought")
def counted(counts: Counts, b: Before) -> Iterator[Mostly]:
    counts.bought = b.bought
    counts.views[b.viewed] += 1
    yield from ()


@counted.at_end
def mostly(counts: Counts) -> Iterator[Mostly]:
    ranked = nsmallest(TOP, counts.views.items(), key=lambda view: (-view[1], view[0]))
    for viewed, views in ranked:
        yield Mostly(counts.bought, viewed, views)


clicks = ab.generate(click, ab.param("rows", 6_000), time="ts")
looked = clicks.filter(lambda c: c.kind != "cart")
looked.apply(viewed_before).apply(counted).write_stdout()
