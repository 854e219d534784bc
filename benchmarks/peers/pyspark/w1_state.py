"""W1 as a Spark stream: `transformWithStateInPandas` for each key."""

import pandas as pd
from pyspark.sql.streaming import StatefulProcessor
from session import session as start
from streams import folder_of as load
from streams import written

__all__ = ["load", "start"]
PROVIDER = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


class Running(StatefulProcessor):
    def init(self, handle):
        self.total = handle.getValueState("total", "total double")

    def handleInputRows(self, key, frames, timer):
        payments = pd.concat(frames).sort_values("at")
        before = self.total.get()[0] if self.total.exists() else 0.0
        totals = payments["amount"].cumsum() + before
        self.total.update((float(totals.iloc[-1]),))
        yield pd.DataFrame({"at": payments["at"], "uid": key[0], "total": totals})

    def close(self):
        pass


def run(source, target, **options):
    spark = start()
    spark.conf.set("spark.sql.streaming.stateStore.providerClass", PROVIDER)
    payments = (spark.readStream.option("maxFilesPerTrigger", 1)
                .csv(source, header=True, schema="at long, uid long, amount double"))
    kept = payments.where("amount <> 7.0").selectExpr("at", "uid", "amount * 0.5 as amount")
    written(kept.groupBy("uid").transformWithStateInPandas(
        Running(), "at long, uid long, total double", "Append", "None"), target)
