"""How regions of plain Python scale with workers.

They are stateless, keyed, two keys with a shuffle between, and keys of which a few are hot.

Functions are plain Python that computes for about so many microseconds a row, and that no kernel
can take over. Every output is compared with that of one worker. A line of JSON for each
measurement: medians of the runs, and the ratio to one worker in the same process. `machine` is the
same ratio for as many processes that compute as much without any engine, run in turn with it: cores
that share their caches and clocks, or other machines' work on them, do not let it be the number of
workers. `of_machine` compares the two. `busy` is the part of their time that workers spend in the
program's functions, `parent_cpu_us_per_row` what the engine's own process computes meanwhile. Needs
NumPy and PyArrow, nothing else.

    python benchmarks/standalone/scaling.py [--us 20 100] [--workers 1 2 4] [--seconds 20]
                                            [--runs 3] [--only stateless keyed shuffle skew]
                                            [--stats]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.engine import multicore


class Event(ab.Record):
    k: int
    l: int  # noqa: E741
    v: float


class Total(ab.State):
    v: float = 0.0


def work(rounds: int) -> float:
    """What fills a dict stays plain Python."""
    x, seen = 1.0, {}
    for n in range(rounds):
        x = x * 1.0000001 + 0.5
        seen[n & 7] = x
    return sum(seen.values())


def rounds_for(microseconds: float) -> int:
    """The best of several tries: others may be at work on this machine."""
    tries = []
    for _ in range(9):
        began = time.perf_counter()
        work(100_000)
        tries.append(time.perf_counter() - began)
    return max(1, int(microseconds * 1e-6 * 100_000 / min(tries)))


def independent(rounds: int, rows: int, processes: int, when_free: bool = False) -> float:
    """The seconds that so many processes take for so many rows: each for its part of them, or for
    the next ones whenever it is free."""
    began = time.perf_counter()
    size = -(-rows // PARTS)
    children, parts = [], queued(rows // size) if when_free else None
    for part in range(processes):
        children.append(forked())
        if children[-1] == 0:
            own = range(part, rows, processes) if parts is None else taken(parts, size)
            for _ in own:
                work(rounds)
            os._exit(0)
    for child in children:
        os.waitpid(child, 0)
    if parts is not None:
        os.close(parts)
    return time.perf_counter() - began


PARTS = 4000
"""A pipe holds so many bytes, each of which stands for some rows."""


def queued(parts: int) -> int:
    """The end of a pipe from which processes take so many parts, as long as there are any."""
    reading, writing = os.pipe()
    os.write(writing, bytes(parts))
    os.close(writing)
    return reading


def taken(parts: int, size: int) -> Iterator[int]:
    """The rows of all parts that this process gets."""
    while os.read(parts, 1):
        yield from range(size)


def forked() -> int:
    with warnings.catch_warnings():
        # Newer Pythons warn of a fork beside other threads; a child here needs none of them.
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


known = lru_cache(work)
"""The same, computed once: for the right answer."""


def programs(rounds: int, events: list[Event], work: Callable[[int], float] = work
             ) -> dict[str, ab.Stream]:
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
            "shuffle": source.apply(by_k).apply(by_l), "skew": source.apply(by_k)}


def events_of(name: str, rows: int) -> list[Event]:
    """Most rows of `skew` have one of 40 keys."""
    if name == "skew":
        return [Event(i % 40 if i % 10 else i % 1009, i % 997, float(i)) for i in range(rows)]
    return [Event(i % 1009, i % 997, float(i)) for i in range(rows)]


def measured(plan, events: list[Event], rounds: int, workers: int, runs: int
             ) -> tuple[dict, list]:
    """The figures of some runs, and the output of the last."""
    seconds, alone, cpu, busy, stages, out = [], [], [], [], [], []
    stateful = sum(bool(op.variables) for op in plan.graph)
    sinks = {op.name for op in plan.graph.sinks}
    for _ in range(runs):
        alone.append(independent(rounds, len(events) * max(1, stateful), workers))
        out, stages = [], []
        before, began = os.times(), time.perf_counter()
        multicore.run(plan, {plan.graph.sources[0].name: events},
                      lambda op, item, out=out: out.append(item), workers=workers,
                      report=stages.extend)
        seconds.append(time.perf_counter() - began)
        after = os.times()
        cpu.append(after.user + after.system - before.user - before.system)
        busy.append(sum(stage.seconds for stage in stages if stage.operators[-1] not in sinks)
                    / seconds[-1] / workers)
    figures = {"seconds": statistics.median(seconds), "all_seconds": seconds,
               "without_engine": statistics.median(alone),
               "busy": statistics.median(busy),
               "parent_cpu_us_per_row": statistics.median(cpu) / len(events) * 1e6}
    return figures | {"stages": [stage.as_json() for stage in stages]}, out


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    cores = os.cpu_count() or 1
    parser.add_argument("--us", type=float, nargs="+", default=[20.0, 100.0])
    parser.add_argument("--workers", type=int, nargs="+",
                        default=[n for n in (1, 2, 4, 8, 16) if n <= cores])
    parser.add_argument("--seconds", type=float, default=20.0, help="of work, with one worker")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", nargs="+", default=["stateless", "keyed", "shuffle", "skew"])
    parser.add_argument("--stats", action="store_true", help="what each operator did, too")
    return parser.parse_args()


def scaled(name: str, cost: float, asked: argparse.Namespace) -> None:
    events, rounds = events_of(name, int(asked.seconds * 1e6 / cost)), rounds_for(cost)
    plan = compile_graph(programs(rounds, events)[name].graph())
    base, expected = None, None
    for workers in asked.workers:
        figures, out = measured(plan, events, rounds, workers, asked.runs)
        base, expected = base or figures, expected or out
        stages = figures.pop("stages")
        print(json.dumps({
            "region": name, "us": cost, "rows": len(events), "workers": workers,
            "times": base["seconds"] / figures["seconds"],
            "machine": base["without_engine"] / figures["without_engine"],
            "of_machine": figures["without_engine"] / figures["seconds"],
            "in_order": out == expected, **figures,
            **({"stages": stages} if asked.stats else {})}), flush=True)


def main() -> None:
    asked = arguments()
    print(json.dumps({"cores": os.cpu_count(), "python": sys.version.split()[0],
                      "machine": platform.platform(), "runs": asked.runs}), flush=True)
    for cost in asked.us:
        for name in asked.only:
            scaled(name, cost, asked)


if __name__ == "__main__":
    main()
