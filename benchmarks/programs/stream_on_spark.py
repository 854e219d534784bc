"""Any of the programs as a stream on Spark, with a batch for each file.

The result has the seconds of every batch.
"""

import tempfile
import time
from importlib import import_module
from itertools import pairwise

from benchmarks.programs.on_spark import start

__all__ = ["start"]


def run(source, target, program):
    ends = {0: time.perf_counter()}

    def done(read, batches):
        ends.setdefault(batches, time.perf_counter())
    made = import_module(f"benchmarks.programs.{program}")
    with tempfile.TemporaryDirectory(prefix="checkpoint-") as checkpoint:
        made.run(source, f"{target}/", engine="spark", stream=True, trigger="available-now",
                 files_per_batch=1, checkpoint=checkpoint, progress=done)
    return {"batches": [end - begin for begin, end in pairwise(ends.values())]}
