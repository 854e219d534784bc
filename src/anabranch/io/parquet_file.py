"""Parquet files: how they are opened."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pyarrow as pa
from pyarrow import parquet

from anabranch.errors import AnabranchError, RunError
from anabranch.io.arrow import INSTANT
from anabranch.source import Span

DAMAGED = "it is damaged, or no Parquet: write it again, or take it out of the input"


@contextmanager
def opened(file: str, where: Span | None, coded: list[str] | None = None
           ) -> Iterator[parquet.ParquetFile]:
    """The file; its `coded` columns are read as a dictionary and places in it."""
    try:
        # Of the old type with nanoseconds Arrow would take years only from 1677 to 2262.
        with parquet.ParquetFile(file, read_dictionary=coded,
                                 coerce_int96_timestamp_unit="us") as found:
            yield found
    except AnabranchError:
        raise
    except OSError as error:
        raise RunError(f"cannot read '{file}' as Parquet: {_told(error)}", where,
                       help=None if error.errno else DAMAGED) from error
    except Exception as error:
        # A damaged file may have Arrow raise anything, as for names that are no UTF-8.
        raise RunError(f"cannot read '{file}' as Parquet: {_told(error)}", where,
                       help=DAMAGED) from error


def _told(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def batches_of(file: parquet.ParquetFile, groups: range, columns: list[str], size: int
               ) -> Iterator[pa.RecordBatch]:
    """The rows of some row groups: as many as the file says that there are. Of a damaged one Arrow
    may give fewer without a word."""
    said = sum(file.metadata.row_group(number).num_rows for number in groups)
    came = 0
    for batch in file.iter_batches(size, row_groups=list(groups), columns=columns):
        came += len(batch)
        yield batch
    if came != said:
        raise pa.ArrowInvalid(f"{came} rows came where it says that there are {said}")


def row_count(file: str, where: Span | None) -> int:
    with opened(file, where) as found:
        return found.metadata.num_rows


def schema_of(found: parquet.ParquetFile) -> pa.Schema:
    """The columns of a file. Of the old type INT96, which Spark writes, Arrow does not say that it
    holds instants."""
    physical = [found.schema.column(n).physical_type for n in range(len(found.schema.names))]
    if "INT96" not in physical:
        return found.schema_arrow
    following = iter(physical).__next__
    return pa.schema([f.with_type(_stored(f.type, following)) for f in found.schema_arrow])


def _stored(kind: pa.DataType, following: Callable[[], str]) -> pa.DataType:
    """A type with instants in the places of INT96; the columns of a file are its leaves."""
    if not kind.num_fields:
        return INSTANT if following() == "INT96" else kind
    fields = [f.with_type(_stored(f.type, following))
              for f in map(kind.field, range(kind.num_fields))]
    if pa.types.is_struct(kind):
        return pa.struct(fields)
    return pa.map_(fields[0].type, fields[1]) if pa.types.is_map(kind) else pa.list_(fields[0])
