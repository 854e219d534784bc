"""W4 with Pathway."""

import pathway as pw


class Job(pw.Schema):
    at: int
    seed: int


def opaque(seed: int) -> int:
    seen = {}
    x = seed
    for _ in range(150):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        seen[x % 7] = x
    return sum(seen.values())


def run(source, target, workers):
    jobs = pw.io.csv.read(source, schema=Job, mode="static")
    pw.io.csv.write(jobs.select(pw.this.at, result=pw.apply(opaque, pw.this.seed)), target)
    pw.run(monitoring_level=pw.MonitoringLevel.NONE)
