"""Fraud: a rule tells the sum since the last one, and sets what is suspect."""

import anabranch as ab


class Event(ab.Record):
    at: int
    rule: int
    value: int


class Told(ab.Record):
    at: int
    suspect: int
    value: int


class Model(ab.State):
    total: int = 0
    suspect: int = -1


@ab.synchronized(tag=lambda e: e.rule, depends=lambda a, b: 1 in (a, b))
def watched(model: Model, e: Event):
    if e.rule:
        yield Told(e.at, 0, model.total)
        model.suspect = (model.total + e.value) % 1000
        model.total = 0
    else:
        model.total += e.value
        if e.value % 1000 == model.suspect:
            yield Told(e.at, 1, e.value)


watched.fork(lambda model, left, right: (model, Model(0, model.suspect)))
watched.join(lambda one, other: Model(one.total + other.total, one.suspect))


def run(source, target, **options):
    form = target.rstrip("/").rpartition(".")[2]
    events = getattr(ab, f"read_{form}")(source, Event, time="at")
    getattr(events.apply(watched), f"write_{form}")(target).run(**options)
