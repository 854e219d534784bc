"""One switch of the engine on five pipelines.

These are Figures 11 and 14 of Prasaad et al., "Scaling Ordered Stream Processing on Shared-Memory
Multicores".
"""

from __future__ import annotations

from benchmarks.measurement import Outcome, Setting
from benchmarks.workloads.engine.pipelines import COMPUTING, WAITING, goals, over_all

VARIANTS = {"queue": ("hybrid", "partitioned"), "reorder": ("non-blocking", "lock")}
LOADS = {"queue": WAITING, "reorder": COMPUTING}
"""Two workers find something in any queue; how they meet at a buffer is seen where they compute."""


def measure(setting: Setting, switch: str) -> Outcome:
    first, second = VARIANTS[switch]
    outcome = over_all(switch, f"{first} and {second} on five pipelines",
                       {name: {switch: name} for name in (first, second)}, setting, LOADS[switch])
    return outcome.joined(Outcome(goals=goals(outcome, first, (second,))))
