"""What a tuple costs a CQL query, by the size of its window.

    python benchmarks/standalone/windows.py [TUPLES MEASURED]

Windows hold 1,000 tuples and 1,000,000. The rate is the same: ten tuples a second, of a thousand
keys. A window is full before the measuring begins. The seconds are those of computing, so that
other work on the machine counts little.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator

from anabranch.engine.sequential import run as sequential
from anabranch.lang.cql import compiled

RATE, KEYS = 10, 1_000
SMALL, LARGE = 1_000, 1_000_000
QUERIES = {
    "group by": "select k, count(*), sum(v) from S [range {seconds}] group by k",
    "rows": "select k, count(*), sum(v) from S [rows {tuples}] group by k",
    "max": "select k, max(v) from S [range {seconds}] group by k",
    "distinct": "select distinct k from S [range {seconds}]",
}


def cost(query: str, tuples: int, measured: int) -> float:
    """Microseconds of computing for each tuple that comes when the window is full."""
    text = query.format(tuples=tuples, seconds=tuples // RATE)
    graph = compiled(f"S := {{int k, int v}} stream; {text};", "windows.cql")
    [source] = graph.sources
    marks: list[float] = []
    items = _tuples(graph.output_types(source)[0].cls, tuples, measured, marks)
    sequential.run(graph, {source.name: items}, lambda sink, item: None)
    return (marks[1] - marks[0]) / measured * 1e6


def _tuples(record: type, before: int, measured: int, marks: list[float]) -> Iterator[object]:
    some = random.Random(1)
    for i in range(before + measured):
        if i == before:
            marks.append(time.process_time())
        yield record(i // RATE, some.randrange(KEYS), some.randrange(1_000_000))
    marks.append(time.process_time())


def main(measured: int = 100_000) -> None:
    for name, query in QUERIES.items():
        small, large = cost(query, SMALL, measured), cost(query, LARGE, measured)
        print(f"{name:10} {small:7.2f} us with {SMALL:,} tuples   {large:7.2f} us with "
              f"{LARGE:,} tuples   {large / small:.2f} times", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
