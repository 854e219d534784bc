"""Which stage next? The heuristics CT, LP, ET and QST on five pipelines.

This is Figure 8 of Prasaad et al., "Scaling Ordered Stream Processing on Shared-Memory Multicores".

There CT is the fastest throughout, LP equals it in Q1 and Q15, ET and QST stay behind.
"""

from __future__ import annotations

from anabranch.bench.measurement import Outcome, Setting
from anabranch.bench.workloads.pipelines import goals, over_all, plot

HEURISTICS = {name: {"heuristic": name} for name in ("CT", "LP", "ET", "QST")}


def measure(setting: Setting) -> Outcome:
    outcome = over_all(HEURISTICS, setting)
    return outcome.joined(Outcome(
        goals=goals(outcome, "CT", ("LP", "ET", "QST")),
        plots=[plot(outcome, "scheduling", "Heuristics on five pipelines", HEURISTICS)],
        notes=["in the paper, with up to 16 cores: CT the fastest in all, LP as fast in Q1 and "
               "Q15, ET and QST behind"]))
