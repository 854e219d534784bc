"""What writers of columns have in common: items are collected until they are worth a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import pyarrow as pa

from anabranch.errors import RunError
from anabranch.io.arrow import has_times, schema_of, settled
from anabranch.io.badvalue import BadValue, shown
from anabranch.io.batch_rows import decoder
from anabranch.io.columns import check_columns, columns_encoder, columns_of
from anabranch.io.encoding import Encoder, native_encoder
from anabranch.io.values import NATIVE, utc_timestamp
from anabranch.io.writer import DECLARE, Writer
from anabranch.ir.times import is_aware
from anabranch.ir.types import Type

BATCH = 8192


EITHER = "a column holds either instants or wall-clock times"
KINDS = {True: f"a time with a zone, like those before it: {EITHER}",
         False: f"a time without a zone, like those before it: {EITHER}"}


class Times:
    """The encoder of one column of times; the first of them says what the column holds."""

    def __init__(self):
        self.aware: bool | None = None

    def __call__(self, value: object) -> object:
        time = utc_timestamp(value)
        if not self.takes(aware := is_aware(time)):
            raise BadValue(KINDS[not aware], shown(value))
        return time

    def takes(self, aware: bool) -> bool:
        if self.aware is None:
            self.aware = aware
        return aware == self.aware


class Leaves(dict):
    """Encoders of single values, of which each column of times has its own."""

    def __init__(self):
        super().__init__(NATIVE)
        self.times: list[Times] = []

    def __getitem__(self, name: str) -> Encoder:
        if name != "timestamp":
            return super().__getitem__(name)
        self.times.append(Times())
        return self.times[-1]


class ColumnsWriter(Writer):
    """Makes batches of single items; without any item and without a type there is no schema.

    A column of times holds what comes first, instants in UTC or wall-clock times; one without any
    is of wall-clock times. A subclass says in `add` where batches go.
    """

    place: ClassVar[str]
    schema: pa.Schema | None = None

    def begin(self, item_type: Type) -> Encoder:
        check_columns(item_type, self.place, self.where)
        self.schema, self.item_type = self._schema(item_type), item_type
        self.held: list[list] = []
        self.leaves: list[Leaves] = []
        self.filled: set[int] = set()
        return columns_encoder(item_type, self._encoder)

    def _encoder(self, kind: Type) -> Encoder:
        self.leaves.append(Leaves())
        return native_encoder(kind, self.leaves[-1])

    def add(self, batch: pa.RecordBatch) -> None:
        """Takes a batch; of its columns with values, the schema has the types."""
        raise NotImplementedError

    def put(self, encoded: list) -> None:
        self.held.append(encoded)
        if len(self.held) == BATCH:
            self.flush_rows()

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Rows that are in columns already."""
        if all(map(self._takes_times, range(batch.num_columns), batch.columns)):
            self.flush_rows()
            self._add(batch.columns)
            return
        make = decoder(self.item_type)
        for row in batch.to_pylist():
            self.write(make(row))

    def _takes_times(self, number: int, column: pa.Array) -> bool:
        """Whether a column has times of the kind that came before."""
        if not pa.types.is_timestamp(column.type) or column.null_count == len(column):
            return True
        return all(times.takes(column.type.tz is not None) for times in self.leaves[number].times)

    def flush_rows(self) -> None:
        if self.held:
            columns, self.held = list(zip(*self.held)), []
            self._add([pa.array(values, settled(field.type, values))
                       for values, field in zip(columns, self.schema)])

    def _add(self, columns: Sequence[pa.Array]) -> None:
        for number, column in enumerate(columns):
            self._settle(number, column)
        batch = pa.RecordBatch.from_arrays(columns, self.schema.names)
        self.add(self.fitted(batch))

    def _settle(self, number: int, column: pa.Array) -> None:
        """The first values of a column with times say of what kind they are."""
        field = self.schema.field(number)
        if not has_times(field.type) or column.null_count == len(column):
            return
        if column.type != field.type and number in self.filled:
            raise RunError(f"cannot write the column '{field.name}': {EITHER}", self.where,
                           expected=str(field.type), got=str(column.type))
        self.filled.add(number)
        self.schema = self.schema.set(number, field.with_type(column.type))

    def fitted(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The batch with the types of the schema; a column that has another one has no values."""
        return pa.RecordBatch.from_arrays(
            [column if column.type == field.type else column.cast(field.type)
             for column, field in zip(batch.columns, self.schema)], schema=self.schema)

    def _schema(self, item_type: Type) -> pa.Schema:
        try:
            return schema_of(columns_of(item_type))
        except RunError as error:
            error.where, error.help = self.where, DECLARE
            raise
