"""Parquet files: how they are opened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
from pyarrow import parquet

from anabranch.errors import RunError
from anabranch.source import Span


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
