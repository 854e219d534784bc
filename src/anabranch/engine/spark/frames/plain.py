"""Columns of Spark's whose values travel as Python's objects.

Between our operators a date, a decimal or a choice is bytes, from which it comes back as it was.
Where Spark gives or takes the items, it has the type that Spark knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from anabranch.batch.record_batch import array_of, is_opaque, values_of
from anabranch.core.errors import DataError, RunError
from anabranch.core.source import Span
from anabranch.io.arrow.schema import written_as
from anabranch.io.columns import columns_encoder, columns_of, item_of
from anabranch.io.values.codecs import Encoder, native_decoder, native_encoder
from anabranch.io.values.scalars import (
    NATIVE,
    TEXT_ENCODERS,
    BadValue,
    coded_items,
    native_decimal,
    shown,
)
from anabranch.ir.types import Type


@dataclass(frozen=True)
class PlainColumns:
    """The Arrow types of such columns, by their names. `span` is the line of a source, whose items
    come back as they were."""

    types: Mapping[str, pa.DataType]
    span: Span | None = None
    given: bool = False

    def items(self, arrays: Sequence[pa.Array], item: Type) -> list:
        """The items that Spark gives."""
        columns = [self._values(array, name, kind)
                   for array, (name, kind) in zip(arrays, columns_of(item).items())]
        return list(map(item_of(item), zip(*columns)))

    def _values(self, array: pa.Array, name: str, kind: Type) -> list:
        if name not in self.types:
            return values_of(array, kind)
        try:
            return coded_items(native_decoder(kind), array.to_pylist())
        except BadValue as bad:
            raise DataError(f"the column '{name}' has a value that is none of {kind}", self.span,
                            expected=bad.expected, got=bad.got,
                            help="filter such rows out, or declare the field as the column is"
                            ) from None

    def arrays(self, items: Sequence, item: Type, where: Span | None) -> Iterator[pa.Array]:
        """The columns that Spark takes."""
        encoded = columns_encoder(item, self._encoder)
        rows = [_encoded(encoded, each, where) for each in items]
        for (name, kind), values in zip(columns_of(item).items(), zip(*rows)):
            wanted = self.types.get(name) or written_as(kind)
            yield array_of(values, wanted, where)

    def _encoder(self, kind: Type) -> Encoder:
        # What a source has given fits into its own column, whatever that is.
        return native_encoder(kind, AS_GIVEN if self.given else ENCODERS)


ENCODERS = {**NATIVE, "time": TEXT_ENCODERS["time"]}
AS_GIVEN = {**ENCODERS, "Decimal": native_decimal}
"""Values as Spark has them. Its own type for times of day goes into no Python worker."""


def _encoded(encoder: Encoder, given: object, where: Span | None) -> list:
    try:
        return encoder(given)
    except BadValue as bad:
        what = bad.own_reason or f"'{bad.path}' is not of the type of its column"
        raise RunError(f"cannot hand an item to Spark: {what}", where, expected=bad.expected,
                       got=bad.got, below=f"  = item: {shown(given, 300)}") from None


def in_objects(item: Type) -> Iterator[str]:
    """The columns whose values travel as objects."""
    return (name for name, kind in columns_of(item).items() if is_opaque(kind))


def written(item: Type) -> dict[str, pa.DataType]:
    """The types that such columns have in what leaves; a `RunError` where there is none."""
    columns = columns_of(item)
    return {name: _with_text(written_as(columns[name])) for name in in_objects(item)}


def _with_text(kind: pa.DataType) -> pa.DataType:
    """The type with texts for times of day."""
    if pa.types.is_time(kind):
        return pa.string()
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_with_text(kind.value_type)))
    if pa.types.is_map(kind):
        item = kind.item_field.with_type(_with_text(kind.item_type))
        return pa.map_(_with_text(kind.key_type), item)
    if pa.types.is_struct(kind):
        inner = map(kind.field, range(kind.num_fields))
        return pa.struct([own.with_type(_with_text(own.type)) for own in inner])
    return kind
