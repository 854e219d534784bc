"""W2 with Pathway."""

import pathway as pw


class Entry(pw.Schema):
    ts: int
    uid: int
    server: str
    msg: str


def run(source, target, workers):
    entries = pw.io.csv.read(source, schema=Entry, mode="static")
    starts = entries.select(pw.this.uid, start=pw.this.ts // 5000 * 5000)
    counts = starts.groupby(pw.this.uid, pw.this.start).reduce(
        pw.this.uid, pw.this.start, n=pw.reducers.count())
    pw.io.csv.write(counts.filter(pw.this.n > 100), target)
    pw.run(monitoring_level=pw.MonitoringLevel.NONE)
