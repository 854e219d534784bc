"""Products most often viewed together in one session; an hour without clicks ends one (query 2)."""

from collections import Counter
from collections.abc import Iterator
from heapq import nsmallest
from itertools import combinations

from shop import SESSION_TIME_OUT, Click, click

import anabranch as ab

TOP = ab.param("top", 30)


class Open(ab.State):
    last: int = 0
    items: list[int] = []


class Session(ab.Record):
    items: list[int]


class Pair(ab.Record):
    a: int
    b: int


class Count(ab.State):
    views: int = 0


class Viewed(ab.Record):
    a: int
    b: int
    views: int


class Pairs(ab.State):
    views: Counter[tuple[int, int]] = Counter()


@ab.operator(by="user")
def sessions(session: Open, c: Click) -> Iterator[Session]:
    if session.items and c.ts - session.last > SESSION_TIME_OUT:
        yield Session(session.items)
        session.items = []
    session.last = c.ts
    session.items = [*session.items, c.item]


@sessions.at_end
def open_session(session: Open) -> Iterator[Session]:
    yield Session(session.items)


def pairs(s: Session) -> list[Pair]:
    return [Pair(a, b) for a, b in combinations(sorted(set(s.items)), 2)]


@ab.operator(by=("a", "b"))
def counted(count: Count, p: Pair) -> Iterator[Viewed]:
    count.views += 1
    yield Viewed(p.a, p.b, count.views)


@ab.operator
def top(seen: Pairs, v: Viewed) -> Iterator[Viewed]:
    seen.views[v.a, v.b] = v.views
    yield from ()


@top.at_end
def most_viewed(seen: Pairs) -> Iterator[Viewed]:
    ranked = nsmallest(TOP, seen.views.items(), key=lambda pair: (-pair[1], pair[0]))
    for (a, b), views in ranked:
        yield Viewed(a, b, views)


clicks = ab.generate(click, ab.param("rows", 3_000), time="ts")
views = clicks.filter(lambda c: c.kind == "view")
views.apply(sessions).flat_map(pairs).apply(counted).apply(top).write_stdout()
