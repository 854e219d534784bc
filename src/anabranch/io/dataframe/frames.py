"""Spark DataFrames as sources and sinks: what a program says of them.

The Spark engine runs such a program as a DataFrame. Other engines are given the rows in their
order, collected by the driver: that is for looking at results.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, ClassVar

from anabranch.core.errors import DataError, ProgramError
from anabranch.core.source import Span
from anabranch.io.arrow.table import ArrowSource
from anabranch.io.lateness import InTime
from anabranch.io.rows import BadRows, check_time
from anabranch.ir.ends import SinkSpec, SourceSpec
from anabranch.ir.graph import Graph
from anabranch.ir.types import Type

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, eq=False)
class FrameSource(SourceSpec):
    """The rows of a DataFrame in the order of its columns `order`, ascending.

    `frame` has the order in columns called `@0`, `@1`, ..., and then the columns of the items, with
    the types of `type`. With a `time` the order begins with it. With a lateness the order is that
    in which rows came, and the source gives those whose time `on` is no farther behind, or, `late`,
    the others.
    """

    format: ClassVar[None] = None
    replayable: ClassVar[bool] = True
    shown: ClassVar[str] = "DataFrame"
    frame: DataFrame
    type: Type
    order: tuple[str, ...]
    time: str | None = None
    span: Span | None = None
    on: str | None = None
    lateness: float | timedelta | None = None
    late: bool = False

    def __post_init__(self):
        check_time(self.type, self.time, self.span)

    def __str__(self) -> str:
        if self.lateness is None:
            return self.shown
        what = "what is later than" if self.late else f"in the order of {self.on}, up to"
        return f"{self.shown}, {what} {self.lateness}{'' if self.late else ' late'}"

    def late_rows(self) -> FrameSource:
        return replace(self, late=True, time=None)

    @property
    def is_streaming(self) -> bool:
        return self.frame.isStreaming

    def items(self, rows: BadRows) -> Iterator[object]:
        """The rows, through the driver."""
        if self.is_streaming:
            raise ProgramError("a streaming DataFrame is read by Spark alone", self.span,
                               help="end the program with to_spark(), and write that as a stream")
        places = [place_name(n) for n in range(len(self.order))]
        time = [f"`{self.time}`"] if self.time and self.lateness is None else []
        try:
            table = self.frame.orderBy(*time, *(f"`{place}`" for place in places)).toArrow()
        except Exception as error:
            raise DataError("Spark could not read the DataFrame", self.span,
                            got=str(error).partition("\n")[0]) from None
        found = ArrowSource(table.drop_columns(places), self.type, None, self.span)
        if self.lateness is not None:
            return InTime(found, self.on, self.lateness, self.late).items(rows)
        return replace(found, time=self.time).items(rows)


def place_name(number: int) -> str:
    """The name under which a column of the order travels."""
    return f"@{number}"


@dataclass(frozen=True, eq=False)
class FrameSink(SinkSpec):
    """The place where items leave for a DataFrame, which Spark computes when it is asked to."""

    format: ClassVar[None] = None
    shown: ClassVar[str] = "DataFrame"
    span: Span | None = None

    def open(self, item_type: Type) -> object:
        raise ProgramError("a DataFrame is written by Spark", self.span, help="use its `write`")


def as_frame(graph: Graph) -> Graph:
    """The graph with DataFrames in place of its sinks."""
    return graph.with_operators(
        replace(op, name="to_spark", kind=replace(op.kind, spec=FrameSink(op.span)))
        if op.is_sink else op for op in graph)
