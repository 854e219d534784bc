"""Latency of W1 as a stream on Spark: files of rows that are due come at a steady rate.

A row is done when the batch that reads it is; the result is the median of what that takes.
"""

import os
import statistics
import tempfile
import threading
import time
from bisect import bisect_left

from anabranch.bench.programs import w1
from anabranch.bench.programs.on_spark import start

__all__ = ["start"]
FILES_PER_SECOND = 5
IDLE = 15


def run(source, target, rate, seconds):
    with tempfile.TemporaryDirectory(prefix="latency-") as folder:
        began, ends = time.time(), []
        feeding = threading.Thread(target=feed, args=(folder, rate, seconds, began), daemon=True)
        feeding.start()
        w1.run(folder, f"{target}/", engine="spark", stream=True, until_idle=IDLE,
               progress=lambda read, batches: ends.append((sum(read.values()), time.time())))
    return {"median_ms": median_ms(ends, rate, began), "rows": ends[-1][0] if ends else 0}


def feed(folder, rate, seconds, began):
    """Every file appears whole, when its last row is due."""
    rows = rate // FILES_PER_SECOND
    for number in range(seconds * FILES_PER_SECOND):
        time.sleep(max(0.0, began + (number + 1) / FILES_PER_SECOND - time.time()))
        hidden = os.path.join(folder, f".part-{number:06}.csv")
        with open(hidden, "w") as file:
            file.write("at,uid,amount\n")
            file.writelines(f"{at},{at * 7919 % 10_000},1.0\n"
                            for at in range(number * rows, (number + 1) * rows))
        os.rename(hidden, os.path.join(folder, f"part-{number:06}.csv"))


def median_ms(ends, rate, began):
    """Over the rows behind the first third, which warms up."""
    counts = [count for count, _ in ends]
    total = counts[-1] if counts else 0
    waited = [ends[bisect_left(counts, row + 1)][1] - began - row / rate
              for row in range(total // 3, total)]
    return 1000 * statistics.median(waited)
