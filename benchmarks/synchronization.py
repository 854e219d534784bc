"""How synchronization plans scale with workers: event windows, fraud detection, page views.

Updates of the first two are compiled, and compute for about so many microseconds; those of the last
are plain Python. The input is a Parquet file, the output too. Every output is compared with that of
one worker. A line of JSON for each measurement: medians, and the ratio to one worker in the same
process.

    python benchmarks/synchronization.py [--us 1 5] [--workers 1 2] [--rows 1000000] [--runs 3]
                                         [--every 10000] [--only windows fraud views]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import anabranch as ab
from anabranch.api.node import graph_of
from anabranch.compile import compile_graph
from anabranch.engine.base import RunOptions, execute


class Event(ab.Record):
    ts: int
    kind: str
    key: int
    value: int


class Sum(ab.State):
    total: int = 0
    suspect: int = -1


class Told(ab.Record):
    ts: int
    value: int


class Page(ab.State):
    info: int = 0


def windows(rounds: int):
    @ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: "sync" in (a, b))
    def summed(state: Sum, e: Event):
        if e.kind == "sync":
            yield Told(e.ts, state.total)
            state.total = 0
        else:
            x = e.value
            for _ in range(rounds):
                x = (x * 31 + 7) % 1009
            state.total += x

    summed.fork(lambda state, left, right: (Sum(state.total), Sum()))
    summed.join(lambda one, other: Sum(one.total + other.total))
    return summed


def fraud(rounds: int):
    @ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: "sync" in (a, b))
    def watched(model: Sum, e: Event):
        if e.kind == "sync":
            yield Told(e.ts, model.total)
            model.suspect = (model.total + e.value) % 1000
            model.total = 0
        else:
            x = e.value
            for _ in range(rounds):
                x = (x * 31 + 7) % 1009
            model.total += x
            if x == model.suspect:
                yield Told(e.ts, -x)

    watched.fork(lambda model, left, right: (Sum(model.total, model.suspect),
                                             Sum(0, model.suspect)))
    watched.join(lambda one, other: Sum(one.total + other.total, one.suspect))
    return watched


def views(rounds: int):
    """Two pages have nine of ten views. Opaque to the compiler, as functions of libraries are."""
    @ab.synchronized(by="key", tag=lambda e: e.kind, depends=lambda a, b: "sync" in (a, b),
                     pure=True)
    def joined(page: Page, e: Event):
        x = [e.value]
        for _ in range(rounds // 30):
            x[0] = (x[0] * 31 + 7) % 1009
        yield Told(e.ts, page.info + x[0])
        if e.kind == "sync":
            page.info = e.value

    joined.fork(lambda page, left, right: (Page(page.info), Page(page.info)))
    joined.join(lambda one, other: one)
    return joined


APPLICATIONS = {"windows": windows, "fraud": fraud, "views": views}


def events(rows: int, every: int, path: Path) -> None:
    """One event of `every` synchronizes."""
    place = np.arange(rows)
    mixed = (place * 2654435761) % 4294967296 // 7
    table = pa.table({"ts": place, "kind": np.where(place % every == every - 1, "sync", "value"),
                      "key": np.where(mixed % 10 == 0, mixed % 1000, mixed % 2),
                      "value": mixed % 1009})
    pq.write_table(table, path)


def rounds_for(microseconds: float) -> int:
    """Of the compiled loop: three operations on integers, with their checks."""
    return max(1, int(microseconds * 180))


def measured(name: str, rounds: int, path: Path, asked: argparse.Namespace) -> Iterator[dict]:
    folder = path.parent
    stream = ab.read_parquet(path, Event).apply(APPLICATIONS[name](rounds))
    stream.write_parquet(folder / "out.parquet")
    plan = compile_graph(graph_of([stream.node.readers[0]]))
    execute(plan, RunOptions(engine="multicore", workers=1))
    expected, alone = pq.read_table(folder / "out.parquet"), None
    for workers in asked.workers:
        seconds, same = [], True
        for _ in range(asked.runs):
            began = time.perf_counter()
            execute(plan, RunOptions(engine="multicore", workers=workers))
            seconds.append(time.perf_counter() - began)
            same = same and pq.read_table(folder / "out.parquet").equals(expected)
        median = statistics.median(seconds)
        alone = alone or median
        yield {"application": name, "workers": workers, "times": alone / median,
               "same": same, "rows_per_second": asked.rows / median, "seconds": seconds}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--us", type=float, nargs="+", default=[1.0, 5.0])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, os.cpu_count() or 2])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--every", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", nargs="+", default=list(APPLICATIONS))
    return parser.parse_args()


def main() -> None:
    asked = arguments()
    print(json.dumps({"cores": os.cpu_count(), "python": sys.version.split()[0],
                      "machine": platform.platform(), "every": asked.every}), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.parquet"
        events(asked.rows, asked.every, path)
        for cost in asked.us:
            for name in asked.only:
                for found in measured(name, rounds_for(cost), path, asked):
                    print(json.dumps({"us": cost, **found}), flush=True)


if __name__ == "__main__":
    main()
