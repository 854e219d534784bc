"""Runs a line from Parquet to Parquet as a DataFrame, without Python workers.

Spark may read the splits of its input in any order. It says which of them each task has, and by
that the files that tasks have written are named. Whatever goes wrong, nothing has been put in
place, and the program runs in the ordinary way, which says exactly what is wrong.
"""

from __future__ import annotations

import os
import re
import shutil
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlparse

from pyarrow import parquet

from anabranch.engine.spark.job.sinks import Folders
from anabranch.engine.spark.job.sources import seen_by_executors
from anabranch.engine.spark.session.computation import last_words
from anabranch.io.columns import columns_of
from anabranch.io.files.sinks import part_name
from anabranch.ir.types import STR, without_none
from anabranch.plan.logical.plan import Reason
from anabranch.plan.physical.spark.dataframe import SPARK_TYPES, DataFramePlan
from anabranch.plan.physical.spark.tuning import SparkKnobs
from anabranch.runtime.options import RunReport

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import DataFrame


def run_frame(context: SparkContext, frame: DataFramePlan, knobs: SparkKnobs, folders: Folders,
              report: RunReport) -> Reason | None:
    """Runs it into the folder, or says why it has to run in another way, with nothing in there."""
    if not seen_by_executors(context, frame.files):
        return Reason("the executors do not find the files at these paths")
    name, folder = frame.sink.name, folders.made[frame.sink.name].temporary
    apart = os.path.join(folder, "spark")
    try:
        made = _frame(context, frame, knobs)
        order = _order(made, frame.files)
        made.write.parquet(f"file://{apart}")
        counts = _named(apart, folder, order)
    except Exception as error:
        return Reason(f"Spark could not compute it as a DataFrame: {last_words(error)}")
    finally:
        shutil.rmtree(apart, ignore_errors=True)
    report.read[frame.source.name] = sum(map(_rows, frame.files))
    report.written[name] = sum(counts)
    folders.parts[name].update(range(len(counts)))
    return None


def _frame(context: SparkContext, frame: DataFramePlan, knobs: SparkKnobs) -> DataFrame:
    from pyspark.sql import SparkSession

    # A session of its own: settings for this frame are nobody else's.
    session = SparkSession(context).newSession()
    size = sum(map(os.path.getsize, frame.files)) // context.defaultParallelism
    split = str(min(max(knobs.smallest_split, size), knobs.largest_frame_split))
    for setting, value in (("ansi.enabled", "true"), ("files.maxPartitionBytes", split),
                           ("files.openCostInBytes", split),
                           ("parquet.compression.codec", "snappy")):
        session.conf.set(f"spark.sql.{setting}", value)
    schema = ", ".join(f"`{name}` {SPARK_TYPES[without_none(kind).name]}"
                       for name, kind in columns_of(frame.type).items())
    made = session.read.schema(schema).parquet(*(f"file://{file}" for file in frame.files))
    texts = [name for name, kind in columns_of(frame.type).items() if without_none(kind) == STR]
    made = _checked(made, texts) if texts else made
    for step in frame.steps:
        made = step.applied(made)
    return made


def _checked(made: DataFrame, texts: list[str]) -> DataFrame:
    """The same rows; it fails for a text that is no UTF-8, which Spark takes for one.

    Every row is looked at, also one that a filter leaves out: where a condition is no function of
    the row, as here that of the task, Spark's optimizer moves no other one before it.
    """
    from pyspark.sql import functions as F

    bad = [~F.is_valid_utf8(F.col(f"`{name}`")) for name in texts]
    failed = F.raise_error(F.lit("a text is no UTF-8")).cast("boolean")
    # What is said of None is None, and that is not bad.
    return made.filter(F.when(reduce(or_, bad), failed).otherwise(F.spark_partition_id() >= 0))


def _order(made: DataFrame, files: list[str]) -> list[int]:
    """The tasks in the order of what they read; each reads a part of one file."""
    places = {file: number for number, file in enumerate(files)}
    starts = []
    for task in made._jdf.queryExecution().toRdd().partitions():
        (part,) = task.files()
        path = unquote(urlparse(part.urlEncodedPath()).path)
        starts.append((places[path], part.start(), task.index()))
    return [index for _, _, index in sorted(starts)]


_WRITTEN = re.compile(r"part-(\d+)-.*\.parquet")


def _named(apart: str, folder: str, order: list[int]) -> list[int]:
    """Gives the files that tasks have written their names; how many rows each of them has."""
    found = {int(match[1]): os.path.join(apart, match[0])
             for match in filter(None, map(_WRITTEN.fullmatch, os.listdir(apart)))}
    filled = [found[task] for task in order if task in found and _rows(found[task])]
    for number, path in enumerate(filled):
        os.rename(path, os.path.join(folder, part_name(number, ".parquet")))
    return [_rows(os.path.join(folder, part_name(n, ".parquet"))) for n in range(len(filled))]


def _rows(file: str) -> int:
    return parquet.read_metadata(file).num_rows
