"""Outliers among connections: every worker has a part of the statistics, queries need all."""

from collections.abc import Iterator

import anabranch as ab


class Event(ab.Record):
    ts: int
    kind: str
    service: str
    size: int


class Statistics(ab.State):
    count: dict[str, int] = {}
    total: dict[str, int] = {}
    limit: dict[str, int] = {}
    strange: dict[int, tuple[str, int]] = {}


class Outlier(ab.Record):
    ts: int
    service: str
    size: int


@ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: "query" in (a, b),
                 tags={"connection": 500, "query": 1})
def outliers(s: Statistics, e: Event) -> Iterator[Outlier]:
    if e.kind == "query":
        s.limit = {name: 3 * s.total[name] // n for name, n in s.count.items()}
        for ts, (service, size) in sorted(s.strange.items()):
            yield Outlier(ts, service, size)
        s.strange = {}
    else:
        s.count[e.service] = s.count.get(e.service, 0) + 1
        s.total[e.service] = s.total.get(e.service, 0) + e.size
        if e.size > s.limit.get(e.service, e.size):
            s.strange[e.ts] = (e.service, e.size)


def added(one: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    return {name: one.get(name, 0) + other.get(name, 0) for name in {**one, **other}}


# What has been counted goes to one side; the limits, which both sides look at, go to both.
outliers.fork(lambda s, left, right: (s, Statistics(limit=s.limit)))
outliers.join(lambda one, other: Statistics(added(one.count, other.count),
                                            added(one.total, other.total), one.limit,
                                            {**one.strange, **other.strange}))


def event(n: int) -> Event:
    size = 5000 if ab.noise(n) % 97 == 0 else ab.noise(n) % 1000
    return Event(n, "query" if n % 500 == 499 else "connection", f"s{n % 3}", size)


ab.generate(event, ab.param("events", 5_000)).apply(outliers).write_stdout()
