"""Short runs beside the plain loop a user would write.

They are shown in nanoseconds of computing a row.

    python benchmarks/standalone/short.py [ROWS]

Time is that of the processors, not of the clock, medians of three; nothing is compiled.
"""

from __future__ import annotations

import csv
import os
import resource
import statistics
import sys
import tempfile
from pathlib import Path

os.environ["ANABRANCH_COMPILE"] = "here"

import anabranch as ab


class Payment(ab.Record):
    at: int
    uid: int
    amount: float


class Account(ab.State):
    total: float = 0.0


class Counts(ab.State):
    by: dict[int, int] = {}


@ab.operator(by="uid")
def running(state: Account, p: Payment):
    state.total += p.amount
    yield Payment(p.at, p.uid, state.total)


@ab.operator
def between(state: Account, p: Payment):
    if p.uid == 0:
        yield Payment(p.at, p.uid, state.total)
        state.total = 0.0
    else:
        state.total += p.amount


@ab.operator(by="uid")
def counted(state: Counts, p: Payment):
    state.by[p.at % 7] = state.by.get(p.at % 7, 0) + 1
    yield Payment(p.at, p.uid, float(state.by[p.at % 7]))


def halved(rows):
    return (Payment(p.at, p.uid, p.amount * 0.5) for p in rows if p.amount != 7.0)


def running_loop(rows):
    totals = {}
    for p in rows:
        total = totals[p.uid] = totals.get(p.uid, 0.0) + p.amount
        yield Payment(p.at, p.uid, total)


def between_loop(rows):
    total = 0.0
    for p in rows:
        if p.uid == 0:
            yield Payment(p.at, p.uid, total)
            total = 0.0
        else:
            total += p.amount


def counted_loop(rows):
    counts = {}
    for p in rows:
        own = counts.setdefault(p.uid, {})
        own[p.at % 7] = own.get(p.at % 7, 0) + 1
        yield Payment(p.at, p.uid, float(own[p.at % 7]))


CASES = {
    "filter and map": (lambda s: s.filter(lambda p: p.amount != 7.0).map(
        lambda p: Payment(p.at, p.uid, p.amount * 0.5)), halved),
    "running sum of each key": (lambda s: s.apply(running), running_loop),
    "sum between events": (lambda s: s.apply(between), between_loop),
    "dict in the state": (lambda s: s.apply(counted), counted_loop)}


def seconds() -> float:
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(u.ru_utime + u.ru_stime for u in used)


def timed(run, *given) -> float:
    def once() -> float:
        began = seconds()
        run(*given)
        return seconds() - began
    return statistics.median(once() for _ in range(3))


def from_list(steps, rows, engine: str) -> None:
    steps(ab.from_iterable(rows, Payment)).collect_into([]).run(engine=engine)


def from_file(steps, file: Path, engine: str) -> None:
    steps(ab.read_csv(file, Payment)).write_csv(file.with_name("ours.csv")).run(engine=engine)


def loop_over_list(loop, rows) -> list:
    return list(loop(rows))


def loop_over_file(loop, file: Path) -> None:
    with file.open(newline="") as given, file.with_name("loop.csv").open("w", newline="") as out:
        lines = csv.reader(given)
        next(lines)
        csv.writer(out).writerows(loop(Payment(int(a), int(u), float(x)) for a, u, x in lines))


def main(rows: int) -> None:
    items = [Payment(n, n * 7919 % 1000, n % 9973 / 8) for n in range(rows)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "in.csv"
        ab.from_iterable(items, Payment).write_csv(file).run(engine="sequential")
        for name, (steps, loop) in CASES.items():
            loops = timed(loop_over_list, loop, items), timed(loop_over_file, loop, file)
            for engine in ("sequential", "multicore"):
                ours = (timed(from_list, steps, items, engine),
                        timed(from_file, steps, file, engine))
                for form, mine, plain in zip(("list", "CSV"), ours, loops, strict=True):
                    print(f"{name:24} {form:5} {engine:11} loop {plain / rows * 1e9:6.0f}   "
                          f"ours {mine / rows * 1e9:6.0f}   {mine / plain:.2f} times", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
