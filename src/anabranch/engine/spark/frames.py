"""Straight lines from Parquet to Parquet as a DataFrame: Spark does it all, without Python workers.

Spark may read the splits of its input in any order. It says which of them each task has, and by
that the files that tasks have written are named. Whatever goes wrong, nothing has been put in
place, and the program runs in the ordinary way, which says exactly what is wrong.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from operator import or_
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlparse

import pyarrow as pa
from pyarrow import parquet

from anabranch.engine.spark.connect import Connected
from anabranch.engine.spark.files import SMALLEST, seen_by_executors
from anabranch.engine.spark.sinks import Folders
from anabranch.io.arrow import written_as
from anabranch.io.columns import columns_of
from anabranch.io.folders import part_name
from anabranch.io.parquet import ParquetSink, ParquetSource
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.types import STR, OptionalOf, Type, without_none
from anabranch.plan import Reason

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import DataFrame

    from anabranch.kernels.catalyst import Step

MOST_FILES = 1000
"""Each file is a task of its own."""

LARGEST_SPLIT = 128 << 20
"""How many bytes a task reads at most: as many as by Spark's own rule."""

SPARK_TYPES = {"bool": "boolean", "int": "bigint", "float": "double", "str": "string"}


@dataclass(frozen=True)
class Frame:
    """A line of operators as steps on a DataFrame, and its two ends."""

    source: Operator
    sink: Operator
    steps: Sequence[Step]

    @property
    def type(self) -> Type:
        return self.source.kind.spec.type


def frame_of(graph: Graph) -> Frame | Reason:
    """The program as steps on a DataFrame, or why it is none."""
    source, *inner, sink = graph.operators
    ends = isinstance(source.kind.spec, ParquetSource) and isinstance(sink.kind.spec, ParquetSink)
    if not (ends and sink.kind.spec.in_parts):
        return Reason("it does not go from Parquet to a folder of Parquet files", sink.span)
    if source.kind.spec.time or not inner or any(
            len(a.outputs) != 1 or b.inputs != a.outputs for a, b in pairwise(graph.operators)):
        return Reason("it is not one straight line without times", source.span)
    # What translates is in the package of the kernels, which takes half a second to import.
    from anabranch.kernels.catalyst import translated
    from anabranch.kernels.native.values import Unsupported, no_form

    try:
        steps = translated(tuple(inner), graph.output_types(source)[0], graph.input_types(sink)[0])
    except Unsupported as why:
        return Reason(why.why, why.span)
    except Exception as error:
        # Whatever goes wrong while columns are made of it, rows run without them.
        return Reason(f"{inner[0].name} {no_form('it', error)}", inner[0].span)
    return Frame(source, sink, steps)


def readable(frame: Frame) -> list[str] | None:
    """The files, if Spark reads from them what this package does."""
    source = frame.source.kind.spec
    files = [] if source.has_fixed else [os.path.abspath(file) for file in source.files()]
    plain = all(not os.path.basename(f).startswith((".", "_")) and not set(f) & set("*?[]{}\\,")
                for f in files)
    return files if plain and 0 < len(files) <= MOST_FILES and all(
        _is_exact(file, frame.type) for file in files) else None


def _is_exact(file: str, item: Type) -> bool:
    """Whether every column has just the declared type, and values wherever it must."""
    with parquet.ParquetFile(file) as opened:
        schema, columns = opened.schema_arrow, columns_of(item)
        return all(schema.names.count(name) == 1
                   and without_none(kind).__dict__.get("name") in SPARK_TYPES
                   and _same(schema.field(name).type, written_as(kind))
                   and (isinstance(kind, OptionalOf) or _is_full(opened, name))
                   for name, kind in columns.items())


def _same(given: pa.DataType, wanted: pa.DataType) -> bool:
    return given == wanted or (pa.types.is_large_string(given) and pa.types.is_string(wanted))


def _is_full(opened: parquet.ParquetFile, name: str) -> bool:
    """Whether the file says that no value is missing."""
    place, known = opened.schema_arrow.names.index(name), opened.metadata
    groups = [known.row_group(n).column(place) for n in range(known.num_row_groups)]
    return all(not g.num_values or (
        g.path_in_schema == name and g.is_stats_set and g.statistics.has_null_count
        and g.statistics.null_count == 0) for g in groups)


def run_frame(context: SparkContext, frame: Frame, folders: Folders, report) -> bool:
    """Runs it into the folder; False, with nothing in there, when it has to run in another way."""
    files = readable(frame)
    if isinstance(context, Connected) or files is None or not seen_by_executors(context, files):
        return False
    name, folder = frame.sink.name, folders.made[frame.sink.name].temporary
    apart = os.path.join(folder, "spark")
    try:
        made = _frame(context, frame, files)
        order = _order(made, files)
        made.write.parquet(f"file://{apart}")
        counts = _named(apart, folder, order)
    except Exception:
        return False
    finally:
        shutil.rmtree(apart, ignore_errors=True)
    report.read[frame.source.name] = sum(map(_rows, files))
    report.written[name] = sum(counts)
    folders.parts[name].update(range(len(counts)))
    return True


def _frame(context: SparkContext, frame: Frame, files: list[str]) -> DataFrame:
    from pyspark.sql import SparkSession

    # A session of its own: settings for this frame are nobody else's.
    session = SparkSession(context).newSession()
    size = sum(map(os.path.getsize, files)) // context.defaultParallelism
    split = str(min(max(SMALLEST, size), LARGEST_SPLIT))
    for setting, value in (("ansi.enabled", "true"), ("files.maxPartitionBytes", split),
                           ("files.openCostInBytes", split),
                           ("parquet.compression.codec", "snappy")):
        session.conf.set(f"spark.sql.{setting}", value)
    schema = ", ".join(f"`{name}` {SPARK_TYPES[without_none(kind).name]}"
                       for name, kind in columns_of(frame.type).items())
    made = session.read.schema(schema).parquet(*(f"file://{file}" for file in files))
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
