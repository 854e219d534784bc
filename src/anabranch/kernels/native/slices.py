"""Arrow columns as the arrays of generated code, and its output arrays as a batch.

Columns may be scalars, records of them, texts made of several values, and lists.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pyarrow as pa

from anabranch.batch.record_batch import schema_for, with_dictionary
from anabranch.io.arrow import large_pages
from anabranch.io.arrow.schema import batch_like, time_type
from anabranch.ir.types import Type
from anabranch.kernels.native.library.strings import Interner
from anabranch.kernels.native.library.tables import slots_of
from anabranch.kernels.native.stage.columns import OutputColumn
from anabranch.kernels.native.stage.lists import ELEMENT, LateList, element_keys
from anabranch.kernels.native.stage.module import StageModule
from anabranch.kernels.native.state.carrier import LETTERS
from anabranch.kernels.native.state.layout import OUT
from anabranch.kernels.native.state.memory import StateMemory
from anabranch.kernels.native.translate.formatting import render
from anabranch.kernels.native.translate.values import CODED, Rec, Shape, flag, within

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


def takes_times(memory: StateMemory, batch: pa.RecordBatch) -> bool:
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


class OutputArrays:
    """The arrays for the output of a slice, which grow when a row finds no room."""

    def __init__(self, stage: StageModule, room: int, arrays: dict[str, np.ndarray] | None = None):
        self.stage, self.room = stage, room if arrays else max(room, LEAST_ROOM)
        self.arrays = arrays or {name: large_pages.array(self.room, dtype)
                                 for name, dtype in OutputArrays.kinds(stage).items()}

    @staticmethod
    def kinds(stage: StageModule) -> dict[str, str]:
        """The names of the arrays, and what they hold."""
        return {"rows": "int32"} | dict(array for col in stage.columns for array in col.arrays)

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

    def batch(self, given: pa.RecordBatch, memory: StateMemory,
              item: Type) -> tuple[pa.RecordBatch, np.ndarray]:
        """What was put out, and the row that caused each output."""
        size = int(memory.counters[OUT])
        origins = self.origins[:size]
        columns = [self._column(col, given, origins, memory) for col in self.stage.columns]
        return batch_like(schema_for(item), columns), origins

    def _column(self, column: OutputColumn, given: pa.RecordBatch, origins: np.ndarray,
                memory: StateMemory) -> pa.Array:
        if column.source is not None:
            return _rows_taken(self.stage.sources[column.source].column(given), origins)
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


def _rows_taken(column: pa.Array, origins: np.ndarray) -> pa.Array:
    if len(origins) == len(column) and (origins == np.arange(len(origins))).all():
        return column
    return column.take(pa.array(origins))


def scalar_column(kind: str, values: np.ndarray, missing: np.ndarray | None,
                  memory: StateMemory) -> pa.Array:
    if kind == "str":
        return memory.texts.texts(values)
    if kind == "bytes":
        found = memory.texts.texts(values).to_pylist()
        return pa.array([own if own is None else own.encode(LETTERS) for own in found], pa.binary())
    return plain_column(kind, values, missing, memory.aware)


def plain_column(kind: str, values: np.ndarray, missing: np.ndarray | None, aware: bool | None
                 ) -> pa.Array:
    """Numbers, truths or times as a column."""
    made = pa.array(values, mask=missing)
    return made.view(time_type(aware)) if kind == "time" else made


def struct_column(parts: list[pa.Array], fields: list[pa.Field]) -> pa.Array:
    """Records with these fields; times in them may be instants."""
    return pa.StructArray.from_arrays(parts, fields=[
        field.with_type(part.type) for field, part in zip(fields, parts)])


def list_column(listed: type[LateList], parts: list[pa.Array], memory: StateMemory,
                kind: pa.DataType) -> pa.Array:
    """The lists for which records stand, from the columns of their parts."""
    *words, lengths = (part.to_numpy() for part in parts)
    table, array = listed.table, memory.arrays
    slots = slots_of(array[table.array("index")], array[table.array("keys")],
                     element_keys(words, lengths))
    offsets = pa.array(np.append(0, np.cumsum(lengths)), pa.int32())
    values = _element_column(memory, listed, ELEMENT, listed.element, slots, kind.value_type)
    return pa.ListArray.from_arrays(
        offsets, values, type=pa.list_(kind.value_field.with_type(values.type)))


def _element_column(memory: StateMemory, listed: type[LateList], name: str, shape: Shape,
                    slots: np.ndarray, kind: pa.DataType) -> pa.Array:
    """What lies in some slots of a table, in the arrays that begin with a name."""
    def array(name: str) -> np.ndarray:
        return memory.arrays[listed.table.array(name)][slots]
    if not isinstance(shape, Rec):
        missing = array(flag(name)) if shape.flagged else None
        return scalar_column(shape.kind, array(name), missing, memory)
    parts = [_element_column(memory, listed, within(name, part), inner, slots, kind.field(n).type)
             for n, (part, inner) in enumerate(shape.fields.items())]
    return struct_column(parts, list(kind))
