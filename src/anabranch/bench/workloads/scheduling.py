"""Which stage next? The heuristics CT, LP, ET and QST on five pipelines.

This is Figure 8 of Prasaad et al., "Scaling Ordered Stream Processing on Shared-Memory Multicores".

There CT is the fastest throughout, LP equals it in Q1 and Q15, ET and QST stay behind.
"""

from __future__ import annotations

from anabranch.bench.measurement import Outcome, Setting
from anabranch.bench.workloads.pipelines import goals, over_all

HEURISTICS = {name: {"heuristic": name} for name in ("CT", "LP", "ET", "QST")}


def measure(setting: Setting) -> Outcome:
    outcome = over_all("scheduling", "Heuristics on five pipelines", HEURISTICS, setting)
    return outcome.joined(Outcome(goals=goals(outcome, "CT", ("LP", "ET", "QST"))))
