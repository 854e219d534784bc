"""What order costs: sequence numbers and pulses, against no order at all.

Functions multiply 1 to 10,000 times for each tuple, as in Schneider et al., "Auto-parallelizing
stateful distributed streaming applications", who measured 12 % and 21 % at most. Every turn runs
without order twice: what lies between those two is what the machine itself adds.

Without order, slices go on as they are finished. It is a switch for benchmarks alone; a program can
never ask for it.
"""

from __future__ import annotations

import resource
import statistics
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import anabranch as ab
from anabranch.engine.multicore.reorder import REORDERINGS, Downstream
from anabranch.plan.tuning import KNOWN
from benchmarks.measurement import Contender, Goal, Outcome, Plot, Run, Setting
from benchmarks.runner import at_most, compared
from benchmarks.workloads.engine.work import contender, plan_of, right_answer, rows_that_take

NAME = "none"


class NoReorder:
    """Hands everything on at once.

    >>> out = []
    >>> NoReorder(out.append, 4).send(7, "first come"), out
    (True, ['first come'])
    """

    held = 0

    def __init__(self, downstream: Downstream, size: int):
        self.downstream = downstream

    def send(self, number: int, output: object) -> bool:
        self.downstream(output)
        return True


@contextmanager
def order_may_be_lost() -> Iterator[None]:
    """`reorder="none"` is known to the knobs and to the engine inside."""
    known = KNOWN["reorder"]
    KNOWN["reorder"], REORDERINGS[NAME] = (*known, NAME), NoReorder
    try:
        yield
    finally:
        KNOWN["reorder"] = known
        del REORDERINGS[NAME]


MULTIPLICATIONS = (1, 10, 100, 1_000, 10_000)
TURNS = 9
"""A few percent are less than two runs of the same may differ: there are more runs than usual."""

ORDERED, FREE = "in order", ("no order", "no order again")
PLAIN = {"kernels": "never"}
"""A compilation in the middle of a run would be measured too."""

WANTED = {"sequence numbers": 3.0, "pulses": 5.0}
SECONDS = 1.0
SAMPLE = 1_000


class Item(ab.Record):
    at: int
    value: float


def multiplied(value: float, times: int) -> float:
    for _ in range(times):
        value = value * 1.0000001
    return value


def programs(times: int) -> dict[str, ab.Stream]:
    """One output for each tuple; and none for every other one, so numbers have gaps."""
    source = ab.from_iterable([], Item)

    @ab.operator
    def some(i: Item):
        value = multiplied(i.value, times)
        if i.at % 2:
            yield i.replace(value=value)
    return {"sequence numbers": source.map(lambda i: i.replace(value=multiplied(i.value, times))),
            "pulses": source.apply(some)}


def measure(setting: Setting) -> Outcome:
    outcome, computing = Outcome(), defaultdict(list)
    setting = replace(setting, repeat=max(TURNS, setting.repeat))
    with order_may_be_lost():
        for times in MULTIPLICATIONS:
            for strategy, stream in programs(times).items():
                outcome = outcome.joined(_compared(strategy, times, stream, setting, computing))
    seconds = {(m.case, m.contender): list(m.seconds) for m in outcome.measurements}
    return outcome.joined(Outcome(goals=_goals(seconds), plots=[_plot(seconds)],
                                  notes=_notes(seconds, computing)))


Seconds = dict[tuple[str, str], list[float]]
"""Of every case and contender, the seconds of each turn."""


def _items(rows: int) -> list[Item]:
    return [Item(i, float(i)) for i in range(rows)]


def _case(strategy: str, times: int) -> str:
    return f"{strategy}, {times:,} multiplications"


def _compared(strategy: str, times: int, stream: ab.Stream, setting: Setting,
              computing: Seconds) -> Outcome:
    plan, workers, case = plan_of(stream), setting.most_workers, _case(strategy, times)
    rows = rows_that_take(SECONDS * setting.scale, plan, _items(SAMPLE), workers)
    items = _items(rows)
    contenders = [contender(ORDERED, plan, items, workers, **PLAIN),
                  *(contender(name, plan, items, workers, ours=False, reorder=NAME, **PLAIN)
                    for name in FREE)]
    watched = [_watched(one, computing[case, one.name]) for one in contenders]
    return compared(case, watched, right_answer(plan, items), len(items), setting)


def _watched(one: Contender, computing: list[float]) -> Contender:
    """The contender, with the seconds that processors computed for it taken down."""
    def run() -> Run:
        before = _computed()
        done = one.run()
        computing.append(_computed() - before)
        return done
    return replace(one, run=run)


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
