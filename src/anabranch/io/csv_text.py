"""Record batches as CSV text, made by Arrow where it writes a value as Python does.

Numbers between the sizes at which either changes to exponents, and text that needs no quotes, look
the same; for a batch with anything else `written` gives None, and its rows are written one by one.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anabranch.ir.types import BOOL, FLOAT, INT, STR, OptionalOf, Type, without_none

SMALLEST, LARGEST = 1e-4, 1e10
NEEDS_QUOTES = '[",\r\n]|^$'


def written(batch: pa.RecordBatch, kinds: list[Type]) -> memoryview | None:
    """The lines of a batch, or None when Python has to write it."""
    cells = [_cells(column, kind) for column, kind in zip(batch.columns, kinds)]
    if not len(batch) or any(texts is None for texts in cells):
        return None
    lines = pc.binary_join_element_wise(pc.binary_join_element_wise(*cells, ","), "", "\n")
    _, offsets, text = lines.buffers()
    ends = np.frombuffer(offsets, np.int32)[[lines.offset, lines.offset + len(lines)]]
    return memoryview(text)[slice(*ends)]


def _cells(column: pa.Array, given: Type) -> pa.Array | None:
    kind = without_none(given)
    texts = _texts(column, kind)
    return texts.fill_null("") if texts is not None and isinstance(given, OptionalOf) else texts


def _texts(column: pa.Array, kind: Type) -> pa.Array | None:
    if kind in (INT, BOOL):
        return column.cast(pa.string())
    if kind == STR:
        return column if not _any(pc.match_substring_regex(column, NEEDS_QUOTES)) else None
    return _floats(column) if kind == FLOAT else None


def _floats(column: pa.Array) -> pa.Array | None:
    size = pc.abs(column)
    usual = pc.or_(pc.equal(size, 0.0),
                   pc.and_(pc.greater_equal(size, SMALLEST), pc.less(size, LARGEST)))
    if _any(pc.invert(usual)):
        return None
    texts = column.cast(pa.string())
    # Python writes 20.0 where Arrow writes 20.
    whole = pc.equal(column, pc.trunc(column))
    return pc.if_else(whole, pc.binary_join_element_wise(texts, ".0", ""), texts)


def _any(found: pa.Array) -> bool:
    return bool(pc.any(found, min_count=0).as_py())
