"""Latency of W1 with `applyInPandasWithState`: from a row's due time to its batch's output.

`rate` rows a second come, `target` gets nothing; the result is the median. The seconds begin when
the first batch is done.
"""

import statistics
import threading
import time

import w1_stream
from pyspark import cloudpickle
from pyspark.sql import functions as f
from pyspark.sql.streaming.state import GroupStateTimeout
from session import session as start

__all__ = ["start"]
# The workers do not find the module beside this one.
cloudpickle.register_pickle_by_value(w1_stream)


def run(source, target, rate, seconds, **options):
    rows = start().readStream.format("rate").option("rowsPerSecond", rate).load()
    payments = rows.select(f.unix_millis("timestamp").alias("at"),
                           (f.col("value") % 10000).alias("uid"), f.lit(1.0).alias("amount"))
    totals = payments.groupBy("uid").applyInPandasWithState(
        w1_stream.running, "at long, uid long, total double", "total double", "append",
        GroupStateTimeout.NoTimeout)
    seen, warm = [], threading.Event()

    def take(batch, number):
        times = [row.at for row in batch.select("at").collect()]
        seen.extend(time.time() * 1000 - at for at in times)
        if times:
            warm.set()
    query = totals.writeStream.foreachBatch(take).start()
    warm.wait()
    query.awaitTermination(seconds)
    query.stop()
    # The first third is warming up.
    return {"median_ms": statistics.median(seen[len(seen) // 3:]), "rows": len(seen)}
