"""What a tuple costs a CQL query whose window holds few tuples, or many.

They come at the same rate. The queries are those of `benchmarks/standalone/windows.py`. What counts
are seconds of computing on the sequential engine, once the window is full.
"""

from __future__ import annotations

from statistics import median

from benchmarks.measurement import Outcome, Setting
from benchmarks.runner import at_most
from benchmarks.standalone import windows as script

MEASURED = 100_000
WANTED = 1.5


def measure(setting: Setting) -> Outcome:
    small, large = script.SMALL, max(script.SMALL, int(script.LARGE * setting.scale))
    tuples = max(1_000, int(MEASURED * setting.scale))
    goals, notes = [], []
    for name, query in script.QUERIES.items():
        setting.tell(name)
        few, many = (median(script.cost(query, size, tuples) for _ in range(setting.repeat))
                     for size in (small, large))
        goals.append(at_most(f"{name}: a window of {large:,} tuples against {small:,}",
                             many / few, WANTED))
        notes.append(f"{name}: {few:.2f} microseconds a tuple with {small:,}, {many:.2f} with "
                     f"{large:,}")
    return Outcome(goals=goals, notes=notes)
