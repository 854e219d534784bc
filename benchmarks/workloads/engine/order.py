"""What order costs: each of the strategies against none, on the same operators.

Functions multiply 1 to 10,000 times for each tuple, as in Schneider et al., "Auto-parallelizing
stateful distributed streaming applications", who measured 12 % and 21 % at most. Every turn runs
without order twice: what lies between those two is what the machine itself adds.

A program without order has a sink that gave it up: its plan names *none*, and slices go on as they
are finished. With an ordered sink a map takes turns, and what drops tuples has sequence numbers and
pulses; sequence numbers alone are put into the plan of the map. What a plan names is looked at
before it runs, so a row says what was measured.

In the last case a few slices take long. In order all wait for them; without order nothing does.
What that costs is time on the way.
"""

from __future__ import annotations

import resource
import statistics
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.engine import multicore
from anabranch.plan.logical.plan import Ordering
from anabranch.plan.physical.multicore import MulticorePlan
from anabranch.plan.physical.stages import Sharing
from benchmarks.measurement import Contender, Goal, Outcome, Plot, Run, Setting
from benchmarks.runner import at_most, compared
from benchmarks.workloads.engine.work import plan_of, right_answer, rows_that_take, timed

MULTIPLICATIONS = (1, 10, 100, 1_000, 10_000)
TURNS = 9
"""A few percent are less than two runs of the same may differ: there are more runs than usual."""

ORDERED, FREE = "in order", ("no order", "no order again")
KNOBS = {"kernels": "never", "processes": "never", "double_check": "never"}
"""A compilation in the middle of a run would be measured too, and so would a move to processes."""

STRATEGIES = {"round-robin": Ordering.ROUND_ROBIN, "sequence numbers": Ordering.SEQNO,
              "pulses": Ordering.SEQNO_PULSES}
WANTED = {"round-robin": 3.0, "sequence numbers": 3.0, "pulses": 5.0}
SECONDS = 1.0
SAMPLE = 1_000
UNEVEN = "uneven slices"
EVERY, SLOW, QUICK = 50, 0.02, 0.0002
"""So many seconds each row waits, and one of so many waits longer."""


class Item(ab.Record):
    at: int
    value: float


def multiplied(value: float, times: int) -> float:
    for _ in range(times):
        value = value * 1.0000001
    return value


def programs(times: int) -> dict[str, ab.Stream]:
    """One output for each tuple; and none for every other one."""
    source = ab.from_iterable([], Item)

    @ab.operator
    def some(i: Item):
        value = multiplied(i.value, times)
        if i.at % 2:
            yield i.replace(value=value)
    each = source.map(lambda i: i.replace(value=multiplied(i.value, times)))
    return {"round-robin": each, "sequence numbers": each, "pulses": source.apply(some)}


def physical(stream: ab.Stream, ordering: Ordering, workers: int, **knobs: object
             ) -> MulticorePlan:
    """The plan of a stream that keeps its order like this. Of the strategies only sequence numbers
    alone are not what the program leads to by itself."""
    graph = stream.graph()
    if ordering is Ordering.NONE:
        graph = graph.with_operators(
            replace(op, kind=replace(op.kind, ordered=False)) if op.is_sink else op for op in graph)
    plan = multicore.multicore_plan(compile_graph(graph),
                                    multicore.tuning_of(workers, **KNOBS, **knobs))
    if ordering is Ordering.SEQNO:
        plan = replace(plan, stages=tuple(
            replace(stage, ordering=ordering) if stage.sharing is Sharing.ANY else stage
            for stage in plan.stages))
    named = {stage.ordering for stage in plan.stages if stage.sharing is Sharing.ANY}
    if named != {ordering}:
        raise ValueError(f"the plan keeps order by {named}, not by {ordering}")
    return plan


def contender(name: str, plan: MulticorePlan, items: list[Item], computing: list[float],
              delays: list[float] | None = None) -> Contender:
    """The plan as it is; `computing` takes down the seconds that processors computed for each run,
    and `delays` the mean seconds from an item's intake to its output."""
    source = plan.graph.sources[0].name

    def run() -> Run:
        before, came, left = _computed(), [], []

        def noted() -> Iterator[Item]:
            for item in items:
                came.append(time.perf_counter())
                yield item

        def work(emit) -> None:
            def noting(op, item) -> None:
                left.append(time.perf_counter())
                emit(op, item)
            given, to = (iter(items), emit) if delays is None else (noted(), noting)
            multicore.execute(plan, {source: given}, to)
        done = timed(work)
        computing.append(_computed() - before)
        if delays is not None:
            delays.append((sum(left) - sum(came)) / len(items))
        return done
    return Contender(name, run, ours=name == ORDERED)


def measure(setting: Setting) -> Outcome:
    outcome, computing = Outcome(), defaultdict(list)
    setting = replace(setting, repeat=max(TURNS, setting.repeat))
    for times in MULTIPLICATIONS:
        for strategy, stream in programs(times).items():
            outcome = outcome.joined(_compared(strategy, times, stream, setting, computing))
    seconds = {(m.case, m.contender): list(m.seconds) for m in outcome.measurements}
    return outcome.joined(Outcome(goals=_goals(seconds), plots=[_plot(seconds)],
                                  notes=_notes(seconds, computing))).joined(_uneven(setting))


def _uneven(setting: Setting) -> Outcome:
    workers, items = max(2, setting.most_workers), _items(max(50, int(400 * setting.scale)))

    @ab.operator(pure=True)
    def waits(i: Item):
        time.sleep(QUICK if i.at % EVERY else SLOW)
        yield i
    stream = ab.from_iterable([], Item).apply(waits)
    delays: dict[str, list[float]] = {ORDERED: [], FREE[0]: []}
    ways = zip(delays, (Ordering.ROUND_ROBIN, Ordering.NONE))
    contenders = [contender(name, physical(stream, ordering, workers, slice_size=1), items, [],
                            delays[name]) for name, ordering in ways]
    found = compared(UNEVEN, contenders, right_answer(plan_of(stream), items), len(items), setting)
    told = ", ".join(f"{1000 * statistics.median(taken):.2f} ms {name}"
                     for name, taken in delays.items() if taken)
    return found.joined(Outcome(notes=[f"{UNEVEN}: the mean time to an output is {told}"]))


Seconds = dict[tuple[str, str], list[float]]
"""Of every case and contender, the seconds of each turn."""


def _items(rows: int) -> list[Item]:
    return [Item(i, float(i)) for i in range(rows)]


def _case(strategy: str, times: int) -> str:
    return f"{strategy}, {times:,} multiplications"


def _compared(strategy: str, times: int, stream: ab.Stream, setting: Setting,
              computing: Seconds) -> Outcome:
    plan, workers, case = plan_of(stream), max(2, setting.most_workers), _case(strategy, times)
    items = _items(rows_that_take(SECONDS * setting.scale, plan, _items(SAMPLE), workers))
    kept = physical(stream, STRATEGIES[strategy], workers)
    free = physical(stream, Ordering.NONE, workers)
    contenders = [contender(name, kept if name == ORDERED else free, items, computing[case, name])
                  for name in (ORDERED, *FREE)]
    return compared(case, contenders, right_answer(plan, items), len(items), setting)


def _computed() -> float:
    """The seconds that this process and those of its children that have ended computed so far."""
    own, ended = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + ended.ru_utime + ended.ru_stime


def _turns(seconds: Seconds, strategy: str, times: int) -> list[tuple[float, float, float]]:
    """The seconds of the ordered run and of the two others, turn by turn."""
    found = [seconds.get((_case(strategy, times), name), []) for name in (ORDERED, *FREE)]
    return list(zip(*found))


def _overheads(seconds: Seconds, strategy: str) -> list[tuple[float, float]]:
    """In percent of the time without order, for each number of multiplications: the median over
    the turns, in each of which all run one after the other and meet the same machine."""
    return _medians(seconds, strategy, lambda one, free, again: 2 * one / (free + again) - 1)


def _noises(seconds: Seconds, strategy: str) -> list[tuple[float, float]]:
    """By how many percent two runs of the same differ."""
    return _medians(seconds, strategy, lambda one, free, again: abs(free / again - 1))


def _medians(seconds: Seconds, strategy: str, part) -> list[tuple[float, float]]:
    turns = {times: _turns(seconds, strategy, times) for times in MULTIPLICATIONS}
    return [(times, 100 * statistics.median(part(*turn) for turn in found))
            for times, found in turns.items() if found]


def _worst(points: list[tuple[float, float]]) -> float | None:
    return max((percent for _, percent in points), default=None)


def _goals(seconds: Seconds) -> list[Goal]:
    return [at_most(f"{strategy}, overhead at its worst", _worst(_overheads(seconds, strategy)),
                    wanted, "%") for strategy, wanted in WANTED.items()]


def _notes(seconds: Seconds, computing: Seconds) -> list[str]:
    told = ["order costs the most where a tuple is the cheapest; goals are for the worst case"]
    for strategy in WANTED:
        spent, noise = _worst(_overheads(computing, strategy)), _worst(_noises(seconds, strategy))
        if spent is not None and noise is not None:
            told.append(f"{strategy}: {spent:.1f} % more computing at the worst; two runs without "
                        f"order differ by {noise:.1f} %")
    return told


def _plot(seconds: Seconds) -> Plot:
    return Plot("order", "What order costs", "multiplications for each tuple", "overhead in %",
                {strategy: _overheads(seconds, strategy) for strategy in WANTED}, log=True)
