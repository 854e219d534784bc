"""Event-based windows: the sum of the values between two barriers, a stream of their own."""

from collections.abc import Iterator

import anabranch as ab


class Event(ab.Record):
    ts: int
    kind: str
    value: int


class Sum(ab.State):
    total: int = 0


class Window(ab.Record):
    ts: int
    total: int


@ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: "barrier" in (a, b),
                 tags={"value": 1000, "barrier": 1})
def window_sum(state: Sum, e: Event) -> Iterator[Window]:
    if e.kind == "barrier":
        yield Window(e.ts, state.total)
        state.total = 0
    else:
        state.total += e.value


window_sum.fork(lambda state, left, right: (Sum(state.total), Sum()))
window_sum.join(lambda one, other: Sum(one.total + other.total))

count = ab.param("values", 10_000)
values = ab.generate(lambda n: Event(n, "value", ab.noise(n) % 100), count)
barriers = ab.generate(lambda n: Event(1000 * (n + 1), "barrier", 0), count // 1000)
values.synchronize(window_sum, barriers, on="ts").write_stdout()
