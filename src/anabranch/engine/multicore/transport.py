"""Rows on their way to a worker process and back.

Both ends are one program, before and after a fork, so what travels is trusted. Records of one class
travel as columns: that is several times faster than one record at a time, and exact for every
Python value. Classes that pickle cannot find by their name travel by a number instead.
"""

from __future__ import annotations

import copyreg
import io
import itertools
import pickle
import weakref
from array import array
from collections import ChainMap
from collections.abc import Sequence
from enum import Enum, EnumMeta
from functools import partial

from anabranch.ir.records import Record, RecordMeta, State, StateMeta


class CannotTravel(Exception):
    """Something cannot be sent between processes; the text says what."""


def dumped(message: object) -> bytes:
    """The message as bytes; `CannotTravel` when some value in it cannot be pickled."""
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = _DISPATCH
    try:
        pickler.dump(message)
    except Exception as error:
        raise CannotTravel(str(error)) from error
    return buffer.getvalue()


def loaded(data: bytes) -> object:
    try:
        return pickle.loads(data)
    except Exception as error:
        raise CannotTravel(str(error)) from error


def packed(items: list) -> tuple:
    """The items as columns if they are records of one class, or as they are.

    >>> unpacked(packed([1, "a"]))
    [1, 'a']
    """
    classes = set(map(type, items))
    cls = classes.pop() if len(classes) == 1 else None
    if cls is not None and issubclass(cls, Record) and cls._fields:
        return cls, list(zip(*items))
    return None, items


def unpacked(pack: tuple) -> list:
    cls, values = pack
    if cls is None:
        return values
    return list(map(partial(tuple.__new__, cls), zip(*values)))


def packed_rows(rows: Sequence) -> Sequence:
    """Row numbers as one block of machine integers; what is none stays as it is."""
    if isinstance(rows, range):
        return rows
    try:
        return array("q", rows)
    except TypeError:
        return rows


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
