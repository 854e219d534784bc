"""Which stage next? The heuristics CT, LP, ET and QST on five pipelines.

This is Figure 8 of Prasaad et al., "Scaling Ordered Stream Processing on Shared-Memory Multicores".

There CT is the fastest throughout, LP equals it in Q1 and Q15, ET and QST stay behind. Here 16
workers have tuples that wait, so that any machine can tell.
"""

from __future__ import annotations

from anabranch.bench.measurement import Outcome, Setting
from anabranch.bench.workloads.pipelines import PIPELINES, WAITING, goals, over_all
from anabranch.bench.workloads.simulated import busy_share

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
