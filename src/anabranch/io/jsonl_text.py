"""Record batches as JSON Lines, made by Arrow where it writes a value as Python does.

Other values, such as text with quotes in it, are made one by one. For a column of another type
`written` gives None, and the rows are written one by one.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from anabranch.io.columns import columns_of
from anabranch.io.csv_text import Pieces, floats, replaced, text_of, whole
from anabranch.io.encoding import json_encoder
from anabranch.io.values import json_text
from anabranch.ir.types import BOOL, FLOAT, INT, STR, RecordOf, Type, without_none

NEEDS_ESCAPES = r'["\\\x00-\x1f]'


def written(batch: pa.RecordBatch, item: Type) -> memoryview | None:
    """The lines of a batch, or None when Python has to write it."""
    columns = columns_of(item)
    cells = [_cells(column, kind) for column, kind in zip(batch.columns, columns.values())]
    if not len(batch) or any(pieces is None for pieces in cells):
        return None
    if not isinstance(item, RecordOf):
        return text_of([*cells[0], "\n"], _float_text)
    named = [piece for name, pieces in zip(columns, cells)
             for piece in (f", {json_text(name)}: ", *pieces)]
    return text_of(["{" + named[0].removeprefix(", "), *named[1:], "}\n"], _float_text)


def _cells(column: pa.Array, given: Type) -> Pieces | None:
    kind = without_none(given)
    if kind == STR:
        escaped = pc.match_substring_regex(column, NEEDS_ESCAPES)
        column = replaced(column, escaped, lambda text: json_text(text)[1:-1])
        pieces = ['"', column, '"']
    elif kind == INT:
        pieces = [whole(column)]
    elif kind == BOOL:
        pieces = [column.cast(pa.string())]
    elif kind == FLOAT:
        pieces = floats(column, _float_text)
    else:
        return None
    return [_or_null(column, pieces)] if column.null_count else pieces


def _float_text(value: float) -> str:
    return json_text(json_encoder(FLOAT)(value))


def _or_null(column: pa.Array, pieces: Pieces) -> pa.Array:
    """The pieces of a cell as one text, or null where there is no value."""
    texts = pieces[0] if len(pieces) == 1 else pc.binary_join_element_wise(*pieces, "")
    return pc.if_else(column.is_null(), "null", texts)
