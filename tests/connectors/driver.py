"""The driver of a test, a process of its own: `python -m connectors.driver TASK FOLDER`.

FOLDER/place.json says where it reads and writes. It may be killed at any time.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

import anabranch as ab
from connectors.places import PLACES, Place
from connectors.programs import PROGRAMS, Event, applied, events

CHUNKS, CHUNK = 4, 120
ROCKS = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
SETTINGS = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
            "spark.sql.shuffle.partitions": "2",
            "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.memory": "700m",
            "spark.sql.streaming.stateStore.providerClass": ROCKS}


def told_of(place: Place, frame: DataFrame, name: str) -> DataFrame:
    return applied(ab.from_spark(frame, Event, order=place.order), name).to_spark(order="position")


def batch(place: Place, spark: SparkSession) -> dict:
    """The programs over all that is there."""
    for name in PROGRAMS:
        place.write(told_of(place, place.read(spark), name), f"{name}-batch")
    return _found(place, spark, "batch")


def stream(place: Place, spark: SparkSession) -> dict:
    """The programs as streams, from where they stopped, up to all that is there."""
    queries = [place.write_stream(told_of(place, place.read_stream(spark), name), f"{name}-stream")
               for name in PROGRAMS]
    for query in queries:
        query.awaitTermination()
    return _found(place, spark, "stream")


def fill(place: Place, spark: SparkSession) -> dict:
    for number in range(CHUNKS):
        made = events(number * CHUNK, (number + 1) * CHUNK)
        place.fill(spark.createDataFrame([tuple(e) for e in made], "at long, key string, "
                                         "kind string, amount double"))
    return {}


def _found(place: Place, spark: SparkSession, mode: str) -> dict:
    found = {}
    for name in PROGRAMS:
        told = told_of(place, place.read(spark), name)
        rows = place.found(spark, told, f"{name}-{mode}").orderBy("position").collect()
        found[name] = [[row.at, row.key, row.what, row.number] for row in rows]
    return found


TASKS = {"fill": (fill,), "prepare": (fill, batch), "batch": (batch,), "stream": (stream,)}


def main(task: str, folder: str) -> None:
    said = json.loads(Path(folder, "place.json").read_text())
    place = PLACES[said.pop("kind")](**said)
    builder = SparkSession.builder.master("local[2]").appName("connectors")
    for name, value in {**SETTINGS, **place.settings()}.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    Path(folder, "started").touch()
    for step in TASKS[task]:
        found = step(place, spark)
    Path(folder, f"{task}.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
