"""Arrays of generated code as Arrow columns: scalars, records of them, and lists."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from anabranch.io.arrow import time_type
from anabranch.kernels.native.carry import LETTERS
from anabranch.kernels.native.lists import ELEMENT, LateList, element_keys
from anabranch.kernels.native.memory import Memory
from anabranch.kernels.native.tables import slots_of
from anabranch.kernels.native.values import Rec, Shape, flag, within


def scalar_column(kind: str, values: np.ndarray, missing: np.ndarray | None,
                  memory: Memory) -> pa.Array:
    if kind == "str":
        return memory.texts.texts(values)
    if kind == "bytes":
        found = memory.texts.texts(values).to_pylist()
        return pa.array([own if own is None else own.encode(LETTERS) for own in found], pa.binary())
    made = pa.array(values, mask=missing)
    return made.view(time_type(memory.aware)) if kind == "time" else made


def struct_column(parts: list[pa.Array], fields: list[pa.Field]) -> pa.Array:
    """Records with these fields; times in them may be instants."""
    return pa.StructArray.from_arrays(parts, fields=[
        field.with_type(part.type) for field, part in zip(fields, parts)])


def list_column(listed: type[LateList], parts: list[pa.Array], memory: Memory,
                kind: pa.DataType) -> pa.Array:
    """The lists for which records stand, from the columns of their parts."""
    *words, lengths = (part.to_numpy() for part in parts)
    table, array = listed.table, memory.arrays
    slots = slots_of(array[table.array("index")], array[table.array("keys")],
                     element_keys(words, lengths))
    offsets = pa.array(np.append(0, np.cumsum(lengths)), pa.int32())
    values = _taken(memory, listed, ELEMENT, listed.element, slots, kind.value_type)
    return pa.ListArray.from_arrays(
        offsets, values, type=pa.list_(kind.value_field.with_type(values.type)))


def _taken(memory: Memory, listed: type[LateList], name: str, shape: Shape, slots: np.ndarray,
           kind: pa.DataType) -> pa.Array:
    """What lies in some slots of a table, in the arrays that begin with a name."""
    def array(name: str) -> np.ndarray:
        return memory.arrays[listed.table.array(name)][slots]
    if not isinstance(shape, Rec):
        missing = array(flag(name)) if shape.flagged else None
        return scalar_column(shape.kind, array(name), missing, memory)
    parts = [_taken(memory, listed, within(name, part), inner, slots, kind.field(n).type)
             for n, (part, inner) in enumerate(shape.fields.items())]
    return struct_column(parts, list(kind))
