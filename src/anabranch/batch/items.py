"""The items of one queue in one slice, in columns until somebody wants objects.

Whoever takes items takes a sequence: a list, or `Columns`, which are a record batch and become a
list on first demand. `as_batch` goes the other way, for items that columns can hold exactly.

>>> from anabranch.ir.types import INT
>>> items = Columns(as_batch([1, 2, 3], INT), INT)
>>> len(items), items[1:].batch.num_rows, list(items)
(3, 2, [1, 2, 3])
>>> as_batch([1, True], INT) is None    # a bool is no int here: its text would be another
True
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from anabranch.core.lazy import Lazy
from anabranch.core.lazy import arrow as pa
from anabranch.core.lazy import compute as pc
from anabranch.core.lazy import numpy as np
from anabranch.core.once import once
from anabranch.io.columns import columns_of
from anabranch.ir.types import (
    BOOL,
    BYTES,
    FLOAT,
    INT,
    STR,
    TIMESTAMP,
    OptionalOf,
    RecordOf,
    Type,
    without_none,
)

schemas = Lazy("anabranch.io.arrow.schema")

EXACT = {BOOL: bool, INT: int, FLOAT: float, STR: str, BYTES: bytes, TIMESTAMP: datetime}


class Columns(Sequence):
    """Items of one type as a record batch."""

    def __init__(self, batch: pa.RecordBatch, type: Type):
        self.batch, self.type = batch, type

    def __len__(self) -> int:
        return self.batch.num_rows

    def __getitem__(self, index):
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step == 1:
                return self.between(start, max(start, stop))
        return self.rows[index]

    def __iter__(self):
        return iter(self.rows)

    def __reduce__(self):
        return list, (self.rows,)

    @once
    def rows(self) -> list:
        """The items as Python objects."""
        from anabranch.batch.record_batch import items_of

        return items_of(self.batch, self.type)

    @property
    def schema(self) -> pa.Schema:
        """The types of the columns, times being wall-clock times or instants."""
        return self.batch.schema

    def having(self, names: frozenset[str]) -> pa.RecordBatch:
        """A batch that has at least the values of these columns; the others may have none."""
        return self.batch

    def column(self, name: str) -> pa.Array:
        return self.having(frozenset([name])).column(name)

    def between(self, start: int, stop: int) -> Columns:
        """The items from one place to another."""
        return Columns(self.batch.slice(start, stop - start), self.type)

    def taken(self, places: np.ndarray) -> Columns:
        """The items at these places."""
        return Columns(self.batch.take(pa.array(places)), self.type)

    def followed_by(self, others: Sequence[Columns]) -> Columns:
        """The items of all, one after another; times in a column are all of one kind."""
        return Columns(pa.concat_batches([part.batch for part in (self, *others)]), self.type)


class InPieces(Columns):
    """Items of several pieces, put together by whoever looks at them first."""

    def __init__(self, pieces: Sequence[Columns]):
        self.pieces, self.type, self.length = pieces, pieces[0].type, sum(map(len, pieces))

    @once
    def whole(self) -> Columns:
        return self.pieces[0].followed_by(self.pieces[1:])

    @property
    def batch(self) -> pa.RecordBatch:
        return self.whole.batch

    @property
    def schema(self) -> pa.Schema:
        return self.pieces[0].schema

    def __len__(self) -> int:
        return self.length

    def having(self, names: frozenset[str]) -> pa.RecordBatch:
        return self.whole.having(names)

    def between(self, start: int, stop: int) -> Columns:
        return self.whole.between(start, stop)

    def taken(self, places: np.ndarray) -> Columns:
        return self.whole.taken(places)

    def followed_by(self, others: Sequence[Columns]) -> Columns:
        return self.whole.followed_by(others)


class Written(Columns):
    """Columns together with the text that a sink writes for them; a part of them has none."""

    def __init__(self, columns: Columns, text: bytes | memoryview):
        super().__init__(columns.batch, columns.type)
        self.text = text


def has_columns(item: Type) -> bool:
    """Whether all items of a type can be held in columns, each value as it is."""
    return all(without_none(kind) in EXACT for kind in columns_of(item).values())


def as_batch(items: Sequence, item: Type, names: frozenset[str] | None = None
             ) -> pa.RecordBatch | None:
    """The items as a record batch; None when some value would come back as another one. Columns
    that are not among these names may hold nothing."""
    if isinstance(items, Columns):
        if items.type != item:
            return None
        return items.batch if names is None else items.having(names)
    if isinstance(item, RecordOf) and not set(map(type, items)) <= {item.cls}:
        return None
    schema = schemas.schema_of(columns_of(item))
    columns = _transposed(items, item, len(schema))
    try:
        arrays = [_exact(values, kind, f.type)
                  for values, kind, f in zip(columns, columns_of(item).values(), schema)]
    except (pa.ArrowException, OverflowError, UnicodeError):
        return None
    if any(array is None for array in arrays):
        return None
    return schemas.batch_like(schema, arrays)


def _transposed(items: Sequence, item: Type, width: int) -> Sequence:
    if not isinstance(item, RecordOf):
        return [items]
    return list(zip(*items)) if items else [()] * width


def _exact(values: Sequence, given: Type, target: pa.DataType) -> pa.Array | None:
    kind = without_none(given)
    allowed = {EXACT.get(kind)} | ({type(None)} if isinstance(given, OptionalOf) else set())
    if not set(map(type, values)) <= allowed:
        return None
    if kind == TIMESTAMP and (target := schemas.held_exactly(values)) is None:
        return None
    array = pa.array(values, target)
    # One NaN object is equal to itself as a key, another is not: columns cannot tell.
    if kind == FLOAT and pc.any(pc.is_nan(array), min_count=0).as_py():
        return None
    return array


def joined(parts: Sequence[Sequence]) -> Sequence:
    """Items of several sequences as one, in columns where all are."""
    if all(isinstance(part, Columns) for part in parts) and have_one_schema(parts):
        return parts[0].followed_by(parts[1:])
    return [item for part in parts for item in part]


def joined_later(parts: Sequence[Sequence]) -> Sequence:
    """The same; columns are put together when somebody looks at them."""
    if all(isinstance(part, Columns) for part in parts) and have_one_schema(parts):
        return InPieces(parts)
    return joined(parts)


def have_one_schema(parts: Sequence[Columns]) -> bool:
    """Whether all have wall-clock times, or all instants, in each column of times."""
    return all(part.schema.equals(parts[0].schema) for part in parts)


def picked(numbers: Sequence[int], places: Sequence[int]) -> Sequence[int]:
    """`numbers[p]` for each of the places, at the speed of arrays where one of them is an array.

    >>> picked(range(5), np.array([1, 3])).tolist(), picked([7, 8], [0, 0, 1])
    ([1, 3], [7, 7, 8])
    """
    if isinstance(places, range) and places == range(len(places)):
        return numbers if len(places) == len(numbers) else numbers[:len(places)]
    if isinstance(numbers, range) and numbers == range(len(numbers)):
        return places
    if isinstance(places, np.ndarray) or isinstance(numbers, np.ndarray):
        return np.asarray(numbers)[np.asarray(places, np.int64)]
    return [numbers[place] for place in places]
