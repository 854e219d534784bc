"""Operators behind a source as columns of Spark's own, and the check of its rows.

Spark's optimizer may leave out a row before it computes what would be wrong with it. The check of
the rows is told to depend on the task, which nothing is moved before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from anabranch.analysis.facts.live_fields import attributes_read
from anabranch.core.errors import AnabranchError, DataError
from anabranch.engine.spark.frames.errors import null_in_column, null_in_order
from anabranch.io.columns import columns_of
from anabranch.io.dataframe.columns import full_columns
from anabranch.io.dataframe.frames import FrameSource, place_name
from anabranch.ir.types import STR
from anabranch.plan.physical.spark.columns import ColumnLine

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

ITEM = "."
"""So begin the names of the columns of items here; those of a stamp do not."""


class Items:
    """The columns of items by their own names."""

    def __getitem__(self, name: str) -> Column:
        from pyspark.sql import functions as F

        return F.col(f"`{ITEM}{name[1:]}")


def computed(spec: FrameSource, line: ColumnLine, stamp: Mapping[str, Column]) -> DataFrame:
    """The items behind the line, with the columns of the stamp that the source's rows have."""
    from pyspark.sql import functions as F

    kept = [F.col(f"`{name}`") for name in stamp]
    frame = _checked(spec, line).select(
        *(column.alias(name) for name, column in stamp.items()),
        *(F.col(f"`{name}`").alias(ITEM + name) for name in columns_of(spec.type)))
    for step in line.steps:
        if step.condition is not None:
            frame = frame.filter(step.condition.make(Items()))
        else:
            frame = frame.select(*kept, *step.selected(Items(), ITEM))
    return frame


def _checked(spec: FrameSource, line: ColumnLine) -> DataFrame:
    """The same rows; a null where none may be, or a text that is none, ends the job."""
    from pyspark.sql import functions as F

    bad = list(_bad(spec, line))
    if not bad:
        return spec.frame
    case = F
    for condition, error in bad:
        case = case.when(condition, F.raise_error(F.lit(str(error))).cast("boolean"))
    return spec.frame.filter(case.otherwise(F.spark_partition_id() >= 0))


def _bad(spec: FrameSource, line: ColumnLine) -> Iterator[tuple[Column, AnabranchError]]:
    from pyspark.sql import functions as F

    empty = {field.name for field in spec.frame.schema.fields if field.nullable}
    for name in full_columns(spec.type):
        if name in empty:
            yield F.col(f"`{name}`").isNull(), null_in_column(name, spec.type, spec.span)
    for number, name in enumerate(spec.order):
        if place_name(number) in empty:
            yield F.col(f"`{place_name(number)}`").isNull(), null_in_order(name, spec.span)
    for name in _texts(spec, line):
        yield ~F.is_valid_utf8(F.col(f"`{name}`")), DataError(
            f"the column '{name}' has a text that is no UTF-8", spec.span,
            help="make it valid, by make_valid_utf8(...), or take it as bytes")


def _texts(spec: FrameSource, line: ColumnLine) -> list[str]:
    """The columns of texts that some function looks at."""
    read = [attributes_read(f) for op in line.operators for f in op.kind.functions]
    return [name for name, kind in columns_of(spec.type).items() if kind == STR and any(
        names is None or name in names for names in read)]
