"""How regions scale with workers: stateless, keyed, and two keys with a shuffle between.

Functions are plain Python that computes for about so many microseconds a row. Every output is
compared with that of one worker; medians of three runs; the ratio is to one worker.

    python benchmarks/scaling.py [MICROSECONDS ...]
"""

from __future__ import annotations

import os
import statistics
import sys
import time

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.engine import multicore

RUNS = 3
SECONDS_OF_WORK = 4.0


class Event(ab.Record):
    k: int
    l: int  # noqa: E741
    v: float


class Total(ab.State):
    v: float = 0.0


def work(rounds: int) -> float:
    x = 1.0
    for _ in range(rounds):
        x = x * 1.0000001 + 0.5
    return x


def rounds_for(microseconds: float) -> int:
    began = time.perf_counter()
    work(200_000)
    return max(1, int(microseconds * 1e-6 * 200_000 / (time.perf_counter() - began)))


def programs(rounds: int, events: list[Event]) -> dict[str, ab.Stream]:
    def heavy(e: Event) -> Event:
        return e.replace(v=e.v + work(rounds))

    @ab.operator(by="k")
    def by_k(state: Total, e: Event):
        state.v += work(rounds)
        yield e.replace(v=state.v)

    @ab.operator(by="l")
    def by_l(state: Total, e: Event):
        state.v += work(rounds)
        yield e.replace(v=state.v)

    source = ab.from_iterable(events, Event)
    return {"stateless": source.map(heavy), "keyed": source.apply(by_k),
            "shuffle": source.apply(by_k).apply(by_l)}


def measured(plan, events: list[Event], workers: int) -> tuple[float, list]:
    seconds, outputs = [], []
    for _ in range(RUNS):
        outputs.append([])
        began = time.perf_counter()
        multicore.run(plan, {plan.graph.sources[0].name: events},
                      lambda op, item, out=outputs[-1]: out.append(item), workers=workers)
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds), outputs[-1]


def main() -> None:
    costs = [float(c) for c in sys.argv[1:]] or [20.0, 100.0]
    counts = [n for n in (1, 2, 4, 8, 16) if n <= (os.cpu_count() or 1)]
    print(f"{os.cpu_count()} cores, Python {sys.version.split()[0]}, median of {RUNS} runs")
    print(f"{'region':>10} {'us/row':>7} " + " ".join(f"{f'{n} workers':>12}" for n in counts))
    for cost in costs:
        rounds, rows = rounds_for(cost), int(SECONDS_OF_WORK * 1e6 / cost)
        events = [Event(i % 1009, i % 997, float(i)) for i in range(rows)]
        for name, stream in programs(rounds, events).items():
            plan = compile_graph(stream.graph())
            cells, base, expected = [], None, None
            for workers in counts:
                seconds, out = measured(plan, events, workers)
                base, expected = base or seconds, expected or out
                assert out == expected, f"{name} with {workers} workers is not in order"
                cells.append(f"{seconds:5.2f}s {base / seconds:4.1f}x")
            print(f"{name:>10} {cost:>7.0f} " + " ".join(f"{c:>12}" for c in cells), flush=True)


if __name__ == "__main__":
    main()
