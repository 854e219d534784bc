"""Which stage next? The heuristics CT, LP, ET and QST on five pipelines.

This is Figure 8 of Prasaad et al., "Scaling Ordered Stream Processing on Shared-Memory Multicores".
There CT is the fastest throughout, LP equals it in Q1 and Q15, ET and QST stay behind. Here 16
workers have tuples that wait, so that any machine can tell.

In simulated time every row costs what the pipeline says, and nothing else takes time. So two
heuristics differ here only by what they choose, not by what else the machine does.

>>> busy_share("SL SF", "CT", workers=1, slices=4)
1.0
"""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass, field

from anabranch.engine.multicore.scheduler import TIME_SLICE, Scheduler, Shape
from anabranch.plan.tuning import Knobs
from benchmarks.measurement import Outcome, Setting
from benchmarks.workloads.engine.pipelines import COST, PIPELINES, WAITING, goals, over_all

HEURISTICS = {name: {"heuristic": name} for name in ("CT", "LP", "ET", "QST")}


def measure(setting: Setting) -> Outcome:
    outcome = over_all("scheduling", "Heuristics on five pipelines", HEURISTICS, setting, WAITING)
    return outcome.joined(Outcome(goals=goals(outcome, "CT", ("LP", "ET", "QST")),
                                  notes=[simulated(w) for w in (setting.most_workers, 16)]))


def simulated(workers: int) -> str:
    """What CT reaches of the best of the others where nothing but its choices counts.

    >>> simulated(2).partition("others: ")[2]
    'Q1 1.00, Q2 1.00, Q3 1.00, Q4 1.00, Q15 1.00'
    """
    def share(shape: str) -> float:
        others = max(busy_share(shape, name, workers) for name in HEURISTICS if name != "CT")
        return busy_share(shape, "CT", workers) / others
    found = ", ".join(f"{name} {share(shape):.2f}" for name, shape in PIPELINES.items())
    return f"in simulated time, {workers} workers, CT against the best of the others: {found}"


ROWS = 16
"""So many rows are in a slice, as on the clock."""


def busy_share(pipeline: str, heuristic: str, workers: int, slices: int = 400) -> float:
    """The part of their time in which the workers compute, until all slices have left."""
    run = _Simulation(pipeline.split(), heuristic, workers, slices)
    while run.left < slices:
        run.step()
    return round(run.busy / (workers * run.now), 6)


@dataclass
class _Simulation:
    """Workers, each at a slice of some stage until a time, and slices in the stages' worklists."""

    steps: list[str]
    heuristic: str
    workers: int
    slices: int
    now: float = 0.0
    busy: float = 0.0
    fed: int = 0
    left: int = 0
    begun: int = 0
    events: list[tuple] = field(default_factory=list)

    def __post_init__(self):
        most = {"SL": None, "PS": self.workers, "SF": 1}
        last = len(self.steps) - 1
        self.scheduler = Scheduler([Shape(step, most[step], () if place == last else (place + 1,))
                                    for place, step in enumerate(self.steps)], self.heuristic)
        self.idle, self.bound = self.workers, Knobs(self.workers).bound
        self.waiting = [deque() for _ in self.steps]
        self.done = [set() for _ in self.steps]
        self.next = [0] * len(self.steps)

    def step(self) -> None:
        """Feeds the first stage, gives idle workers something to do, and ends what ends first."""
        self._feed()
        while self.idle and (stage := self.scheduler.choose(
                list(map(len, self.waiting)), self.now)) is not None:
            self.idle -= 1
            self._begin(stage, self.now + TIME_SLICE)
        self.now, _, stage, number, until = heapq.heappop(self.events)
        self._end(stage, number)
        if self.waiting[stage] and self.now < until:
            self._begin(stage, until)
        else:
            self.scheduler.done(stage)
            self.idle += 1

    def _feed(self) -> None:
        while self.fed < self.slices and self.fed - self.left < self.bound:
            self.waiting[0].append(self.fed)
            self.scheduler.read(ROWS)
            self.fed += 1

    def _begin(self, stage: int, until: float) -> None:
        self.begun += 1
        heapq.heappush(self.events, (self.now + self._seconds(stage), self.begun, stage,
                                     self.waiting[stage].popleft(), until))

    def _end(self, stage: int, number: int) -> None:
        """Hands on in order what can be handed on."""
        self.scheduler.served(stage, ROWS, ROWS, self._seconds(stage))
        self.busy += self._seconds(stage)
        self.done[stage].add(number)
        while self.next[stage] in self.done[stage]:
            if stage + 1 < len(self.steps):
                self.waiting[stage + 1].append(self.next[stage])
            else:
                self.left += 1
            self.next[stage] += 1

    def _seconds(self, stage: int) -> float:
        return COST[self.steps[stage]] * 1e-6 * ROWS
