"""CSV as record batches, for files that need no second look.

A plain file has no quotes and no carriage returns, and its header names each column once. There
Arrow and Python agree on what a row is, and on numbers, but for two: Arrow reads 0x10 as a number,
and nan(1) as NaN. Where the first could be, and for times, cells are read as text, and must be
written in the usual way. For anything else `batches` raises, and the rows are read one by one.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from anabranch.io.arrow import schema_of, written_as
from anabranch.io.columns import columns_of
from anabranch.ir.types import BOOL, FLOAT, INT, STR, TIMESTAMP, OptionalOf, Type, without_none

USUAL = {
    INT: r"^-?[0-9]{1,18}$",
    FLOAT: r"^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]{1,2})?$",
    BOOL: r"^(true|false)$",
    TIMESTAMP: r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{6})?$",
}
BLOCK = 4 << 20
MARKS = (b'"', b"\r", b"\0")
"""What a plain text has none of."""


class Unusual(Exception):
    """A file or a cell that only the reading of rows can judge."""


def has_plain_columns(item: Type) -> bool:
    return all(without_none(kind) in (STR, *USUAL) for kind in columns_of(item).values())


def is_plain(file: str, item: Type) -> bool:
    """Whether the text has only commas and line feeds to tell cells and rows apart."""
    if os.path.getsize(file) == 0:
        return False
    with open(file, "rb") as opened, mmap.mmap(opened.fileno(), 0,
                                                access=mmap.ACCESS_READ) as text:
        names = plain_names(text.readline(), item)
        return names is not None and not any(text.find(mark) >= 0 for mark in MARKS)


def plain_names(header: bytes, item: Type) -> list[str] | None:
    """The columns that a header names, if that needs no second look."""
    names = header.rstrip(b"\n").decode(errors="replace").split(",")
    plain = (len(names) > 1 and len(set(names)) == len(names)
             and not any(mark in header for mark in MARKS)
             and set(columns_of(item)) <= set(names)
             and all(n == n.strip("\ufeff \t") for n in names))
    return names if plain else None


NUMBERS = {INT: pa.int64(), FLOAT: pa.float64(), BOOL: pa.bool_()}
HEXADECIMAL = (b"0x", b"0X")


def _may_be_hexadecimal(file: str) -> bool:
    if os.path.getsize(file) == 0:
        return False
    with open(file, "rb") as opened, mmap.mmap(opened.fileno(), 0,
                                               access=mmap.ACCESS_READ) as text:
        return any(text.find(mark) >= 0 for mark in HEXADECIMAL)


def part_batches(text: bytes, header: bytes, item: Type) -> Iterator[pa.RecordBatch]:
    """The rows of some lines of a file with this header; `Unusual` when they are not plain."""
    names = plain_names(header, item)
    if names is None or any(mark in text for mark in MARKS):
        raise Unusual("quotes, line ends or names that are not plain")
    numbers = not any(mark in text for mark in HEXADECIMAL)
    return _read(pa.BufferReader(text), item, names, numbers) if text.strip(b"\n") else iter(())


def batches(file: str, item: Type) -> Iterator[pa.RecordBatch]:
    """The rows of a plain file, which begins with its header."""
    return _read(file, item, None, not _may_be_hexadecimal(file))


def _read(file: str | pa.NativeFile, item: Type, names: list[str] | None, numbers: bool
          ) -> Iterator[pa.RecordBatch]:
    """The rows of a text, which begins with its header unless `names` has it; with `numbers`
    Arrow reads them itself."""
    columns, known = columns_of(item), NUMBERS if numbers else {}
    schema = schema_of(columns)
    convert = csv.ConvertOptions(
        column_types={name: known.get(without_none(kind), pa.string())
                      for name, kind in columns.items()},
        include_columns=list(columns), null_values=[""], strings_can_be_null=True)
    read = csv.ReadOptions(block_size=BLOCK, column_names=names)
    with csv.open_csv(file, read, csv.ParseOptions(quote_char=False), convert) as reader:
        for batch in reader:
            arrays = [_converted(cells, kind)
                      for cells, kind in zip(batch.columns, columns.values())]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _converted(cells: pa.Array, given: Type) -> pa.Array:
    kind = without_none(given)
    if cells.null_count and not isinstance(given, OptionalOf):
        if kind != STR:
            raise Unusual("an empty cell")
        return cells.fill_null("")
    if kind == STR:
        return cells
    if not pa.types.is_string(cells.type):
        if kind == FLOAT and pc.any(pc.is_nan(cells), min_count=0).as_py():
            raise Unusual("NaN, or what Arrow takes for it")
        return cells
    if not pc.all(pc.match_substring_regex(cells, USUAL[kind]), min_count=0).as_py():
        raise Unusual(f"a cell that is not the usual {kind}")
    return cells.cast(written_as(kind))
