"""Records of one class as columns of values, and sequences made when looked at.

Records are divided and put in order at the speed of arrays, and become Python objects only where
somebody wants one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat

import numpy as np

from anabranch.core.once import once
from anabranch.ir.records import Record


class Unseen(Sequence):
    """Its length is known before."""

    length: int

    def __len__(self) -> int:
        return self.length

    def __iter__(self):
        return iter(self.items)

    def __getitem__(self, index):
        return self.items[index]

    def __reduce__(self):
        return list, (self.items,)

    @once
    def items(self) -> list:
        return self._made()

    def _made(self) -> list:
        """Every kind opens in its own way."""
        raise NotImplementedError


Column = np.ndarray | Sequence
"""The values of one field: machine numbers where all are such, or Python objects."""

MACHINE = {frozenset([int]): np.int64, frozenset([float]): np.float64}
"""How values are held that are all of these types; a bool is no int here."""


class Fields(Unseen):
    """The records of a class, whose fields have these columns."""

    def __init__(self, cls: type[Record], columns: Sequence[Column]):
        self.cls, self.columns, self.length = cls, columns, len(columns[0])

    def _made(self) -> list:
        return list(map(tuple.__new__, repeat(self.cls), zip(*map(_values, self.columns))))

    def __getitem__(self, index):
        if isinstance(index, slice):
            return Fields(self.cls, [column[index] for column in self.columns])
        return self.items[index]

    def column(self, name: str) -> Column:
        return self.columns[self.cls._fields.index(name)]

    def taken(self, places: np.ndarray) -> Fields:
        """The records at these places."""
        numbers = places.tolist()
        return Fields(self.cls, [column[places] if isinstance(column, np.ndarray)
                                 else list(map(column.__getitem__, numbers))
                                 for column in self.columns])


def in_fields(items: Sequence) -> Sequence:
    """The items in fields, if they are records of one class; or as they are."""
    classes = set(map(type, items))
    cls = classes.pop() if len(classes) == 1 else None
    if cls is None or not issubclass(cls, Record) or not cls._fields:
        return items
    # To `zip(*items)` takes an iterator for each item, which the garbage collector looks at.
    width, values = len(cls._fields), list(chain.from_iterable(items))
    return Fields(cls, [_column(values[n::width]) for n in range(width)])


def _column(values: Sequence) -> Column:
    kind = MACHINE.get(frozenset(map(type, values)))
    try:
        return values if kind is None else np.array(values, kind)
    except OverflowError:
        return values


def _values(column: Column) -> Sequence:
    return column.tolist() if isinstance(column, np.ndarray) else column


def joined_fields(parts: Sequence[Fields]) -> Fields:
    """The records of several parts, all of one class, one part behind the other."""
    return Fields(parts[0].cls, list(map(_joined, zip(*(part.columns for part in parts)))))


def _joined(columns: Sequence[Column]) -> Column:
    kinds = {column.dtype if isinstance(column, np.ndarray) else None for column in columns}
    if len(kinds) == 1 and None not in kinds:
        return np.concatenate(columns)
    return list(chain.from_iterable(map(_values, columns)))
