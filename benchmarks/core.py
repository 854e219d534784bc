"""How long compiling takes, and how many rows a second the sequential engine does.

Medians of five runs. Absolute times belong to this machine; compare runs on one machine only.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from rich.console import Console
from rich.table import Table

import anabranch as ab
from anabranch.compile import compile_graph

RUNS = 5
ROWS = 200_000


class Event(ab.Record):
    key: int
    value: float


class Total(ab.State):
    value: float = 0.0


@ab.operator(by="key")
def running(state: Total, e: Event):
    state.value += e.value
    yield e.replace(value=state.value)


def event(i: int) -> Event:
    return Event(ab.noise(i) % 10_000, float(i % 100))


def chain(operators: int) -> ab.Stream:
    """A program of about so many operators, of all the usual kinds."""
    stream = ab.from_iterable([], Event)
    for i in range(operators // 4):
        stream = (stream.filter(lambda e: e.value > 0)
                  .map(lambda e, i=i: e.replace(value=e.value + i), to=Event)
                  .apply(running)
                  .aggregate(ab.tumbling(count=2), by="key", value=ab.sum("value"), into=Event))
    return stream


def running_sum(rows: int) -> ab.Stream:
    return ab.generate(event, rows).filter(lambda e: e.value != 7.0).apply(running)


def plain_loop(rows: int) -> list:
    """What a user would write by hand: the ceiling for one tuple at a time in Python."""
    totals: dict[int, float] = {}
    out = []
    for e in map(event, range(rows)):
        if e.value != 7.0:
            totals[e.key] = totals.get(e.key, 0.0) + e.value
            out.append(e.replace(value=totals[e.key]))
    return out


def median_seconds(work: Callable[[], object]) -> float:
    seconds = []
    for _ in range(RUNS):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds)


def main() -> None:
    graph = chain(200).graph()
    compiling = median_seconds(lambda: compile_graph(graph))
    building = median_seconds(lambda: chain(200).graph())
    sequential = median_seconds(lambda: running_sum(ROWS).collect())
    plain = median_seconds(lambda: plain_loop(ROWS))
    table = Table(title=f"core, median of {RUNS} runs")
    table.add_column("measure")
    table.add_column("result", justify="right")
    table.add_row(f"build a program of {len(graph.operators)} operators", f"{building:.3f} s")
    table.add_row(f"compile a program of {len(graph.operators)} operators", f"{compiling:.3f} s")
    table.add_row("filter, keyed sum: sequential engine", f"{ROWS / sequential:,.0f} rows/s")
    table.add_row("the same as a plain Python loop", f"{ROWS / plain:,.0f} rows/s")
    table.add_row("ratio", f"{sequential / plain:.2f} x the loop's time")
    Console().print(table)


if __name__ == "__main__":
    main()
