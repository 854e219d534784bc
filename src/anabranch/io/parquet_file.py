"""Parquet files: how they are opened, and the types their columns have to have."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
from pyarrow import parquet

from anabranch.errors import DataError, RunError, did_you_mean
from anabranch.io.arrow import read_as
from anabranch.io.columns import columns_of
from anabranch.ir.types import Type
from anabranch.source import Span

Targets = dict[str, pa.DataType]
"""The types to which columns are cast, by their names."""


@contextmanager
def opened(file: str, where: Span | None, coded: list[str] | None = None
           ) -> Iterator[parquet.ParquetFile]:
    """The file; its `coded` columns are read as a dictionary and places in it."""
    try:
        with parquet.ParquetFile(file, read_dictionary=coded) as found:
            yield found
    except (pa.ArrowException, OSError) as error:
        raise RunError(f"cannot read '{file}' as Parquet: {error}", where) from error


def row_count(file: str, where: Span | None) -> int:
    with opened(file, where) as found:
        return found.metadata.num_rows


def targets(schema: pa.Schema, item: Type, file: str) -> Targets:
    """The type to cast each column to; an error for one that is missing or of another type."""
    return {name: _column(schema, name, kind, file) for name, kind in columns_of(item).items()}


def _column(schema: pa.Schema, name: str, kind: Type, file: str) -> pa.DataType:
    found = schema.get_all_field_indices(name)
    if len(found) != 1:
        what = f"two columns called '{name}'" if found else f"no column '{name}'"
        raise DataError(f"the Parquet file has {what}", file, expected=f"'{name}' once",
                        got=", ".join(schema.names), help=did_you_mean(name, schema.names))
    given = schema.field(found[0]).type
    target = read_as(kind, given)
    if target is None:
        raise DataError(f"column '{name}' of the Parquet file has another type", file,
                        expected=str(kind), got=str(given))
    return target
