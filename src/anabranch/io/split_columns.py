"""Parts of files in columns.

Where anything is out of the ordinary they raise, and only the reading of items can tell what is
wrong, if anything is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from anabranch.io import csv_columns, jsonl_columns, parquet_columns, plain
from anabranch.io.columns import columns_of
from anabranch.io.extracts import Extract, Names
from anabranch.io.paths import opened
from anabranch.io.split_lines import text_between
from anabranch.ir.types import Scalar, without_none

if TYPE_CHECKING:
    from anabranch.io.splits import Split


def extracts(split: Split, wanted: Names | None) -> Iterator[Extract]:
    """The items of a split in columns, of which those that are not wanted may stay unread."""
    if split.source.fixed(split.path):
        raise plain.Unusual("fields that the file does not have")
    time, last = split.source.time, None
    needed = wanted if wanted is None or time is None else wanted | {time}
    for extract in _EXTRACTS[split.source.format](split, needed):
        last = _checked(extract.batch, time, last)
        yield extract


def _csv(split: Split, wanted: Names | None) -> Iterator[Extract]:
    item = split.source.type
    read = frozenset(columns_of(item)) - plain.unread(item, wanted)
    for number, batch in enumerate(_csv_batches(split, wanted)):
        yield Extract(batch, read, partial(_whole_csv, split, number))


def _csv_batches(split: Split, wanted: Names | None = None) -> Iterator[pa.RecordBatch]:
    if not plain.has_plain_columns(split.source.type):
        raise plain.Unusual("values that have no plain column")
    with opened(split.path, split.source.span) as stream:
        header = stream.readline()
        text = text_between(stream, max(split.start, len(header)), split.end)
    return csv_columns.part_batches(text, header, split.source.type, wanted)


def _whole_csv(split: Split, number: int) -> pa.RecordBatch:
    return next(islice(_csv_batches(split), number, None))


def _jsonl(split: Split, wanted: Names | None) -> Iterator[Extract]:
    for number, extract in enumerate(_jsonl_extracts(split, wanted)):
        yield replace(extract, whole=partial(_whole_jsonl, split, number))


def _jsonl_extracts(split: Split, wanted: Names | None = None) -> Iterator[Extract]:
    with opened(split.path, split.source.span) as stream:
        text = text_between(stream, split.start, split.end)
    return jsonl_columns.part_extracts(text, split.source.type, wanted)


def _whole_jsonl(split: Split, number: int) -> pa.RecordBatch:
    return next(islice(_jsonl_extracts(split), number, None)).batch


def _parquet(split: Split, wanted: Names | None) -> Iterator[Extract]:
    if not all(isinstance(without_none(k), Scalar) for k in columns_of(split.source.type).values()):
        raise plain.Unusual("values that have no plain column")
    return parquet_columns.extracts(split.source.type, split.path, split.source.span, wanted,
                                    range(split.start, split.end))


def _checked(batch: pa.RecordBatch, time: str | None, last: object) -> object:
    """The last time. Refuses what a look at single values has to settle: NaN, and times that are
    missing or go back."""
    for column in batch.columns:
        if pa.types.is_floating(column.type) and pc.any(pc.is_nan(column)).as_py():
            raise plain.Unusual("NaN")
    if time is None or not len(batch):
        return last
    times = batch.column(time)
    ordered = last is None or times[0].as_py() is None or last <= times[0].as_py()
    if times.null_count or not ordered or pc.any(pc.greater(times[:-1], times[1:])).as_py():
        raise plain.Unusual("a time that is missing, or goes back")
    return times[-1].as_py()


_EXTRACTS = {"csv": _csv, "jsonl": _jsonl, "parquet": _parquet}
