"""Items as Arrow record batches and back; the columns are those of `io.columns`.

A column whose type is not known holds each value as the bytes of `value_codec`.

>>> from anabranch.ir.types import INT
>>> batch = batch_of([1, 2], INT)
>>> batch.schema.names, items_of(batch, INT)
(['value'], [1, 2])
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import pyarrow as pa

from anabranch.batch.value_codec import decode, encode
from anabranch.core.errors import RunError
from anabranch.core.source import Span
from anabranch.io.arrow.arrays import numbers
from anabranch.io.arrow.schema import (
    batch_like,
    has_times,
    held_exactly,
    schema_of,
    settled,
    times_of,
)
from anabranch.io.columns import columns_encoder, columns_of, item_of
from anabranch.io.values.codecs import Encoder, native_decoder, native_encoder
from anabranch.io.values.scalars import BadValue, shown
from anabranch.ir.types import (
    BOOL,
    BYTES,
    FLOAT,
    IN_COLUMNS,
    INT,
    STR,
    TIMESTAMP,
    ListOf,
    OptionalOf,
    RecordOf,
    Scalar,
    Type,
    without_none,
)


@lru_cache(maxsize=256)
def schema_for(item: Type) -> pa.Schema:
    """The schema of the batches that carry items of a type."""
    columns = columns_of(item)
    return schema_of({n: BYTES if is_opaque(t) else t for n, t in columns.items()})


def is_opaque(kind: Type, within: tuple[Type, ...] = ()) -> bool:
    """Whether Arrow has no type for it: something in it is not known, or it contains itself."""
    if kind in within:
        return True
    if isinstance(kind, (OptionalOf, ListOf)):
        return is_opaque(kind.item, (*within, kind))
    if isinstance(kind, RecordOf):
        return not kind.fields or any(is_opaque(t, (*within, kind)) for t in kind.fields.values())
    return kind not in IN_COLUMNS


def conform(batch: pa.RecordBatch, item: Type) -> pa.RecordBatch:
    """The batch with exactly the columns and types of an item type; times stay what they are."""
    wanted = schema_for(item)
    if batch.schema.equals(wanted):
        return batch
    return batch_like(wanted, [_conformed(batch.column(f.name), f.type) for f in wanted])


def _conformed(column: pa.Array, wanted: pa.DataType) -> pa.Array:
    return column if has_times(wanted) else column.cast(wanted)


def with_dictionary(column: pa.Array) -> pa.DictionaryArray:
    """The column as numbers of its different values, of which None may be one.

    >>> found = with_dictionary(pa.array(["a", None, "a"]))
    >>> found.dictionary.to_pylist(), found.indices.to_pylist()
    (['a', None], [0, 1, 0])
    """
    if pa.types.is_dictionary(column.type):
        return column
    return column.dictionary_encode("encode")


def items_of(batch: pa.RecordBatch, item: Type) -> list:
    """The items of a batch, as the sequential engine would have them."""
    return list(each_item(batch, item))


def each_item(batch: pa.RecordBatch, item: Type) -> Iterable:
    """The items of a batch one by one, so that each can be forgotten before the next is made."""
    columns = [values_of(batch.column(name), kind) for name, kind in columns_of(item).items()]
    return map(item_of(item), zip(*columns)) if isinstance(item, RecordOf) else columns[0]


def values_of(column: pa.Array, kind: Type) -> list:
    """The values of a column, as the sequential engine would have them."""
    if kind in (BOOL, INT, FLOAT) and not column.null_count:
        # NumPy makes Python's numbers ten times faster than Arrow does.
        return numbers(column).tolist()
    if without_none(kind) == TIMESTAMP:
        return times_of(column)
    values = column.to_pylist()
    if is_opaque(kind):
        return [decode(v) for v in values]
    plain = kind.item if isinstance(kind, OptionalOf) else kind
    return values if isinstance(plain, Scalar) else list(map(native_decoder(kind), values))


def batch_of(items: Iterable[object], item: Type, where: Span | None = None) -> pa.RecordBatch:
    """A batch of items; an item that its type cannot hold is a `RunError`."""
    items, schema = list(items), schema_for(item)
    arrays = _plain_arrays(items, item, schema)
    if arrays is None:
        encoded = columns_encoder(item, _encoder)
        rows = [_encoded(encoded, given, where) for given in items]
        columns = zip(*rows) if rows else [() for _ in schema]
        arrays = [array_of(values, f.type, where) for values, f in zip(columns, schema)]
    return batch_like(schema, arrays)


def array_of(values: Sequence, kind: pa.DataType, where: Span | None) -> pa.Array:
    """A column of encoded values."""
    firsts = [v and v.replace(fold=0) for v in values] if pa.types.is_timestamp(kind) else ()
    if held_exactly(firsts) is None:
        raise RunError("cannot hand items on: a column cannot hold their times", where,
                       expected="times without a zone, or all of them in UTC",
                       got=shown(next(v for v in values if v is not None)))
    return pa.array(values, settled(kind, values))


PLAIN = {BOOL: bool, INT: int, FLOAT: float, STR: str, BYTES: bytes}


def _plain_arrays(items: list, item: Type, schema: pa.Schema) -> list[pa.Array] | None:
    """The columns of items that are exactly of their type; None when one has to be looked at."""
    if isinstance(item, RecordOf) and set(map(type, items)) != {item.cls}:
        return None
    columns = zip(*items) if isinstance(item, RecordOf) else [items]
    arrays = []
    try:
        for values, kind, f in zip(columns, columns_of(item).values(), schema):
            expected = {PLAIN.get(without_none(kind))}
            allowed = expected | {type(None)} if isinstance(kind, OptionalOf) else expected
            if not set(map(type, values)) <= allowed:
                return None
            arrays.append(pa.array(values, f.type))
    except (pa.ArrowException, OverflowError, UnicodeError):
        return None
    return arrays


def _encoder(kind: Type) -> Encoder:
    return encode if is_opaque(kind) else native_encoder(kind)


def _encoded(encoder: Encoder, given: object, where: Span | None) -> list:
    try:
        return encoder(given)
    except BadValue as bad:
        what = bad.own_reason or f"{bad.path or 'an item'} is not of the type of the stream's items"
        raise RunError(f"cannot hand an item on: {what}", where, expected=bad.expected,
                       got=bad.got, below=f"  = item: {shown(given, 300)}") from None
