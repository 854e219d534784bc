"""What these workloads share: work of a known cost, and its contenders.

Streams begin and end in memory, so that nothing but the engine is measured.
"""

from __future__ import annotations

import statistics
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

import pyarrow as pa

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.core.errors import AnabranchError
from anabranch.engine import multicore
from anabranch.engine.sequential import run as sequential
from anabranch.plan.logical.plan import Plan
from anabranch.runtime.ends.reading import Many
from benchmarks.measurement import Contender, NotThere, Run

BLOCK = memoryview(bytes(1 << 20))


def compute(length: int) -> int:
    """Work without the interpreter's lock: a checksum over so many bytes."""
    sum_ = 0
    for begin in range(0, length, len(BLOCK)):
        sum_ = zlib.crc32(BLOCK[:length - begin], sum_)
    return sum_


@lru_cache(maxsize=1)
def bytes_of_a_microsecond() -> float:
    """How many bytes of a checksum take a microsecond here: the best of some trials."""
    def seconds() -> float:
        began = time.perf_counter()
        compute(len(BLOCK))
        return time.perf_counter() - began
    return len(BLOCK) / (min(seconds() for _ in range(7)) * 1e6)


def length_for(microseconds: float) -> int:
    """The length of a checksum that takes about so long; long enough to let others compute."""
    return max(6_000, int(microseconds * bytes_of_a_microsecond()))


def rows_for(microseconds: float, seconds: float, scale: float = 1.0) -> int:
    """So many rows of that cost make so many seconds of work."""
    return max(50, int(seconds * scale * 1e6 / microseconds))


def rows_that_take(seconds: float, plan: Plan, sample: list, workers: int) -> int:
    """About so many rows keep the engine busy for so long: judged by its second run of a sample,
    when what can be compiled is."""
    trial = contender("trial", plan, sample, workers)
    trial.run()
    return max(50, int(len(sample) * seconds / trial.run().seconds))


@dataclass(frozen=True)
class InPieces:
    """Items that come so many at once, as from a source that is read while it is written."""

    items: list
    size: int
    in_bulk = True

    def __iter__(self) -> Iterator[object]:
        return iter(self.items)

    def pieces(self, together: bool = False) -> Iterator[Many]:
        return (Many(self.items[begin:begin + self.size])
                for begin in range(0, len(self.items), self.size))

    def took(self, rows: int) -> None:
        """Nobody wants to know how many have been taken."""


def right_answer(plan: Plan, items: Iterable[object]) -> pa.Table:
    """What the sequential engine gives."""
    return in_sequence(plan, items).run().answer


def contender(name: str, plan: Plan, items: Iterable[object], workers: int, ours: bool = True,
              **knobs: object) -> Contender:
    """The plan on the multicore engine with these knobs."""
    def run(emit: Callable) -> None:
        multicore.run(plan, _sources(plan, items), emit, workers=workers, **knobs)
    return Contender(name, partial(timed, run), ours)


def clocked(name: str, plan: Plan, items: list, workers: int, tell: Callable[[float], None],
            begun: list[float] | None = None, **knobs: object) -> Contender:
    """The same for a plan with one output for each item; `tell` is given the mean time to an item's
    output in milliseconds, from its intake or from when the program noted it in `begun`."""
    def run() -> Run:
        taken, given = [], []

        def noted() -> Iterator[object]:
            for item in items:
                taken.append(time.perf_counter())
                yield item

        def work(emit: Callable) -> None:
            def noting(op, item) -> None:
                given.append(time.perf_counter())
                emit(op, item)
            multicore.run(plan, _sources(plan, noted()), noting, workers=workers, **knobs)
        found = timed(work)
        tell(1000 * statistics.fmean(g - t for t, g in zip(begun or taken, given)))
        return found
    return Contender(name, run, ours=True)


def in_sequence(plan: Plan, items: Iterable[object]) -> Contender:
    """The plan on the sequential engine."""
    def run(emit: Callable) -> None:
        sequential.run(plan.program, _sources(plan, items), emit)
    return Contender("sequential", partial(timed, run), ours=True)


def timed(run: Callable[[Callable], None]) -> Run:
    """How long it takes, and what it emits."""
    out: list = []
    began = time.perf_counter()
    try:
        run(lambda op, item: out.append(item))
    except AnabranchError as error:
        raise NotThere(f"it failed: {error.what}") from error
    return Run(time.perf_counter() - began, table(out))


def plan_of(stream: ab.Stream) -> Plan:
    return compile_graph(stream.graph())


def warm_plan_of(stream: ab.Stream, items: list, workers: int) -> Plan:
    """The same after a run of some items: what a process loads once is there then."""
    plan = plan_of(stream)
    contender("warm up", plan, items[:50], workers, processes="never").run()
    return plan


def table(items: list) -> pa.Table:
    """Items as the rows of a table; an item that is no record is its only column."""
    rows = [item if isinstance(item, tuple) else (item,) for item in items]
    return pa.table({f"c{n}": column for n, column in enumerate(zip(*rows))}) if rows else \
        pa.table({})


def _sources(plan: Plan, items: Iterable[object]) -> dict[str, Iterable[object]]:
    return {plan.graph.sources[0].name: items if isinstance(items, InPieces) else iter(items)}
