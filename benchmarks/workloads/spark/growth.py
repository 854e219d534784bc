"""State growth: a batch must not cost more because more keys are known.

A first batch makes so many keys known; those behind it touch 10,000 of them each.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.answers import Verdict, judged, loaded
from benchmarks.data import came
from benchmarks.environments import python_of
from benchmarks.measurement import Measurement, NotThere, Outcome, Plot, Setting
from benchmarks.processes import Script, run_script
from benchmarks.runner import at_most
from benchmarks.workloads.files.contenders import OURS
from benchmarks.workloads.spark.contenders import NO_STREAMING, streams

KNOWN = (10_000, 100_000, 1_000_000)
TOUCHED = 10_000
BATCHES, MEASURED = 10, 5
"""In the first ones a kernel is compiled, and the worker learns what is known."""

WANTED = 1.3
GOAL = "a batch with the most keys known, against the fewest"


def measure(setting: Setting) -> Outcome:
    if not streams():
        raise NotThere(NO_STREAMING)
    measured = {known: _batches(known, setting)
                for known in sorted({max(TOUCHED, int(n * setting.scale)) for n in KNOWN})}
    points = [(known, m.median) for known, m in measured.items() if m.verdict is Verdict.IN_ORDER]
    grown = points[-1][1] / points[0][1] if len(points) > 1 else None
    plots = [Plot("growth", "A batch of 10,000 keys", "keys known", "seconds", {OURS: points},
                  log=True)] if points else []
    return Outcome(list(measured.values()), goals=[at_most(GOAL, grown, WANTED)], plots=plots)


def _batches(known: int, setting: Setting) -> Measurement:
    """The seconds of the last batches; the first only makes keys known."""
    case = f"{known:,} keys known"
    setting.tell(case)
    source, target = setting.folder / f"growth-{known}", setting.folder / f"grown-{known}.csv"
    right = _written(source, known)
    found = run_script(python_of(OURS), Script(OURS, "stream_on_spark", {"program": "w1"}), source,
                       target)
    return Measurement(case, OURS, True, TOUCHED, tuple(found["batches"][-MEASURED:]),
                       judged(loaded(target, right.schema), right))


def _written(folder: Path, known: int) -> pa.Table:
    """Writes the batches; gives the right answer: each user's payments, halved and added up."""
    folder.mkdir()
    options = pa.csv.WriteOptions(quoting_header="none")
    totals = []
    for number in range(BATCHES + 1):
        uids = np.arange(known if number == 0 else TOUCHED)
        table = pa.table({"at": uids, "uid": uids, "amount": np.ones(len(uids))})
        pa.csv.write_csv(table, folder / f"part-{number}.csv", options)
        came(folder / f"part-{number}.csv", number)
        totals.append(pa.table({"at": uids, "uid": uids,
                                "total": np.full(len(uids), 0.5 * (number + 1))}))
    return pa.concat_tables(totals).combine_chunks()
