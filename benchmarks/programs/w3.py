"""W3, event windows: the sum of the values between two barriers."""

import anabranch as ab


class Event(ab.Record):
    barrier: int
    value: int


class Sum(ab.Record):
    total: int


class Window(ab.State):
    total: int = 0


@ab.operator
def between(state: Window, e: Event):
    if e.barrier:
        yield Sum(state.total)
        state.total = 0
    else:
        state.total += e.value


def run(source, target, **options):
    form = target.rstrip("/").rpartition(".")[2]
    events = getattr(ab, f"read_{form}")(source, Event)
    getattr(events.apply(between), f"write_{form}")(target).run(**options)
