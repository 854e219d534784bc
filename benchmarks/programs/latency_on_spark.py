"""Latency of W1 as a stream on Spark.

Files of rows that are due come at a steady rate. A first file warms up; when it is done, the others
begin to come. A row is done when the batch that reads it is; the result is the median of what that
takes.
"""

import os
import statistics
import tempfile
import threading
import time
from bisect import bisect_left

from benchmarks.programs import w1
from benchmarks.programs.on_spark import start

__all__ = ["start"]
FILES_PER_SECOND = 5
IDLE = 5


def run(source, target, rate, seconds):
    warm, ends, began = threading.Event(), [], []

    def done(read, batches):
        ends.append((sum(read.values()), time.time()))
        warm.set()
    with tempfile.TemporaryDirectory(prefix="latency-") as folder:
        feeding = threading.Thread(target=feed, args=(folder, rate, seconds, warm, began),
                                   daemon=True)
        feeding.start()
        w1.run(folder, f"{target}/", engine="spark", stream=True, until_idle=IDLE, progress=done)
    return {"median_ms": median_ms(ends, rate, *began), "rows": ends[-1][0]}


def feed(folder, rate, seconds, warm, began):
    """Every file appears whole, when its last row is due; `began` is when row 0 would be."""
    rows = rate // FILES_PER_SECOND
    put(folder, 0, rows)
    warm.wait()
    began.append(time.time() - rows / rate)
    for number in range(1, seconds * FILES_PER_SECOND):
        time.sleep(max(0.0, began[0] + (number + 1) / FILES_PER_SECOND - time.time()))
        put(folder, number, rows)


def put(folder, number, rows):
    hidden = os.path.join(folder, f".part-{number:06}.csv")
    with open(hidden, "w") as file:
        file.write("at,uid,amount\n")
        file.writelines(f"{at},{at * 7919 % 10_000},1.0\n"
                        for at in range(number * rows, (number + 1) * rows))
    os.rename(hidden, os.path.join(folder, f"part-{number:06}.csv"))


def median_ms(ends, rate, began):
    """Over the rows behind the first third, which warms up."""
    counts = [count for count, _ in ends]
    waited = [ends[bisect_left(counts, row + 1)][1] - began - row / rate
              for row in range(counts[-1] // 3, counts[-1])]
    return 1000 * statistics.median(waited)
