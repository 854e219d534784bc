"""JSON Lines in columns: of records of single values, in large files."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from anabranch.core.source import Span
from anabranch.io.arrow.extract import Extract, Names
from anabranch.io.files.packing import RATIO, codec_of
from anabranch.io.text import columns as plain
from anabranch.ir.records import Record
from anabranch.ir.types import RecordOf, Type
from anabranch.plan.tuning import costs

if TYPE_CHECKING:
    from anabranch.io.text.stretches import ReadRows, Stretch

LOOPS = "anabranch.io.text.scan"


def has_plain_columns(item: Type) -> bool:
    return (isinstance(item, RecordOf) and plain.has_plain_columns(item)
            and not _makes_items_itself(item.cls))


def _makes_items_itself(cls: type) -> bool:
    return any("__new__" in base.__dict__ for base in cls.__mro__
               if issubclass(base, Record) and base is not Record)


def are_large(files: list[str]) -> bool:
    """Whether compiled loops are faster, although Numba may have to be loaded."""
    least = costs().bytes_worth_loops if LOOPS in sys.modules else costs().json_worth_numba
    return all(map(os.path.isfile, files)) and sum(map(_bytes_about, files)) >= least


def _bytes_about(file: str) -> int:
    return os.path.getsize(file) * (RATIO if codec_of(file) else 1)


def extracts(file: str, item: RecordOf, wanted: Names | None, threads: int) -> Iterator[Extract]:
    """The rows of a file."""
    if os.path.getsize(file) == 0:
        return iter(())
    # Numba takes half a second to import.
    from anabranch.io.jsonl import blocks as jsonl_blocks

    return jsonl_blocks.extracts(file, item, wanted, threads)


def parts(file: str, item: RecordOf, wanted: Names | None, threads: int, read: ReadRows,
          where: Span | None) -> Iterator[Extract | Stretch]:
    """The same, also of a compressed file; rows that only the reading of rows can judge are in
    stretches."""
    if os.path.getsize(file) == 0:
        return iter(())
    from anabranch.io.jsonl import blocks as jsonl_blocks

    if codec_of(file) is not None:
        return jsonl_blocks.unpacked(file, item, wanted, threads, read, where)
    return jsonl_blocks.parts(file, item, wanted, threads, read)


def part_extracts(text: bytes, item: RecordOf, wanted: Names | None) -> Iterator[Extract]:
    """The rows of some lines of a file; `plain.Unusual` for items that have no plain columns."""
    if not has_plain_columns(item) or not text:
        raise plain.Unusual("JSON is read item by item")
    from anabranch.io.jsonl.blocks import JsonRows
    from anabranch.io.text.blocks import ROWS_OF_A_BLOCK

    rows = JsonRows(text, item, plain.unread(item, wanted))
    return rows.extracts(0, 1, ROWS_OF_A_BLOCK)
