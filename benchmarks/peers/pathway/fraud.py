"""Fraud with Pathway: all events as one sorted tuple."""

import pathway as pw


class Event(pw.Schema):
    at: int
    rule: int
    value: int


def watched(events) -> list[tuple[int, int, int]]:
    found, total, suspect = [], 0, -1
    for at, rule, value in events:
        if rule:
            found.append((at, 0, total))
            total, suspect = 0, (total + value) % 1000
        else:
            total += value
            if value % 1000 == suspect:
                found.append((at, 1, value))
    return found


def run(source, target, workers):
    events = pw.io.csv.read(source, schema=Event, mode="static")
    whole = events.reduce(of=pw.reducers.sorted_tuple(
        pw.make_tuple(pw.this.at, pw.this.rule, pw.this.value)))
    told = whole.select(row=pw.apply(watched, pw.this.of)).flatten(pw.this.row)
    pw.io.csv.write(told.select(at=pw.this.row[0], suspect=pw.this.row[1], value=pw.this.row[2]),
                    target)
    pw.run(monitoring_level=pw.MonitoringLevel.NONE)
