"""Columns as NumPy arrays and back, and functions of Arrow by name.

Arrow's own ways import more than a short run takes: `to_numpy` and `pa.array` pandas, where that is
there, and `pyarrow.compute` makes three hundred functions with their documentation.

>>> numbers(pa.array([1, 2, 3])[1:]).tolist(), numbers(pa.array([True, False])).tolist()
([2, 3], [True, False])
>>> column_of(np.array([0.5])).type, texts_of(["a", "", "é"]).to_pylist()
(DataType(double), ['a', '', 'é'])
>>> called("equal", texts_of(["a", "b"]), "b").to_pylist(), as_texts(pa.array([7])).to_pylist()
([False, True], ['7'])
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import accumulate

import numpy as np
import pyarrow as pa

TYPES = {"int64": pa.int64(), "float64": pa.float64()}


def numbers(column: pa.Array) -> np.ndarray:
    """The numbers or truths of a column; where one is missing, any."""
    stop = column.offset + len(column)
    data = column.buffers()[1] or b""
    if pa.types.is_boolean(column.type):
        bits = np.frombuffer(data, np.uint8)
        return np.unpackbits(bits, count=stop, bitorder="little")[column.offset:].view(bool)
    return np.frombuffer(data, column.type.to_pandas_dtype())[column.offset:stop]


def column_of(values: np.ndarray) -> pa.Array:
    """Numbers of eight bytes, or truths, as a column."""
    if values.dtype == bool:
        return pa.Array.from_buffers(pa.bool_(), len(values), [
            None, pa.py_buffer(np.packbits(values, bitorder="little"))])
    return pa.Array.from_buffers(TYPES[values.dtype.name], len(values),
                                 [None, pa.py_buffer(values)])


def texts_of(values: Sequence[str]) -> pa.Array:
    """Texts as a column; a `UnicodeError` for half a character, an `OverflowError` for too many."""
    coded = [value.encode() for value in values]
    ends = array("i", accumulate(map(len, coded), initial=0))
    return pa.Array.from_buffers(pa.string(), len(values), [
        None, pa.py_buffer(ends), pa.py_buffer(b"".join(coded))])


def called(name: str, *given: object, options: object = None) -> pa.Array:
    """What a function of Arrow's gives for columns, texts, and what else it takes."""
    from pyarrow._compute import call_function

    arguments = [texts_of([part])[0] if isinstance(part, str) else part for part in given]
    return call_function(name, arguments, options)


def as_texts(column: pa.Array) -> pa.Array:
    """A column of numbers or truths as Arrow writes them."""
    from pyarrow._compute import CastOptions

    return called("cast", column, options=CastOptions.safe(pa.string()))
