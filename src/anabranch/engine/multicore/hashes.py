"""Python's own hashes of keys that are held in columns, in one sweep.

They must be Python's: other rows of the same stage may come as Python objects, and equal keys have
to meet in one bucket. Numbers are hashed as arrays; of other values each distinct one is hashed
once, by Python.

>>> import pyarrow as pa
>>> hashes_of([pa.array([5, -1])], 2).tolist() == [hash(5), hash(-1)]
True
>>> found = hashes_of([pa.array([5, None]), pa.array(["a", "b"])], 2)
>>> found.tolist() == [hash((5, "a")), hash((None, "b"))]
True
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from anabranch.engine.items import Columns
from anabranch.engine.multicore.fields import Column, Fields
from anabranch.io.columns import columns_of
from anabranch.ir.keys import hashes_of_keys
from anabranch.ir.operators.keyed import WHOLE_ITEM
from anabranch.ir.types import RecordOf
from anabranch.kernels.batches import with_dictionary

MODULUS = np.uint64(2**61 - 1)
# The constants of CPython's hash of a tuple, which is xxHash's for lanes of 64 bits.
FIRST, SECOND, FIFTH = (np.uint64(n) for n in (
    11400714785074694791, 14029467366897019727, 2870177450012600261))
LENGTH_MIX, INSTEAD_OF_ALL_ONES = np.uint64(3527539), np.uint64(1546275796)


def key_hashes(items: Columns | Fields, key: tuple[str, ...]) -> np.ndarray | None:
    """`hash_of(key_function(key)(item))` for all items; None where only Python can tell."""
    if isinstance(items, Fields):
        return _hashes_of_fields(items, key)
    if key == WHOLE_ITEM:
        key = None if isinstance(items.type, RecordOf) else tuple(columns_of(items.type))
    if key is None or not set(key) <= set(columns_of(items.type)):
        return None
    return hashes_of([items.column(name) for name in key], len(items))


def _hashes_of_fields(items: Fields, key: tuple[str, ...]) -> np.ndarray | None:
    if not key or not set(key) <= set(items.cls._fields):
        return None
    try:
        lanes = [_field(items.column(name)) for name in key]
    except Exception:
        # A key that has no hash: the operator will say so.
        return None
    return lanes[0] if len(lanes) == 1 else _tuples(lanes)


def _field(column: Column) -> np.ndarray:
    if isinstance(column, np.ndarray) and column.dtype == np.int64:
        return _integers(column)
    return np.array(hashes_of_keys(column if isinstance(column, list) else list(column)), np.int64)


def hashes_of(columns: Sequence[pa.Array], rows: int) -> np.ndarray:
    """The hashes of the single values, or of the tuples of several."""
    if not columns:
        return np.full(rows, hash(None))
    lanes = [_column(column) for column in columns]
    return lanes[0] if len(lanes) == 1 else _tuples(lanes)


def _column(column: pa.Array) -> np.ndarray:
    if pa.types.is_integer(column.type) and not column.null_count:
        return _integers(column.to_numpy())
    encoded = with_dictionary(column)
    known = np.array(hashes_of_keys(encoded.dictionary.to_pylist()), np.int64)
    return known[encoded.indices.to_numpy()] if len(known) else np.zeros(0, np.int64)


def _integers(values: np.ndarray) -> np.ndarray:
    negative = values < 0
    size = np.where(negative, ~values, values).astype(np.uint64) + negative.astype(np.uint64)
    found = (size % MODULUS).astype(np.int64)
    found = np.where(negative, -found, found)
    return np.where(found == -1, -2, found)


def _tuples(lanes: Sequence[np.ndarray]) -> np.ndarray:
    mixed = np.full(len(lanes[0]), FIFTH)
    for lane in lanes:
        mixed += lane.view(np.uint64) * SECOND
        mixed = (mixed << np.uint64(31)) | (mixed >> np.uint64(33))
        mixed *= FIRST
    mixed += np.uint64(len(lanes)) ^ (FIFTH ^ LENGTH_MIX)
    return np.where(mixed == ~np.uint64(0), INSTEAD_OF_ALL_ONES, mixed).view(np.int64)


def are_pythons() -> bool:
    """Whether this Python hashes as is assumed here; another may do it in its own way."""
    samples = [(1, 2), (-1, 2**62), (-2**63, 0)]
    lanes = [_integers(np.array(values, np.int64)) for values in zip(*samples)]
    return _tuples(lanes).tolist() == list(map(hash, samples))


EXACT = are_pythons()
