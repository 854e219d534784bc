"""Arrow tables in memory as sources and sinks.

No row is ever a Python object where the program runs in columns.

>>> from anabranch.ir.types import INT
>>> list(ArrowSource(pa.table({"value": [1, 2]}), INT).items(BadRows()))
[1, 2]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from anabranch.core.errors import RunError
from anabranch.core.source import Span
from anabranch.io.arrow.extract import Extract, Names
from anabranch.io.arrow.rows import BATCH, ColumnsWriter, Targets, items_of, targets
from anabranch.io.columns import check_columns
from anabranch.io.parquet.columns import ColumnReading, are_scalars
from anabranch.io.rows import BadRows, TimeOrder, check_time
from anabranch.io.writer import DECLARE
from anabranch.ir.ends import SinkSpec, SourceSpec
from anabranch.ir.types import Type
from anabranch.plan.tuning import costs


@dataclass(frozen=True, eq=False)
class ArrowSource(SourceSpec):
    """The rows of a table: columns are found by name, others ignored, types checked."""

    format: ClassVar[None] = None
    replayable: ClassVar[bool] = True
    shown: ClassVar[str] = "arrow table"
    table: pa.Table
    type: Type
    time: str | None = None
    span: Span | None = None

    def __post_init__(self):
        check_time(self.type, self.time, self.span)
        check_columns(self.type, "a table", self.span)
        self._targets()

    def rows_about(self) -> int:
        return self.table.num_rows

    def has_batches(self) -> bool:
        """Whether batches hold just what rows would: single values."""
        return are_scalars(self.type)

    def extracts(self, wanted: Names | None = None, threads: int = 1) -> Iterator[Extract]:
        """The rows in columns of the declared types; a `DataError` for any bad row. What is in
        memory need not be read."""
        columns = self._targets()
        # In large pieces: each new one touches new memory.
        for batch in self.table.select(list(columns)).to_batches(costs().most_columns_of_slice):
            yield Extract.complete(ColumnReading(columns).batch(batch, self.type, self.shown))

    def items(self, rows: BadRows) -> Iterator[object]:
        columns = self._targets()
        batches = self.table.select(list(columns)).to_batches(BATCH)
        return items_of(batches, columns, self.type, self.shown, TimeOrder(self.time), rows)

    def _targets(self) -> Targets:
        return targets(self.table.schema, self.type, self.span or self.shown, "the table")


@dataclass(frozen=True, eq=False)
class ArrowSink(SinkSpec):
    """Puts a table of all items into a list, when the run has succeeded."""

    format: ClassVar[None] = None
    shown: ClassVar[str] = "arrow table"
    target: list[pa.Table]
    span: Span | None = None

    @property
    def writer(self) -> type[TableWriter]:
        return TableWriter

    def open(self, item_type: Type) -> TableWriter:
        return self.writer(Batches(self.target), item_type, self.span)


class Batches:
    """The batches of a table that is not complete."""

    appears_whole = True

    def __init__(self, target: list[pa.Table]):
        self.target, self.batches, self.schema = target, [], None

    def commit(self) -> None:
        batches, self.batches = self.batches, []
        self.target.append(pa.Table.from_batches(batches, self.schema))

    def abort(self) -> None:
        self.batches = []


class TableWriter(ColumnsWriter):
    place = "a table"

    def add(self, batch):
        self.out.batches.append(batch)

    def commit(self):
        if self.schema is None:
            raise RunError("a table needs columns, and there is neither a type nor an item",
                           self.where, help=DECLARE)
        self.flush_rows()
        self.out.batches, self.out.schema = map(self.fitted, self.out.batches), self.schema
        super().commit()
