"""Where events are read from and results are written to: what a Spark team writes for each of them.

A place is told to another process as its fields, so they are texts and numbers.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

EVENT = "at long, key string, kind string, amount double"


@dataclass(frozen=True)
class Place:
    """`root` is a folder of the test's own, `jars` what Spark is given."""

    root: str
    jars: str

    order = ("at",)
    streams = True

    def settings(self) -> dict[str, str]:
        return {"spark.jars": self.jars} if self.jars else {}

    def checkpoint(self, name: str) -> str:
        return f"{self.root}/checkpoints/{name}"

    def fill(self, events: DataFrame) -> None:
        """Adds events to the input."""
        raise NotImplementedError

    def read(self, spark: SparkSession) -> DataFrame:
        raise NotImplementedError

    def read_stream(self, spark: SparkSession) -> DataFrame:
        raise NotImplementedError

    def write(self, told: DataFrame, name: str) -> None:
        raise NotImplementedError

    def write_stream(self, told: DataFrame, name: str):
        raise NotImplementedError

    def found(self, spark: SparkSession, told: DataFrame, name: str) -> DataFrame:
        """What has been written, which is like what is told."""
        raise NotImplementedError

    def _query(self, told: DataFrame, name: str):
        return told.writeStream.queryName(name).trigger(availableNow=True).option(
            "checkpointLocation", self.checkpoint(name))


@dataclass(frozen=True)
class Kafka(Place):
    servers: str = ""

    order = None            # what Kafka has: topic, partition, offset

    def fill(self, events: DataFrame) -> None:
        events.coalesce(1).sortWithinPartitions("at").select(
            "key", F.to_json(F.struct("*")).alias("value"),
            (F.crc32("key") % 3).cast("int").alias("partition")).write.format("kafka").options(
            **self._options("events")).save()

    def read(self, spark: SparkSession) -> DataFrame:
        return self._events(spark.read.format("kafka").options(
            **self._options("events", "subscribe")).load())

    def read_stream(self, spark: SparkSession) -> DataFrame:
        return self._events(spark.readStream.format("kafka").options(
            **self._options("events", "subscribe"), startingOffsets="earliest",
            maxOffsetsPerTrigger=120).load())

    def _events(self, rows: DataFrame) -> DataFrame:
        event = F.from_json(F.col("value").cast("string"), EVENT).alias("event")
        return rows.select("topic", "partition", "offset", event).select(
            "topic", "partition", "offset", "event.*")

    def write(self, told: DataFrame, name: str) -> None:
        self._messages(told).write.format("kafka").options(**self._options(name)).save()

    def write_stream(self, told: DataFrame, name: str):
        return self._query(self._messages(told), name).format("kafka").options(
            **self._options(name)).start()

    def _messages(self, told: DataFrame) -> DataFrame:
        return told.select("key", F.to_json(F.struct("*")).alias("value"))

    def found(self, spark: SparkSession, told: DataFrame, name: str) -> DataFrame:
        """Spark writes to Kafka at least once: the position tells what has come twice."""
        rows = spark.read.format("kafka").options(**self._options(name, "subscribe")).load()
        return rows.select(F.from_json(F.col("value").cast("string"), told.schema).alias(
            "told")).select("told.*").distinct()

    def _options(self, topic: str, named: str = "topic") -> dict[str, str]:
        return {"kafka.bootstrap.servers": self.servers, named: topic}


@dataclass(frozen=True)
class Files(Place):
    """Parquet files on a file system that Hadoop knows by the scheme of `base`."""

    base: str = ""
    options: tuple[tuple[str, str], ...] = ()

    def settings(self) -> dict[str, str]:
        return {**super().settings(), **dict(map(tuple, self.options))}

    def checkpoint(self, name: str) -> str:
        return f"{self.base}/checkpoints/{name}"

    def fill(self, events: DataFrame) -> None:
        events.coalesce(1).write.mode("append").parquet(f"{self.base}/in")
        # A stream takes files by the time of their making, in which S3 has seconds.
        time.sleep(1.1)

    def read(self, spark: SparkSession) -> DataFrame:
        return spark.read.parquet(f"{self.base}/in")

    def read_stream(self, spark: SparkSession) -> DataFrame:
        return spark.readStream.schema(EVENT).option("maxFilesPerTrigger", 1).parquet(
            f"{self.base}/in")

    def write(self, told: DataFrame, name: str) -> None:
        told.write.mode("overwrite").parquet(f"{self.base}/{name}")

    def write_stream(self, told: DataFrame, name: str):
        return self._query(told, name).format("parquet").option(
            "path", f"{self.base}/{name}").start()

    def found(self, spark: SparkSession, told: DataFrame, name: str) -> DataFrame:
        return spark.read.schema(told.schema).parquet(f"{self.base}/{name}")


@dataclass(frozen=True)
class Postgres(Place):
    url: str = ""

    streams = False

    def fill(self, events: DataFrame) -> None:
        self._write(events, "events", "append")

    def read(self, spark: SparkSession) -> DataFrame:
        return spark.read.jdbc(self.url, "events", "at", 0, 1000, 3,
                               properties=self._properties())

    def write(self, told: DataFrame, name: str) -> None:
        self._write(told.select("*", "position.*").drop("position"), f'"{name}"', "overwrite")

    def found(self, spark: SparkSession, told: DataFrame, name: str) -> DataFrame:
        rows = spark.read.jdbc(self.url, f'"{name}"', properties=self._properties())
        names = told.schema["position"].dataType.names
        return rows.select("*", F.struct(*names).alias("position"))

    def _write(self, rows: DataFrame, table: str, mode: str) -> None:
        rows.write.jdbc(self.url, table, mode, properties=self._properties())

    def _properties(self) -> dict[str, str]:
        return {"driver": "org.postgresql.Driver"}


@dataclass(frozen=True)
class Delta(Place):
    def settings(self) -> dict[str, str]:
        return {**super().settings(),
                "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
                "spark.sql.catalog.spark_catalog":
                    "org.apache.spark.sql.delta.catalog.DeltaCatalog",
                "spark.sql.warehouse.dir": f"{self.root}/warehouse"}

    def fill(self, events: DataFrame) -> None:
        events.coalesce(1).write.format("delta").mode("append").save(self._path("events"))

    def read(self, spark: SparkSession) -> DataFrame:
        return spark.read.format("delta").load(self._path("events"))

    def read_stream(self, spark: SparkSession) -> DataFrame:
        return spark.readStream.format("delta").option("maxFilesPerTrigger", 1).load(
            self._path("events"))

    def write(self, told: DataFrame, name: str) -> None:
        told.write.format("delta").mode("overwrite").save(self._path(name))

    def write_stream(self, told: DataFrame, name: str):
        return self._query(told, name).format("delta").start(self._path(name))

    def found(self, spark: SparkSession, told: DataFrame, name: str) -> DataFrame:
        return spark.read.format("delta").load(self._path(name))

    def _path(self, name: str) -> str:
        return f"{self.root}/delta/{name}"


@dataclass(frozen=True)
class Iceberg(Place):
    def settings(self) -> dict[str, str]:
        return {**super().settings(),
                "spark.sql.extensions":
                    "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
                "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
                "spark.sql.catalog.lake.type": "hadoop",
                "spark.sql.catalog.lake.warehouse": f"{self.root}/warehouse"}

    def fill(self, events: DataFrame) -> None:
        events.sparkSession.sql(f"create table if not exists lake.db.events ({EVENT}) "
                                "using iceberg")
        events.coalesce(1).writeTo("lake.db.events").append()

    def read(self, spark: SparkSession) -> DataFrame:
        return spark.read.table("lake.db.events")

    def read_stream(self, spark: SparkSession) -> DataFrame:
        return spark.readStream.format("iceberg").option(
            "streaming-max-files-per-micro-batch", 1).load("lake.db.events")

    def write(self, told: DataFrame, name: str) -> None:
        told.writeTo(self._table(name)).using("iceberg").createOrReplace()

    def write_stream(self, told: DataFrame, name: str):
        spark = told.sparkSession
        if not spark.catalog.tableExists(self._table(name)):
            spark.createDataFrame([], told.schema).writeTo(self._table(name)).using(
                "iceberg").create()
        return self._query(told, name).format("iceberg").toTable(self._table(name))

    def found(self, spark: SparkSession, told: DataFrame, name: str) -> DataFrame:
        return spark.read.table(self._table(name))

    def _table(self, name: str) -> str:
        return f"lake.db.{name.replace('-', '_')}"


PLACES = {place.__name__: place for place in (Kafka, Files, Postgres, Delta, Iceberg)}
