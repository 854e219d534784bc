"""Plans of workers: how they scale, what events and heartbeats cost.

The applications are those of Kallas et al., "Stream Processing with Dependency-Guided
Synchronization". Where the input comes in pieces, each tells how far it has come, which is what a
heartbeat does there, so the size of a piece says how many heartbeats come with each synchronizing
event.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median

import pyarrow.parquet as pq

import anabranch as ab
from anabranch.batch.buckets import spread
from anabranch.core.errors import AnabranchError
from anabranch.engine.run import execute
from anabranch.plan.logical.plan import Plan
from anabranch.plan.tuning import costs
from anabranch.runtime.options import RunOptions
from benchmarks.measurement import Contender, NotThere, Outcome, Plot, Run, Setting
from benchmarks.programs.synchronized import APPLICATIONS, Event, Told, events, program
from benchmarks.runner import at_least, compared, ratio, workers
from benchmarks.standalone import scaling as script
from benchmarks.workloads.engine.work import InPieces, contender, plan_of, right_answer

EVERY = 10_000
RATES = (100, 1_000, 10_000, 100_000, None)
HEARTBEATS = (1, 10, 100, 1_000)
COMPILED, OF_A_VIEW, PYTHON = 1.0, 2.0, 20.0
COSTS = {"windows": COMPILED, "fraud": COMPILED, "views": OF_A_VIEW, "views in Python": PYTHON}
"""Microseconds of an update of each application, compiled or in plain Python. Of views each gives
an output."""
WANTED = {2: 1.7, 12: 9.0}
"""How many times one worker so many are to be."""
SECONDS_OF_EACH = 2.0
"""So long each worker computes if all share the work: to start them (twelve processes: 0.15 s) must
not count for much."""
_numbers = itertools.count()


def measure(setting: Setting, part: str) -> Outcome:
    return {"applications": _applications, "pages": _pages, "rates": _rates,
            "heartbeats": _heartbeats}[part](setting)


def _applications(setting: Setting) -> Outcome:
    outcome, counts = Outcome(), sorted({1, *setting.workers})
    for name, cost in COSTS.items():
        outcome = outcome.joined(_compared(
            name, setting, cost, EVERY, {workers(n): (name, n) for n in counts}))
        outcome = outcome.joined(Outcome(goals=[
            at_least(f"{name}: {n} workers against one",
                     ratio(outcome, name, workers(n), workers(1)), wanted)
            for n, wanted in WANTED.items()]))
    lines = {name: [(n, times) for n in counts
                    if (times := ratio(outcome, name, workers(n), workers(1)))]
             for name in COSTS}
    return outcome.joined(Outcome(notes=_machine(counts, _rows(setting, PYTHON)), plots=[Plot(
        "workers", "Synchronization plans", "workers", "times one worker", lines)]))


def _machine(counts: list[int], rows: int) -> list[str]:
    """What the machine itself gives to plain Python, which is what views there can gain at most."""
    rounds = script.rounds_for(PYTHON)
    return ["plain Python in processes without any engine, times one process, "
            + ", ".join(f"{how} ({_gains(rounds, counts, rows, when_free)})"
                        for how, when_free in (("in equal parts", False),
                                               ("as each is free", True)))]


def _gains(rounds: int, counts: list[int], rows: int, when_free: bool) -> str:
    """Medians of three; one process has the share of one of the most."""
    def seconds(rows: int, processes: int) -> float:
        return median(script.independent(rounds, rows, processes, when_free) for _ in range(3))

    alone = counts[-1] * seconds(rows // counts[-1], 1)
    return ", ".join(f"{n}: {alone / seconds(rows, n):.2f}" for n in counts if n > 1)


TWO_PAGES = "all views are of two pages in one bucket"
ONE_PAGE = "17 of 20 views are of one page"
BY_KEY, SPLIT = "by key only", "hot keys split"


def _pages(setting: Setting) -> Outcome:
    outcome, workers = Outcome(), setting.most_workers
    for kind, cost in (("views", OF_A_VIEW), ("views in Python", PYTHON)):
        for pages, own in ((TWO_PAGES, _neighbours(workers)), (ONE_PAGE, ())):
            case = f"{kind}: {pages}"
            outcome = outcome.joined(_compared(case, setting, cost, EVERY, {
                BY_KEY: (f"{kind} by key", workers), SPLIT: (kind, workers)}, own))
        case = f"{kind}: {TWO_PAGES}"
        outcome = outcome.joined(Outcome(goals=[at_least(
            f"{case}: {SPLIT} against keys only", ratio(outcome, case, SPLIT, BY_KEY), 1.6)]))
    return outcome.joined(Outcome(notes=[
        f"{ONE_PAGE}: the worker of that page has 85 % of the work, so that splitting it gains "
        "1.7 times at the very most", *_machine([1, workers], _rows(setting, PYTHON))]))


def _neighbours(workers: int) -> list[int]:
    """Two pages whose hashes lead to the same bucket, so that by key one worker has all of both.

    >>> _neighbours(2)
    [0, 22]
    """
    bucket_of = partial(spread, buckets=costs().buckets_per_worker * workers)
    same = (page for page in itertools.count() if bucket_of(page) == bucket_of(0))
    return list(itertools.islice(same, 2))


def _rates(setting: Setting) -> Outcome:
    outcome, points = Outcome(), []
    for every in RATES:
        case = f"one of {every:,}" if every else "none"
        found = _compared(case, setting, COMPILED, every,
                          {"anabranch": ("fraud", setting.most_workers)})
        outcome = outcome.joined(found)
        if every and (made := found.of(case, "anabranch")):
            points.append((every, made.rows_per_second))
    some, none = (outcome.of(case, "anabranch") for case in (f"one of {EVERY:,}", "none"))
    times = none.median / some.median if some and none else None
    return outcome.joined(Outcome(
        goals=[at_least(f"one synchronizing event of {EVERY:,} against none", times, 0.9)],
        plots=[Plot("rates", "Synchronizing events", "one of so many events",
                    "events a second", {"fraud": points}, log=True)]))


def _heartbeats(setting: Setting) -> Outcome:
    outcome, lines = Outcome(), {}
    for name, cost in COSTS.items():
        case, rows = f"heartbeats: {name}", min(20 * EVERY, _rows(setting, cost))
        given = events(rows, EVERY, setting.folder / f"events-{next(_numbers)}.parquet")
        items = [Event(*row.values()) for row in pq.read_table(given).to_pylist()]
        plan = plan_of(ab.from_iterable(items, Event).apply(APPLICATIONS[name](cost), to=Told))
        outcome = outcome.joined(compared(case, [
            contender(f"{n:,} for each", plan, InPieces(items, EVERY // n), setting.most_workers)
            for n in HEARTBEATS], right_answer(plan, items), rows, setting))
        lines[name] = [(n, made.rows_per_second) for n in HEARTBEATS
                       if (made := outcome.of(case, f"{n:,} for each"))]
    return outcome.joined(Outcome(plots=[Plot(
        "heartbeats", "Heartbeats", "heartbeats for each synchronizing event",
        "events a second", lines, log=True)]))


Way = tuple[str, int]
"""An application, and how many workers it has."""


def _compared(case: str, setting: Setting, cost: float, every: int | None,
              ways: dict[str, Way], pages: Sequence[int] = ()) -> Outcome:
    """The same input for all ways, of which the first gives the answer on one worker. What workers
    do together is compiled in a run that is not measured."""
    rows = _rows(setting, cost)
    given = events(rows, every, setting.folder / f"events-{next(_numbers)}.parquet", pages=pages)
    out = given.with_name("out.parquet")
    plans = {name: program(name, cost, given, out) for name, _ in ways.values()}
    setting.tell(f"{case}: the right answer, by one worker")
    right = _run(next(iter(plans.values())), out, 1).answer
    for name, many in ways.values():
        if many == setting.most_workers > 1:
            setting.tell(f"{case}: {name} with {workers(many)}, to warm up")
            _run(plans[name], out, many)
    contenders = [Contender(shown, partial(_run, plans[name], out, many), ours=True)
                  for shown, (name, many) in ways.items()]
    return compared(case, contenders, right, rows, setting)


def _rows(setting: Setting, cost: float) -> int:
    seconds = SECONDS_OF_EACH * setting.most_workers * setting.scale
    return max(1_000, int(seconds * 1e6 / cost))


def _run(plan: Plan, out: Path, workers: int) -> Run:
    try:
        report = execute(plan, RunOptions("multicore", workers))
    except AnabranchError as error:
        raise NotThere(f"it failed: {error.what}") from error
    return Run(report.seconds, pq.read_table(out))
