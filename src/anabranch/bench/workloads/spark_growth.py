"""State growth: a batch that touches 10,000 keys must not cost more because more are known."""

from __future__ import annotations

from anabranch.bench import data
from anabranch.bench.measurement import Absent, Outcome, Setting
from anabranch.bench.runner import at_most
from anabranch.bench.workloads.spark import NO_STREAMING, streams

KNOWN = (10_000, 100_000, 1_000_000)
WANTED = 1.3
GOAL = "a batch with the most keys known, against the fewest"


def measure(setting: Setting) -> Outcome:
    reason = "how long a batch takes is not reported" if streams() else NO_STREAMING
    cases = [f"{max(data.UIDS, int(n * setting.scale)):,} keys known" for n in KNOWN]
    return Outcome(absent=[Absent(case, "anabranch", reason) for case in cases],
                   goals=[at_most(GOAL, None, WANTED)])
