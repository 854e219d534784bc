"""Smart homes: the next load of each house, household and plug, from its present and its past."""

from collections.abc import Iterator

import anabranch as ab

Sums = dict[str, tuple[int, int]]
"""The sum of the loads of each place, and how many there were."""


class Event(ab.Record):
    ts: int
    kind: str
    house: int
    household: int
    plug: int
    load: int


class Loads(ab.State):
    now: Sums = {}
    past: Sums = {}


class Prediction(ab.Record):
    ts: int
    place: str
    load: int


def mean(sums: Sums, place: str) -> int:
    total, count = sums.get(place, (0, 0))
    return total // count if count else 0


@ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: "tick" in (a, b),
                 tags={"load": 400, "tick": 1})
def predicted(s: Loads, e: Event) -> Iterator[Prediction]:
    if e.kind == "load":
        for place in (f"{e.house}", home := f"{e.house}/{e.household}", f"{home}/{e.plug}"):
            total, count = s.now.get(place, (0, 0))
            s.now[place] = (total + e.load, count + 1)
    else:
        for place in sorted(s.now):
            past = mean(s.past, place) or mean(s.now, place)
            yield Prediction(e.ts, place, (mean(s.now, place) + past) // 2)
        s.past, s.now = added(s.past, s.now), {}


def added(one: Sums, other: Sums) -> Sums:
    sums = [(place, one.get(place, (0, 0)), other.get(place, (0, 0))) for place in {**other, **one}]
    return {place: (a + c, b + d) for place, (a, b), (c, d) in sums}


predicted.fork(lambda s, left, right: (s, Loads()))
predicted.join(lambda one, other: Loads(added(one.now, other.now), one.past))


def event(n: int) -> Event:
    kind, house = "tick" if n % 400 == 399 else "load", ab.noise(n) % 5
    return Event(n, kind, house, ab.noise(n, 1) % 4, ab.noise(n, 2) % 6, ab.noise(n, 3) % 2000)


ab.generate(event, ab.param("events", 4_000)).apply(predicted).write_stdout()
