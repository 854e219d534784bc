"""Network monitoring: users who often send far more than is usual for the server they talk to."""

from collections.abc import Iterator

import anabranch as ab

MINUTE = 60


class Entry(ab.Record):
    ts: int
    server: str
    uid: int
    sent: int


class Traffic(ab.State):
    entries: int = 0
    total: int = 0


class Alert(ab.Record):
    uid: int
    start: int
    entries: int
    sent: int


@ab.operator(by="server")
def unusual(seen: Traffic, e: Entry) -> Iterator[Entry]:
    if seen.entries >= 20 and e.sent * seen.entries > 3 * seen.total:
        yield e
    seen.entries += 1
    seen.total += e.sent


def entry(n: int) -> Entry:
    uid = ab.noise(n) % 50
    greedy = uid < 5 and ab.noise(n, 1) % 3 == 0
    sent = 100 + ab.noise(n, 2) % (5_000 if greedy else 400)
    return Entry(n // 10, f"s{ab.noise(n, 3) % 8}", uid, sent)


entries = ab.generate(entry, ab.param("rows", 5_000), time="ts")
per_user = entries.apply(unusual).aggregate(
    ab.tumbling(time=MINUTE), by="uid", into=Alert,
    start=ab.start(), entries=ab.count(), sent=ab.sum("sent"))
per_user.filter(lambda a: a.entries > 3).write_stdout()
