"""The input columns of a stage, and behind them the columns inside of records in records."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from anabranch.io.columns import columns_of
from anabranch.ir.types import OptionalOf, RecordOf, Type
from anabranch.kernels.batches import is_opaque
from anabranch.kernels.native.values import Rec, Shape, column_value, kind_of


@dataclass(frozen=True)
class Source:
    """A column: the number of the batch's column, and the names that lead into it."""

    type: Type
    number: int
    path: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        return kind_of(self.type)

    def column(self, batch: pa.RecordBatch) -> pa.Array:
        found = batch.column(self.number)
        return pc.struct_field(found, list(self.path)) if self.path else found


def sources_of(item: Type) -> tuple[Source, ...]:
    own = [Source(t, n) for n, t in enumerate(columns_of(item).values())]
    return (*own, *(inner for source in own for inner in _inside(source)))


def _inside(source: Source) -> list[Source]:
    """The columns of scalars inside of a record that is never None."""
    if not _is_nested(source.type):
        return []
    found = []
    for name, declared in source.type.fields.items():
        inner = Source(declared, source.number, (*source.path, name))
        found += _inside(inner) if _is_nested(declared) else [inner]
    return found


def _is_nested(declared: Type) -> bool:
    return isinstance(declared, RecordOf) and not is_opaque(declared)


def input_shape(item: Type) -> Shape:
    """An item as its columns."""
    sources = sources_of(item)
    numbers = {(s.number, s.path): n for n, s in enumerate(sources)}
    values = [_shape(sources[n], numbers) for n in range(len(columns_of(item)))]
    return Rec(item.cls, dict(zip(item.fields, values))) if isinstance(item, RecordOf) else (
        values[0])


def _shape(source: Source, numbers: dict[tuple, int]) -> Shape:
    if _is_nested(source.type):
        return Rec(source.type.cls, {
            name: _shape(Source(declared, source.number, (*source.path, name)), numbers)
            for name, declared in source.type.fields.items()})
    number = numbers[source.number, source.path]
    return column_value(source.kind, number, isinstance(source.type, OptionalOf))
