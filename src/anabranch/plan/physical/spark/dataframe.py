"""Whether a program becomes a DataFrame: a straight line from Parquet to Parquet.

The files must hold just what the program declares: Spark would read others in another way than this
package does. `engine/spark/dataframe.py` runs it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import pyarrow as pa

from anabranch.core.lazy import parquet
from anabranch.io.arrow.schema import written_as
from anabranch.io.columns import columns_of
from anabranch.io.files.stores import is_remote
from anabranch.io.parquet.files import ParquetSink, ParquetSource
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.types import OptionalOf, Type, without_none
from anabranch.plan.logical.plan import Reason

if TYPE_CHECKING:
    from anabranch.kernels.catalyst import CatalystStep

SPARK_TYPES = {"bool": "boolean", "int": "bigint", "float": "double", "str": "string"}


@dataclass(frozen=True)
class DataFramePlan:
    """A line of operators as steps on a DataFrame, its two ends, and the files that it reads."""

    source: Operator
    sink: Operator
    steps: Sequence[CatalystStep]
    files: Sequence[str]

    @property
    def type(self) -> Type:
        return self.source.kind.spec.type


def frame_of(graph: Graph, most_files: int) -> DataFramePlan | Reason:
    """The program as steps on a DataFrame, or why it is none."""
    steps = _steps(graph)
    source, sink = graph.operators[0], graph.operators[-1]
    if isinstance(steps, Reason):
        return steps
    files = readable(source.kind.spec, most_files)
    return files if isinstance(files, Reason) else DataFramePlan(source, sink, steps, files)


def from_parquet_to_parquet(graph: Graph) -> bool:
    """Whether the first operator reads Parquet and the last one writes a folder of it."""
    source, sink = (op.kind.spec if op.is_source or op.is_sink else None
                    for op in (graph.operators[0], graph.operators[-1]))
    return isinstance(source, ParquetSource) and isinstance(sink, ParquetSink) and sink.in_parts


def _steps(graph: Graph) -> Sequence[CatalystStep] | Reason:
    source, *inner, sink = graph.operators
    if not from_parquet_to_parquet(graph):
        return Reason("it does not go from Parquet to a folder of Parquet files", sink.span)
    if source.kind.spec.time or not inner or any(
            len(a.outputs) != 1 or b.inputs != a.outputs for a, b in pairwise(graph.operators)):
        return Reason("it is not one straight line without times", source.span)
    # What translates is in the package of the kernels, which takes half a second to import.
    from anabranch.kernels.catalyst import translated
    from anabranch.kernels.native.translate.values import Unsupported, no_form

    try:
        return translated(tuple(inner), graph.output_types(source)[0], graph.input_types(sink)[0])
    except Unsupported as why:
        return Reason(why.why, why.span)
    except Exception as error:
        # Whatever goes wrong while columns are made of it, rows run without them.
        return Reason(f"{inner[0].name} {no_form('it', error)}", inner[0].span)


def readable(source: ParquetSource, most_files: int) -> list[str] | Reason:
    """The files, if Spark reads from them what this package does, or why it does not."""
    if is_remote(source.path):
        return Reason("its files are in a store, which Spark may know by another name", source.span)
    files = [os.path.abspath(file) for file in source.files()]
    if source.has_fixed:
        return Reason("some fields are given by the names of folders", source.span)
    if not 0 < len(files) <= most_files:
        return Reason(f"there are {len(files)} files, each of which would be a task", source.span)
    for file in files:
        if os.path.basename(file).startswith((".", "_")) or set(file) & set("*?[]{}\\,"):
            return Reason(f"Spark takes the name {os.path.basename(file)} in another way",
                          source.span)
        if not _is_exact(file, source.type):
            return Reason(f"{os.path.basename(file)} has other types, or values that are missing",
                          source.span)
    return files


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
