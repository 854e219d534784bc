"""W3 with Pathway: rows of its tables have no order, so they are numbered as they are read."""

import pathway as pw


class Event(pw.Schema):
    at: int
    barrier: int
    value: int


class Numbered(pw.io.python.ConnectorSubject):
    def __init__(self, source):
        super().__init__()
        self.source = source

    def run(self):
        with open(self.source) as lines:
            next(lines)
            for at, line in enumerate(lines):
                barrier, value = line.split(",")
                self.next(at=at, barrier=int(barrier), value=int(value))


def between(events) -> list[int]:
    sums, total = [], 0
    for _, barrier, value in events:
        if barrier:
            sums.append(total)
        total = 0 if barrier else total + value
    return sums


def run(source, target, workers):
    events = pw.io.python.read(Numbered(source), schema=Event, autocommit_duration_ms=None)
    whole = events.reduce(of=pw.reducers.sorted_tuple(
        pw.make_tuple(pw.this.at, pw.this.barrier, pw.this.value)))
    sums = whole.select(total=pw.apply(between, pw.this.of)).flatten(pw.this.total)
    pw.io.csv.write(sums, target)
    pw.run(monitoring_level=pw.MonitoringLevel.NONE)
