"""The query log analyzer in Sawzall, against a plain Python loop.

Ours is measured from the program's text to its tables. The programs are those of
`benchmarks/standalone/sawzall.py`.
"""

from __future__ import annotations

from benchmarks import data
from benchmarks.measurement import Contender, Outcome, Setting
from benchmarks.runner import at_least, compared, ratio, workers
from benchmarks.standalone import sawzall as script
from benchmarks.workloads.languages.calibration import CASE, timed_counts

LINES = 10_000_000
PEER = "loop"


def measure(setting: Setting) -> Outcome:
    lines = int(LINES * setting.scale)
    path = data.written("lines", lines, "txt")
    counts = (1, 2)
    script.program(path, engine="sequential")
    ours = [Contender(workers(n), lambda n=n: timed_counts(
        lambda: script.program(path, engine="multicore", workers=n)), ours=True) for n in counts]
    loop = Contender(PEER, lambda: timed_counts(lambda: script.plain_loop(path)))
    outcome = compared(CASE, [*ours, loop], loop.run().answer, lines, setting)
    return outcome.joined(Outcome(goals=[at_least(
        "2 workers, against a plain loop", ratio(outcome, CASE, workers(2), PEER), 10.0)]))
