"""Smart homes: the load of each house in the next slice of time, from its plugs and its past."""

import anabranch as ab


class Event(ab.Record):
    ts: int
    kind: str
    house: int
    household: int
    plug: int
    load: int


class Loads(ab.State):
    now: dict = {}
    past: dict = {}


class Prediction(ab.Record):
    ts: int
    house: int
    load: int


def mean(sums: dict, house: int) -> int:
    total, count = sums.get(house, (0, 0))
    return total // count if count else 0


@ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: "tick" in (a, b),
                 tags={"load": 400, "tick": 1})
def predicted(s: Loads, e: Event):
    if e.kind == "load":
        total, count = s.now.get(e.house, (0, 0))
        s.now[e.house] = (total + e.load, count + 1)
    else:
        for house in sorted(s.now):
            past = mean(s.past, house) or mean(s.now, house)
            yield Prediction(e.ts, house, (mean(s.now, house) + past) // 2)
        s.past, s.now = added(s.past, s.now), {}


def added(one: dict, other: dict) -> dict:
    both = {**other, **one}
    return {house: (one.get(house, (0, 0))[0] + other.get(house, (0, 0))[0],
                    one.get(house, (0, 0))[1] + other.get(house, (0, 0))[1]) for house in both}


predicted.fork(lambda s, left, right: (s, Loads()))
predicted.join(lambda one, other: Loads(added(one.now, other.now), one.past))


def event(n: int) -> Event:
    kind, house = "tick" if n % 400 == 399 else "load", ab.noise(n) % 5
    return Event(n, kind, house, ab.noise(n, 1) % 4, ab.noise(n, 2) % 6, ab.noise(n, 3) % 2000)


ab.generate(event, ab.param("events", 4_000)).apply(predicted).write_stdout()
