"""The bucket of every item by its key: the same for items in columns and for Python objects."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from anabranch.engine.items import Columns
from anabranch.engine.multicore.flows import Flow
from anabranch.engine.multicore.routing import spread, spread_all
from anabranch.engine.multicore.stages import Stage
from anabranch.io.columns import columns_of
from anabranch.ir.keys import key_hash
from anabranch.ir.operators import key_function

_MODULUS = np.uint64((1 << 61) - 1)
_FACTOR = np.uint64(1_000_003)


def buckets_of(stage: Stage, flow: Flow, buckets: int) -> np.ndarray:
    """The bucket of each item that enters a partitioned stage."""
    hashes = _hashes(flow.items, stage.keys[0]) if isinstance(flow.items, Columns) else None
    if hashes is not None:
        return spread_all(hashes, buckets)
    key_of = [key_function(key) for key in stage.keys]
    ports = flow.ports or (0,) * len(flow.items)
    return np.array([_bucket(key_of[port], item, buckets)
                     for port, item in zip(ports, flow.items)], np.int64)


def _bucket(key_of, item: object, buckets: int) -> int:
    try:
        return bucket_of_key(key_of(item), buckets)
    except Exception:
        # Of items without the key the operator will say better what is wrong with them.
        return 0


def bucket_of_key(key: object, buckets: int) -> int:
    """The bucket of a key, the same in every process; those of a kind that hashes differently in
    each meet in one."""
    try:
        return spread(key_hash(key), buckets)
    except Exception:
        return 0


def _hashes(items: Columns, key: Sequence[str]) -> np.ndarray | None:
    """`key_hash` of each item's key, as an unsigned number; None when columns do not tell it."""
    names = columns_of(items.type)
    if not key or not all(name in names for name in key):
        return None
    columns = [_column_hashes(items.column(name)) for name in key]
    if len(columns) == 1:
        return columns[0]
    result = np.zeros(len(items), np.uint64)
    for column in columns:
        result = result * _FACTOR ^ column
    return result


def _column_hashes(column: pa.Array) -> np.ndarray:
    if pa.types.is_int64(column.type) and not column.null_count:
        return _int_hashes(column.to_numpy())
    coded = column.dictionary_encode(null_encoding="encode")
    each = [key_hash(value) & 0xFFFFFFFFFFFFFFFF for value in coded.dictionary.to_pylist()]
    return np.array(each, np.uint64)[coded.indices.to_numpy()]


def _int_hashes(values: np.ndarray) -> np.ndarray:
    """Python's hash of each integer.

    >>> numbers = np.array([5, -1, -7, 2**61, -2**63])
    >>> _int_hashes(numbers).astype(np.int64).tolist() == [hash(int(n)) for n in numbers]
    True
    """
    negative = values < 0
    size = np.where(negative, -values, values).view(np.uint64) % _MODULUS
    hashes = np.where(negative, -size.view(np.int64), size.view(np.int64))
    return np.where(hashes == -1, -2, hashes).view(np.uint64)
