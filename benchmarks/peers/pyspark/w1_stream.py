"""W1 as a Spark stream: `applyInPandasWithState` for each key."""

import pandas as pd
from pyspark.sql.streaming.state import GroupStateTimeout
from session import session as start
from streams import folder_of as load
from streams import written

__all__ = ["load", "start"]


def running(key, frames, state):
    payments = pd.concat(frames).sort_values("at")
    totals = payments["amount"].cumsum() + (state.getOption or (0.0,))[0]
    state.update((float(totals.iloc[-1]),))
    yield pd.DataFrame({"at": payments["at"], "uid": key[0], "total": totals})


def run(source, target, **options):
    payments = (start().readStream.option("maxFilesPerTrigger", 1)
                .csv(source, header=True, schema="at long, uid long, amount double"))
    kept = payments.where("amount <> 7.0").selectExpr("at", "uid", "amount * 0.5 as amount")
    written(kept.groupBy("uid").applyInPandasWithState(
        running, "at long, uid long, total double", "total double", "append",
        GroupStateTimeout.NoTimeout), target)
