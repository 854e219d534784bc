"""W2, network monitor: entries of each user in windows of five seconds.

Counts of more than 100 are kept.
"""

import anabranch as ab


class Entry(ab.Record):
    ts: int
    uid: int
    server: str
    msg: str


def busy(entries: ab.Stream) -> ab.Stream:
    counts = entries.aggregate(ab.tumbling(time=5000, on="ts"), by="uid",
                               start=ab.start(), n=ab.count())
    return counts.filter(lambda c: c.n > 100)


def run(source, target, **options):
    form = target.rstrip("/").rpartition(".")[2]
    entries = getattr(ab, f"read_{form}")(source, Entry)
    getattr(busy(entries), f"write_{form}")(target).run(**options)
