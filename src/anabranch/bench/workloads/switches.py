"""One switch of the engine on five pipelines: Figures 11 and 14 of Prasaad et al., "Scaling Ordered
Stream Processing on Shared-Memory Multicores"."""

from __future__ import annotations

from anabranch.bench.measurement import Outcome, Setting
from anabranch.bench.workloads.pipelines import goals, over_all, plot

VARIANTS = {"queue": ("hybrid", "partitioned"), "reorder": ("non-blocking", "lock")}
PAPER = {"queue": "in the paper: hybrid much faster in all but Q15, the more so the more operators "
                  "are partitioned",
         "reorder": "in the paper: non-blocking faster in all of them"}


def measure(setting: Setting, switch: str) -> Outcome:
    first, second = VARIANTS[switch]
    variants = {name: {switch: name} for name in (first, second)}
    outcome = over_all(variants, setting)
    return outcome.joined(Outcome(
        goals=goals(outcome, first, (second,)), notes=[PAPER[switch]],
        plots=[plot(outcome, switch, f"{first} and {second} on five pipelines", variants)]))
