"""Programs of lists as programs of DataFrames: the same items, with an order column."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from anabranch.batch.record_batch import batch_of, is_opaque, items_of
from anabranch.core.errors import AnabranchError
from anabranch.engine.spark.frames import dataframe
from anabranch.io.dataframe.columns import chosen
from anabranch.io.dataframe.frames import FrameSource
from anabranch.ir.graph import Graph
from anabranch.ir.types import Type


def has_frames(graph: Graph) -> bool:
    """Whether its sources can be DataFrames, and its results too."""
    ends = [*(op.kind.spec.type for op in graph.sources),
            *(graph.input_types(op)[0] for op in graph.sinks)]
    return not any(map(is_opaque, ends))


def framed(session: SparkSession, graph: Graph) -> Graph:
    """The graph with a DataFrame, in two partitions that mix the rows, in place of each source."""
    sources = {op.name: replace(op, kind=replace(op.kind, spec=_source(session, op)))
               for op in graph.sources}
    return graph.with_operators(sources.get(op.name, op) for op in graph)


def _source(session: SparkSession, op) -> FrameSource:
    spec = op.kind.spec
    frame = frame_of(session, list(spec.items(None)), spec.type)
    columns = chosen(frame, spec.type, op.span)
    return FrameSource(frame.select(F.col("nr").alias("@0"), *columns), spec.type, ("nr",),
                       op.kind.time, op.span)


def frame_of(session: SparkSession, items: list, kind: Type) -> DataFrame:
    """The items, with their numbers in the column `nr`."""
    batch = batch_of(items, kind)
    if not items:
        schema = from_arrow_schema(batch.schema.append(pa.field("nr", pa.int64())), True)
        return session.createDataFrame([], schema)
    numbered = pa.Table.from_batches([batch]).append_column("nr", [pa.array(
        range(len(items)), pa.int64())])
    # Times without a zone in Arrow are to be wall-clock times in Spark.
    session.conf.set("spark.sql.timestampType", "TIMESTAMP_NTZ")
    return session.createDataFrame(numbered).repartition(2, F.expr("nr * 7 % 5"))


def frame_outputs(session: SparkSession, graph: Graph) -> tuple[dict[str, list], str | None]:
    """What every sink is given, sorted by the order that travels; and the first error."""
    found = {}
    graph = framed(session, graph)
    try:
        for sink in graph.sinks:
            others = [op for op in graph if not op.is_sink or op is sink]
            made = dataframe(graph.with_operators(others), "position")
            kind = graph.input_types(sink)[0]
            rows = made.orderBy("position").drop("position").toArrow().combine_chunks()
            batch = pa.RecordBatch.from_arrays([c.chunk(0) if c.num_chunks else pa.nulls(0, c.type)
                                                for c in rows.columns], names=rows.column_names)
            found[sink.name] = items_of(batch, kind)
    except AnabranchError as error:
        return found, str(error)
    return found, None
