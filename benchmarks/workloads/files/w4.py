"""W4, opaque function: about 20 microseconds of plain Python for each row, in order."""

from __future__ import annotations

from benchmarks import data
from benchmarks.measurement import Outcome, Setting
from benchmarks.runner import at_least, compared, ratio, workers
from benchmarks.workloads.files.contenders import one_shot, ours, right_answer

CASE = "csv to csv"
LOOP, POOL = "plain loop", "Pool.imap"


def measure(setting: Setting) -> Outcome:
    rows = setting.rows
    right = right_answer("w4", "jobs", rows, setting)
    source, schema = data.written("jobs", rows, "csv"), right.schema
    contenders = [
        # A run takes most of a minute: there is nothing to compile, and little to warm up.
        *(ours("w4", source, schema, setting, n, _workers(n), warm=0) for n in (2, 1)),
        one_shot("loop", "w4", source, schema, setting, LOOP),
        one_shot("loop", "w4_pool", source, schema, setting, POOL, workers=2)]
    outcome = compared(CASE, contenders, right, rows, setting)
    return outcome.joined(Outcome(goals=_goals(outcome), notes=_notes(outcome)))


def _workers(n: int) -> str:
    return f"anabranch, {workers(n)}"


def _goals(outcome: Outcome) -> list:
    return [at_least("2 workers, against a plain loop", ratio(outcome, CASE, _workers(2), LOOP),
                     1.8),
            at_least("1 worker, against a plain loop", ratio(outcome, CASE, _workers(1), LOOP),
                     0.95)]


def _notes(outcome: Outcome) -> list[str]:
    loop = outcome.of(CASE, LOOP)
    return [f"the loop takes {1e6 / loop.rows_per_second:.1f} microseconds a row"] if loop else []
