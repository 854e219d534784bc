"""Latency of W1 with `applyInPandasWithState`: from a row's due time to its batch's output.

`source` is the number of rows a second, `target` gets nothing; the result is the median.
"""

import statistics
import time

from pyspark.sql import functions as f
from pyspark.sql.streaming.state import GroupStateTimeout
from session import session as start
from w1_stream import running

__all__ = ["start"]


def run(source, target, rate, seconds, **options):
    rows = start().readStream.format("rate").option("rowsPerSecond", rate).load()
    payments = rows.select(f.unix_millis("timestamp").alias("at"),
                           (f.col("value") % 10000).alias("uid"), f.lit(1.0).alias("amount"))
    totals = payments.groupBy("uid").applyInPandasWithState(
        running, "at long, uid long, total double", "total double", "append",
        GroupStateTimeout.NoTimeout)
    seen = []

    def take(batch, number):
        times = [row.at for row in batch.select("at").collect()]
        seen.extend(time.time() * 1000 - at for at in times)
    query = totals.writeStream.foreachBatch(take).start()
    query.awaitTermination(seconds)
    query.stop()
    # The first third is warming up.
    return {"median_ms": statistics.median(seen[len(seen) // 3:]), "rows": len(seen)}
