"""How regions of compiled operators scale with workers.

They are stateless, keyed, and two keys with a shuffle between, from an Arrow table to an Arrow
table.

Each operator multiplies so many times for a row, as the operators of Schneider et al. do. Every
output is compared with that of one worker. A line of JSON for each measurement: medians of the runs
after a first one that compiles. `machine` is how many times faster as many threads are than one
with the same loop and no engine, run in turn with it.

    python benchmarks/standalone/compiled_scaling.py [--multiplications 300 10000]
                                                     [--rows 100000] [--workers 1 2 4] [--runs 3]
                                                     [--only stateless keyed shuffle]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
from numba import njit

import anabranch as ab

KEYS, OTHER_KEYS = 1009, 997


class Event(ab.Record):
    k: int
    l: int  # noqa: E741
    v: float


class Value(ab.State):
    v: float = 0.0


def programs(source: ab.Stream, count: int) -> dict[str, ab.Stream]:
    def multiplied(e: Event) -> Event:
        x = e.v
        for _ in range(count):
            x = x * 0.9999999 + 0.5
        return e.replace(v=x)

    def running(state: Value, e: Event):
        x = state.v + e.v
        for _ in range(count):
            x = x * 0.9999999 + 0.5
        state.v = x
        yield e.replace(v=x)

    by_k, by_l = ab.operator(by="k")(running), ab.operator(by="l")(running)
    return {"stateless": source.map(multiplied), "keyed": source.apply(by_k),
            "shuffle": source.apply(by_k).apply(by_l)}


def table_of(rows: int) -> pa.Table:
    n = np.arange(rows)
    return pa.table({"k": n % KEYS, "l": n % OTHER_KEYS, "v": n.astype(float)})


@njit(nogil=True)
def _alone(rows, count):
    total = 0.0
    for row in range(rows):
        x = float(row)
        for _ in range(count):
            x = x * 0.9999999 + 0.5
        total += x
    return total


def seconds_alone(rows: int, count: int, threads: int) -> float:
    """What so many threads take for as many multiplications, without any engine."""
    with ThreadPoolExecutor(threads) as pool:
        began = time.perf_counter()
        list(pool.map(lambda part: _alone(rows // threads, count), range(threads)))
        return time.perf_counter() - began


def scaled(name: str, count: int, asked: argparse.Namespace) -> None:
    source = ab.from_arrow(table_of(asked.rows), Event)
    steps, first, expected = 2 if name == "shuffle" else 1, None, None
    for workers in asked.workers:
        taken, alone = [], []
        for _ in range(asked.runs + 1):
            began = time.perf_counter()
            found = programs(source, count)[name].to_arrow(workers=workers)
            taken.append(time.perf_counter() - began)
            alone.append(seconds_alone(asked.rows * steps, count, workers))
        seconds, without = statistics.median(taken[1:]), statistics.median(alone[1:])
        first, expected = first or (seconds, without), expected or found
        print(json.dumps({
            "region": name, "multiplications": count, "rows": asked.rows, "workers": workers,
            "seconds": round(seconds, 4), "times": round(first[0] / seconds, 2),
            "machine": round(first[1] / without, 2), "in_order": found.equals(expected)}),
            flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    cores = os.cpu_count() or 1
    parser.add_argument("--multiplications", type=int, nargs="+", default=[300, 10_000])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--workers", type=int, nargs="+",
                        default=[n for n in (1, 2, 4, 8, 16) if n <= cores])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", nargs="+", default=["stateless", "keyed", "shuffle"])
    return parser.parse_args()


if __name__ == "__main__":
    asked = arguments()
    for count in asked.multiplications:
        for name in asked.only:
            scaled(name, count, asked)
