"""High-mobility fraud: phones that moved faster than anybody can, by the places of their calls."""

import math
from collections.abc import Iterator

import anabranch as ab

AREA = 44
TOO_FAST = 200.0


class Call(ab.Record):
    ts: int
    area: int
    caller: int
    caller_x: float
    caller_y: float
    callee: int
    callee_x: float
    callee_y: float


class Place(ab.Record):
    ts: int
    phone: int
    x: float
    y: float


class Seen(ab.State):
    ts: int = -1
    x: float = 0.0
    y: float = 0.0


class Speed(ab.Record):
    ts: int
    phone: int
    kmh: float


def places(c: Call) -> list[Place]:
    return [Place(c.ts, c.caller, c.caller_x, c.caller_y),
            Place(c.ts, c.callee, c.callee_x, c.callee_y)]


@ab.operator(by="phone")
def speed(last: Seen, p: Place) -> Iterator[Speed]:
    if 0 <= last.ts < p.ts:
        way = math.sqrt((p.x - last.x) ** 2 + (p.y - last.y) ** 2)
        yield Speed(p.ts, p.phone, 3600 * way / (p.ts - last.ts))
    last.ts, last.x, last.y = p.ts, p.x, p.y


def call(n: int) -> Call:
    caller, callee = ab.noise(n) % 200, ab.noise(n, 1) % 200
    cloned = 3000 if caller % 50 == 0 and ab.noise(n, 2) % 2 else 0
    return Call(20 * n, AREA if ab.noise(n, 3) % 5 else 49,
                caller, cloned + ab.noise(n, 4) % 30, ab.noise(n, 5) % 30,
                callee, ab.noise(n, 6) % 30, ab.noise(n, 7) % 30)


calls = ab.generate(call, ab.param("rows", 4_000), time="ts")
speeds = calls.filter(lambda c: c.area == AREA).flat_map(places).apply(speed)
cases = speeds.filter(lambda s: s.kmh > TOO_FAST)
hourly = cases.aggregate(ab.tumbling(time=3600), start=ab.start(), cases=ab.count(),
                         fastest=ab.max("kmh"))
hourly.write_stdout()
