"""Fraud detection with a model that all workers share, and that every rule trains anew."""

from collections.abc import Iterator

import anabranch as ab


class Event(ab.Record):
    ts: int
    kind: str
    value: int


class Model(ab.State):
    total: int = 0
    suspect: int = -1


class Alert(ab.Record):
    ts: int
    kind: str
    value: int


@ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: "rule" in (a, b),
                 tags={"transaction": 1000, "rule": 1})
def watched(model: Model, e: Event) -> Iterator[Alert]:
    if e.kind == "rule":
        yield Alert(e.ts, "aggregate", model.total)
        model.suspect = (model.total + e.value) % 1000
        model.total = 0
    else:
        model.total += e.value
        if e.value % 1000 == model.suspect:
            yield Alert(e.ts, "fraud", e.value)


watched.fork(lambda model, left, right: (Model(model.total, model.suspect),
                                         Model(0, model.suspect)))
watched.join(lambda one, other: Model(one.total + other.total, one.suspect))

count = ab.param("transactions", 10_000)
transactions = ab.generate(lambda n: Event(n, "transaction", ab.noise(n) % 5000), count)
rules = ab.generate(lambda n: Event(1000 * (n + 1), "rule", ab.noise(n) % 100), count // 1000)
transactions.synchronize(watched, rules, on="ts").write_stdout()
