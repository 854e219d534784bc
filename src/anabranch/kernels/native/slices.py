"""Arrow columns as the arrays of generated code, and its output arrays as a batch."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pyarrow as pa

from anabranch.io import large_pages
from anabranch.io.arrow import batch_like
from anabranch.ir.types import Type
from anabranch.kernels.batches import schema_for, with_dictionary
from anabranch.kernels.native.carry import LETTERS
from anabranch.kernels.native.gathering import list_column, scalar_column, struct_column
from anabranch.kernels.native.late import render
from anabranch.kernels.native.layout import OUT
from anabranch.kernels.native.memory import Memory
from anabranch.kernels.native.outputs import Column
from anabranch.kernels.native.stage import Stage
from anabranch.kernels.native.strings import Interner
from anabranch.kernels.native.values import CODED

LEAST_ROOM = 16


def native_column(column: pa.Array, kind: str, texts: Interner) -> tuple[np.ndarray, np.ndarray]:
    """The values of a column, and which of them are None (nothing when none is)."""
    if kind in CODED:
        found = texts.of(column if kind == "str" else _as_letters(column))
        return _frozen(found), _frozen(np.zeros(0, np.bool_))
    missing = _none_missing(1 << len(column).bit_length())[:len(column)]
    if column.null_count:
        missing = column.is_null().to_numpy(zero_copy_only=False)
    if kind == "time":
        column = column.view(pa.int64())
    if column.null_count:
        column = column.fill_null(False if kind == "bool" else 0)
    return _frozen(column.to_numpy(zero_copy_only=False)), _frozen(missing)


def takes_times(memory: Memory, batch: pa.RecordBatch) -> bool:
    """Whether the times that a stage reads are all instants, or all wall-clock times, as those
    that it has."""
    stage = memory.stage
    if not stage.tables:
        memory.aware = stage.aware
    read = [stage.sources[n].column(batch) for n in stage.inputs if stage.sources[n].kind == "time"]
    found = {column.type.tz is not None for column in read if column.null_count < len(column)}
    return len(found) < 2 and memory.takes_times(next(iter(found), None))


def _as_letters(column: pa.Array) -> pa.DictionaryArray:
    """Bytes as texts with a letter for each byte.

    >>> _as_letters(pa.array([b"a", None, bytes([255])])).to_pylist()
    ['a', None, 'ÿ']
    """
    found = with_dictionary(column)
    texts = [own if own is None else own.decode(LETTERS) for own in found.dictionary.to_pylist()]
    return pa.DictionaryArray.from_arrays(found.indices, pa.array(texts, pa.string()))


@lru_cache(maxsize=32)
def _none_missing(rows: int) -> np.ndarray:
    return np.zeros(rows, np.bool_)


def _frozen(array: np.ndarray) -> np.ndarray:
    """Arrow's memory is read-only, which is part of the type that Numba compiles for."""
    array.flags.writeable = False
    return array


class Outputs:
    """The arrays for the output of a slice, which grow when a row finds no room."""

    def __init__(self, stage: Stage, room: int):
        self.stage, self.room = stage, max(room, LEAST_ROOM)
        named = [("rows", "int32"), *(a for col in stage.columns for a in col.arrays)]
        self.arrays = {name: large_pages.array(self.room, dtype) for name, dtype in named}

    @property
    def origins(self) -> np.ndarray:
        """The row that caused each output."""
        return self.arrays["rows"]

    def grow(self, used: int) -> bool:
        if used < self.room:
            return False
        self.room *= 2
        self.arrays = {name: np.concatenate([a, np.empty_like(a)])
                       for name, a in self.arrays.items()}
        return True

    def batch(self, given: pa.RecordBatch, memory: Memory,
              item: Type) -> tuple[pa.RecordBatch, np.ndarray]:
        """What was put out, and the row that caused each output."""
        size = int(memory.counters[OUT])
        origins = self.origins[:size]
        columns = [self._column(col, given, origins, memory) for col in self.stage.columns]
        return batch_like(schema_for(item), columns), origins

    def _column(self, column: Column, given: pa.RecordBatch, origins: np.ndarray,
                memory: Memory) -> pa.Array:
        if column.source is not None:
            return _taken(self.stage.sources[column.source].column(given), origins)
        if f"out{column.number}" in self.arrays:
            values = large_pages.kept(self.arrays[f"out{column.number}"], len(origins))
            flags = self.arrays.get(f"outno{column.number}")
            return scalar_column(column.kind, values, None if flags is None else (
                flags[:len(origins)]), memory)
        parts = [self._column(part, given, origins, memory) for part in column.parts]
        if column.declared is None:
            return render(column.pieces, parts, len(origins))
        schema = schema_for(column.declared)
        if column.listed is None:
            return struct_column(parts, list(schema))
        return list_column(column.listed, parts, memory, schema.field(0).type)


def _taken(column: pa.Array, origins: np.ndarray) -> pa.Array:
    if len(origins) == len(column) and (origins == np.arange(len(origins))).all():
        return column
    return column.take(pa.array(origins))
