"""Parquet in columns; what nobody wants is read only as far as it has to be looked at.

A column of numbers that is wide enough and, as the file says, has no nulls is well formed. Of texts
it is enough to look at the dictionary, if they have one.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import chain, islice

import pyarrow as pa
from pyarrow import types as arrow

from anabranch.core.errors import AnabranchError, DataError, RunError
from anabranch.core.lazy import compute, parquet
from anabranch.core.source import Span
from anabranch.io.ahead import each_ahead
from anabranch.io.arrow.extract import Extract, Names, with_nulls
from anabranch.io.arrow.rows import Targets, targets
from anabranch.io.arrow.schema import INSTANT, WALL_CLOCK
from anabranch.io.columns import columns_of
from anabranch.io.files.stores import is_remote, opened_anywhere
from anabranch.ir.times import EPOCH
from anabranch.ir.types import IN_COLUMNS, OptionalOf, Type, without_none
from anabranch.plan.tuning import costs

DAMAGED = "it is damaged, or no Parquet: write it again, or take it out of the input"


@contextmanager
def opened(file: str, where: Span | None, coded: list[str] | None = None,
           metadata: parquet.FileMetaData | None = None) -> Iterator[parquet.ParquetFile]:
    """The file; its `coded` columns are read as a dictionary and places in it. Its `metadata` need
    not be read again."""
    try:
        # Of the old type with nanoseconds Arrow would take years only from 1677 to 2262.
        with opened_anywhere(file) as source, parquet.ParquetFile(
                source, metadata=metadata, read_dictionary=coded,
                coerce_int96_timestamp_unit="us") as found:
            yield found
    except AnabranchError:
        raise
    except OSError as error:
        raise RunError(f"cannot read '{file}' as Parquet: {told(error)}", where,
                       help=None if error.errno else DAMAGED) from error
    except Exception as error:
        # A damaged file may have Arrow raise anything, as for names that are no UTF-8.
        raise RunError(f"cannot read '{file}' as Parquet: {told(error)}", where,
                       help=DAMAGED) from error


def told(error: Exception) -> str:
    """What a library says of a file, in one line."""
    return " ".join(str(error).split()) or type(error).__name__


def batches_of(file: parquet.ParquetFile, groups: range, columns: list[str], size: int,
               in_threads: bool = True) -> Iterator[pa.RecordBatch]:
    """The rows of some row groups: as many as the file says that there are. Of a damaged one Arrow
    may give fewer without a word."""
    said = sum(file.metadata.row_group(number).num_rows for number in groups)
    came = 0
    for batch in file.iter_batches(size, row_groups=list(groups), columns=columns,
                                   use_threads=in_threads):
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


SLICE = 65_536
"""So many rows are given out at once; of what is decoded ahead, as many as make a slice."""

SAFE = {pa.int64(): {pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(),
                     pa.uint32()},
        pa.float64(): {pa.float32(), pa.float64()}, pa.bool_(): {pa.bool_()}}
"""From which types a cast to ours never fails."""


def are_scalars(item: Type) -> bool:
    """Whether all columns have single values: batches hold just what rows would, then."""
    return all(without_none(kind) in IN_COLUMNS for kind in columns_of(item).values())


ROWS_OF_A_PART = 1 << 17
"""So many rows, or a row group that has more, are decoded by one thread."""

MOST_BYTES_AHEAD = 1 << 30
"""What is decoded and not taken yet has no more bytes than that, or is a single part."""


def extracts(item: Type, files: Iterable[str], where: Span | None, wanted: Names | None,
             groups: range | None = None, threads: int = 1) -> Iterator[Extract]:
    """The rows of files, or of some row groups of each, in columns of the declared types; those
    that are not wanted as far as needed.

    Arrow decodes the first part, column by column, as it is taken: who wants a few rows waits for
    no more than these. The others are decoded ahead by so many threads, if more than one.
    """
    parts = (part for file in files for part in _parts(item, file, where, wanted, groups))
    if threads == 1:
        yield from chain.from_iterable(part.extracts() for part in parts)
        return
    first = ([found] for part in islice(parts, 1) for found in part.extracts())
    yield from chain.from_iterable(each_ahead(
        lambda part: list(part.extracts(costs().most_columns_of_slice)), parts, threads, "decoder",
        size=lambda part: part.bytes, most=MOST_BYTES_AHEAD, first=first))


@dataclass(frozen=True)
class GroupsOfFile:
    """Row groups of a file that follow each other, before which there are `before` rows: what is
    read of them, and how many bytes they take."""

    item: Type
    file: str
    where: Span | None
    metadata: parquet.FileMetaData
    reading: ColumnReading
    groups: range
    before: int

    @property
    def bytes(self) -> int:
        return sum(self.metadata.row_group(group).total_byte_size for group in self.groups)

    def extracts(self, size: int = SLICE) -> Iterator[Extract]:
        with opened(self.file, self.where, sorted(self.reading.coded), self.metadata) as found:
            yield from self.reading.extracts(found, self.groups, self.item, self.file, self.where,
                                             size, self.before)


SMALL = 1 << 18
"""A file of fewer bytes is opened once, by whoever decodes it."""


def _size(file: str) -> float:
    """How many bytes a file has; as many as there can be if that is not known."""
    try:
        return os.path.getsize(file)
    except OSError:
        return math.inf


@dataclass(frozen=True)
class SmallFile:
    """A whole file that is not worth to be looked at before it is decoded."""

    item: Type
    file: str
    where: Span | None
    wanted: Names | None

    @property
    def bytes(self) -> float:
        return SMALL

    def extracts(self, size: int = SLICE) -> Iterator[Extract]:
        with opened(self.file, self.where) as found:
            reading = ColumnReading.of_file(found, self.item, self.file, self.wanted)
            if not reading.coded:
                yield from reading.extracts(found, range(found.num_row_groups), self.item,
                                            self.file, self.where, size, in_threads=False)
                return
        with opened(self.file, self.where, sorted(reading.coded)) as found:
            yield from reading.extracts(found, range(found.num_row_groups), self.item, self.file,
                                        self.where, size, in_threads=False)


def _parts(item: Type, file: str, where: Span | None, wanted: Names | None, groups: range | None
           ) -> Iterator[GroupsOfFile | SmallFile]:
    """Some row groups of a file, or all, in parts of some rows: small ones stay together."""
    if groups is None and not is_remote(file) and _size(file) < SMALL:
        yield SmallFile(item, file, where, wanted)
        return
    with opened(file, where) as found:
        reading, metadata = ColumnReading.of_file(found, item, file, wanted), found.metadata
    sizes = [metadata.row_group(n).num_rows for n in range(metadata.num_row_groups)]
    groups = range(len(sizes)) if groups is None else groups
    begin, before = groups.start, sum(sizes[:groups.start])
    for group in groups:
        rows = sum(sizes[begin:group + 1])
        if rows >= ROWS_OF_A_PART or group == groups[-1]:
            part = range(begin, group + 1)
            yield GroupsOfFile(item, file, where, metadata, reading, part, before)
            begin, before = group + 1, before + rows


@dataclass(frozen=True)
class ColumnReading:
    """Columns that are read, with the types to cast them to, and those of which the dictionaries
    are looked at."""

    kinds: Targets
    coded: Names = frozenset()

    @staticmethod
    def of(file: parquet.ParquetFile, item: Type, kinds: Targets, wanted: Names) -> ColumnReading:
        others = [_Chunks(file, name) for name in kinds if name not in wanted]
        known = [c for c in others if c.are_whole(columns_of(item)[c.name])]
        free = {c.name for c in known if c.type in SAFE.get(kinds[c.name], ())}
        coded = {c.name for c in known if c.have_dictionaries}
        kept = {name: kind for name, kind in kinds.items() if name not in free | coded}
        return ColumnReading(kept, frozenset(coded))

    @staticmethod
    def of_file(found: parquet.ParquetFile, item: Type, file: str, wanted: Names | None
                ) -> ColumnReading:
        """What has to be read of a file for these columns."""
        kinds = targets(schema_of(found), item, file)
        # Batches say how many rows there are only if they have a column.
        least = frozenset(kinds) if wanted is None else wanted or frozenset([next(iter(kinds))])
        return ColumnReading.of(found, item, kinds, least)

    def extracts(self, found: parquet.ParquetFile, groups: range, item: Type, file: str,
                 where: Span | None, size: int, before: int = 0, in_threads: bool = True
                 ) -> Iterator[Extract]:
        """The rows of some row groups of a file, before which there are so many."""
        read, done = frozenset(self.kinds), before
        for batch in batches_of(found, groups, [*self.kinds, *self.coded], size, in_threads):
            end = done + len(batch)
            yield Extract(self.batch(batch, item, file), read,
                          partial(_again, item, file, where, done, end))
            done = end

    def batch(self, batch: pa.RecordBatch, item: Type, file: str) -> pa.RecordBatch:
        cells = {name: _as(target, batch.column(name)) for name, target in self.kinds.items()}
        _check_nulls(cells, item, file)
        _check_texts([*cells.values(), *(batch.column(name).dictionary for name in self.coded)])
        _check_times(cells.values())
        return with_nulls(map(cells.get, columns_of(item)), len(batch), item)


@dataclass(frozen=True)
class _Chunks:
    """A column of a file: what its chunks say of it."""

    file: parquet.ParquetFile
    name: str

    @property
    def type(self) -> pa.DataType:
        return self.file.schema_arrow.field(self.name).type

    @property
    def have_dictionaries(self) -> bool:
        return arrow.is_string(self.type) and all(c.has_dictionary_page for c in self._each())

    def are_whole(self, declared: Type) -> bool:
        """Whether nothing is missing that has to be there."""
        return isinstance(declared, OptionalOf) or all(
            chunk.is_stats_set and chunk.statistics.null_count == 0 for chunk in self._each())

    def _each(self) -> Iterator[parquet.ColumnChunkMetaData]:
        metadata = self.file.metadata
        for group in map(metadata.row_group, range(metadata.num_row_groups)):
            chunks = map(group.column, range(group.num_columns))
            yield from (chunk for chunk in chunks if chunk.path_in_schema == self.name)


def _as(kind: pa.DataType, column: pa.Array) -> pa.Array:
    return column if column.type == kind else column.cast(kind)


def _again(item: Type, file: str, where: Span | None, start: int, stop: int) -> pa.RecordBatch:
    """Some rows of a file, wholly."""
    with opened(file, where) as found:
        kinds = targets(schema_of(found), item, file)
        first, groups = _groups_of(found.metadata, start, stop)
        table = found.read_row_groups(groups, columns=list(kinds))
    [batch] = table.slice(start - first, stop - start).combine_chunks().to_batches()
    return ColumnReading(kinds).batch(batch, item, file)


def _groups_of(metadata: parquet.FileMetaData, start: int, stop: int) -> tuple[int, list[int]]:
    """The row groups that have some rows, and the number of the first row in them."""
    begin, first, groups = 0, 0, []
    for number in range(metadata.num_row_groups):
        end = begin + metadata.row_group(number).num_rows
        if begin < stop and start < end:
            first = first if groups else begin
            groups.append(number)
        begin = end
    return first, groups


def _check_nulls(cells: dict[str, pa.Array], item: Type, file: str) -> None:
    kinds = columns_of(item)
    for name, array in cells.items():
        if array.null_count and not isinstance(kinds[name], OptionalOf):
            raise DataError(f"'{name}' is missing in some row", file, expected=str(kinds[name]))


def _check_texts(arrays: list[pa.Array]) -> None:
    """Arrow reads bytes that are not UTF-8 as text."""
    for array in arrays:
        if arrow.is_string(array.type):
            array.validate(full=True)


def _check_times(arrays: Iterable[pa.Array]) -> None:
    """Arrow has years that Python has not."""
    for array in arrays:
        if arrow.is_timestamp(array.type):
            found = compute.min_max(array.cast(WALL_CLOCK).cast(pa.int64())).as_py()
            if found["min"] is not None and (found["min"] < _FIRST or found["max"] > _LAST):
                raise ValueError("a time is not in the years from 1 to 9999")


# Not by Arrow, which would import pandas for it.
_FIRST, _LAST = ((time - EPOCH) // timedelta(microseconds=1)
                 for time in (datetime.min, datetime.max))
