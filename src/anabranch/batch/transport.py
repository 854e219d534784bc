"""Rows on their way to a worker process and back.

Both ends are one program, before and after a fork, so what travels is trusted. Items that are held
in Arrow columns travel as these; records of one class as columns of Python values, or of machine
numbers where somebody has made them so: that is several times faster than one record at a time, and
exact for every value.
Classes that pickle cannot find by their name travel by a number instead.
"""

from __future__ import annotations

import copyreg
import io
import itertools
import pickle
import sys
import weakref
from array import array
from collections import ChainMap
from collections.abc import Sequence
from enum import Enum, EnumMeta

import numpy as np
import pyarrow as pa

from anabranch.batch.fields import Column, Fields
from anabranch.batch.items import Columns
from anabranch.ir.records import Record, RecordMeta, State, StateMeta
from anabranch.ir.types import Type

IN_FIELDS = "fields"
"""What stands in the place of a class when its columns are arrays."""


ALIGNED = 64
"""So many bytes Arrow and NumPy like their arrays to begin at a multiple of."""


class CannotTravel(Exception):
    """Something cannot be sent between processes; the text says what."""


def dumped(message: object) -> list[memoryview]:
    """The message in parts, the buffers of its arrays as they are; `CannotTravel` when some value
    in it cannot be pickled."""
    text, buffers = io.BytesIO(), []
    pickler = pickle.Pickler(text, pickle.HIGHEST_PROTOCOL, buffer_callback=buffers.append)
    pickler.dispatch_table = _DISPATCH
    try:
        pickler.dump(message)
        # Behind the text and the sizes stand arrays, which may be looked at in place.
        text.write(bytes(-(text.tell() + 8 * (2 + len(buffers))) % ALIGNED))
        parts = [text.getbuffer(), *(buffer.raw() for buffer in buffers)]
    except Exception as error:
        raise CannotTravel(str(error)) from error
    sizes = array("q", [len(parts), *(part.nbytes for part in parts)])
    return [memoryview(sizes).cast("B"), *parts]


def loaded(data: bytes | memoryview, in_place: bool = False) -> object:
    """The message whose parts lie one behind the other in `data`, which is not needed any more,
    unless its arrays stay `in_place`."""
    view = memoryview(data)
    count = int.from_bytes(view[:8], sys.byteorder)
    ends = list(itertools.accumulate(view[8:8 + 8 * count].cast("q"), initial=8 + 8 * count))
    text, *buffers = [view[begin:end] for begin, end in itertools.pairwise(ends)]
    try:
        return pickle.loads(text, buffers=buffers if in_place else map(bytes, buffers))
    except Exception as error:
        raise CannotTravel(str(error)) from error


def packed(items: Sequence) -> tuple:
    """The items as columns if they are held so, or are records of one class; or as they are.

    >>> unpacked(packed([1, "a"]))
    [1, 'a']
    """
    if isinstance(items, Columns):
        return items.type, pickle.PickleBuffer(_as_ipc(items.batch))
    if isinstance(items, Fields):
        return IN_FIELDS, (items.cls, list(map(_packed_column, items.columns)))
    classes = set(map(type, items))
    cls = classes.pop() if len(classes) == 1 else None
    if cls is not None and issubclass(cls, Record) and cls._fields:
        return cls, list(zip(*items))
    return None, items


def _packed_column(column: Column) -> tuple:
    """Buffers travel by themselves; NumPy's own way to pickle takes as long as hundreds of values.
    """
    if isinstance(column, np.ndarray):
        return column.dtype.char, pickle.PickleBuffer(column)
    return None, column


def _unpacked_column(pack: tuple) -> Column:
    kind, values = pack
    return values if kind is None else np.frombuffer(values, kind)


def _as_ipc(batch: pa.RecordBatch) -> pa.Buffer:
    """A batch that is a part of a larger one is cut out of it by this, not by pickle."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue()


def unpacked(pack: tuple) -> Sequence:
    cls, values = pack
    if cls is None:
        return values
    if cls == IN_FIELDS:
        return Fields(values[0], list(map(_unpacked_column, values[1])))
    if isinstance(cls, Type):
        return Columns(pa.ipc.open_stream(values).read_next_batch(), cls)
    return list(map(tuple.__new__, itertools.repeat(cls), zip(*values)))


_NUMBERS: weakref.WeakKeyDictionary[type, int] = weakref.WeakKeyDictionary()
_CLASSES: weakref.WeakValueDictionary[int, type] = weakref.WeakValueDictionary()
_numbers = itertools.count()


def number_classes() -> None:
    """Numbers every record, state and enumeration there is; to be called before the fork."""
    waiting = [Record, State, Enum]
    while waiting:
        cls = waiting.pop()
        waiting.extend(cls.__subclasses__())
        if cls not in _NUMBERS:
            _NUMBERS[cls] = next(_numbers)
            _CLASSES[_NUMBERS[cls]] = cls


def _class(number: int) -> type:
    return _CLASSES[number]


def _reduced_class(cls: type):
    """By number if both processes know it; a string would make pickle look it up by its name."""
    number = _NUMBERS.get(cls)
    return (_class, (number,)) if number is not None else cls.__qualname__


_DISPATCH = ChainMap(dict.fromkeys((RecordMeta, StateMeta, EnumMeta), _reduced_class),
                     copyreg.dispatch_table)
