"""CSV as record batches, for files that need no second look.

A plain file has no quotes and no carriage returns, and its header names each column once. There
Arrow and Python agree on what a row is. Cells are read as text, and numbers only when they are
written in the usual way; for anything else `batches` raises, and the rows are read one by one.
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
        names = text.readline().rstrip(b"\n").decode(errors="replace").split(",")
        marked = any(text.find(mark) >= 0 for mark in (b'"', b"\r", b"\0"))
    wanted = columns_of(item)
    return (not marked and len(names) > 1 and len(set(names)) == len(names)
            and set(wanted) <= set(names) and all(n == n.strip("\ufeff \t") for n in names))


def batches(file: str, item: Type) -> Iterator[pa.RecordBatch]:
    """The rows of a plain file."""
    columns = columns_of(item)
    schema = schema_of(columns)
    convert = csv.ConvertOptions(column_types=dict.fromkeys(columns, pa.string()),
                                 include_columns=list(columns), null_values=[""],
                                 strings_can_be_null=True)
    with csv.open_csv(file, csv.ReadOptions(block_size=BLOCK), csv.ParseOptions(quote_char=False),
                      convert) as reader:
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
    if not pc.all(pc.match_substring_regex(cells, USUAL[kind]), min_count=0).as_py():
        raise Unusual(f"a cell that is not the usual {kind}")
    return cells.cast(written_as(kind))
