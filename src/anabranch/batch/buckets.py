"""Buckets: which of them an item's key belongs to, found for many items at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa

from anabranch.batch.fields import Column, Fields, in_fields
from anabranch.batch.items import Columns, picked
from anabranch.batch.packs import BUCKET, MOST_BUCKETS, Piece, Pieces, opened, together
from anabranch.batch.record_batch import with_dictionary
from anabranch.batch.slices import Flow, Outcome
from anabranch.io.columns import columns_of
from anabranch.ir.keys import canonical, hash_of, hashes_of_keys
from anabranch.ir.operators import WHOLE_ITEM, attributes_of
from anabranch.ir.types import RecordOf

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
    if len(values) and values.min() >= 0 and values.max() < int(MODULUS):
        # Most keys are their own hashes.
        return values.astype(np.int64, copy=False)
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


MIXER = 0x9E3779B97F4A7C15


def spread(number: int, buckets: int) -> int:
    """A bucket for a hash. Numbers hash to themselves, so they are mixed: keys that are all
    multiples of ten must not meet in one bucket of ten.

    >>> len({spread(10 * n, 10) for n in range(100)})
    10
    """
    return ((number * MIXER & 0xFFFFFFFFFFFFFFFF) >> 32) % buckets


def spread_all(numbers: np.ndarray, buckets: int) -> np.ndarray:
    """`spread` for many hashes.

    >>> spread_all(np.array([-3, 7]), 10).tolist() == [spread(-3, 10), spread(7, 10)]
    True
    """
    mixed = numbers.astype(np.uint64, copy=False) * np.uint64(MIXER)
    mixed >>= np.uint64(32)
    found = mixed.astype(np.uint32)
    found %= np.uint32(buckets)
    return found.astype(np.int64)


class Route:
    """The way of a stage's items to its buckets: by the key attributes of each of its ports."""

    def __init__(self, stage: int, keys: Sequence[tuple[str, ...]], buckets: int):
        self.stage, self.buckets = stage, buckets
        self.keys, self.key_of = keys, [attributes_of(key) for key in keys]
        self.kind = BUCKET if buckets <= MOST_BUCKETS else np.int64

    def buckets_of(self, items: Sequence, ports: Sequence[int] | None = None) -> np.ndarray:
        """The bucket of each item."""
        return spread_all(self._hashes(items, ports), self.buckets).astype(self.kind)

    def _hashes(self, items: Sequence, ports: Sequence[int] | None) -> np.ndarray:
        if ports is None and isinstance(items, (Columns, Fields)) and EXACT:
            found = key_hashes(items, self.keys[0])
            if found is not None:
                return found
        if ports is not None:
            hashes = [self._hash(port, item) for port, item in zip(ports, items)]
        else:
            try:
                hashes = hashes_of_keys(list(map(self.key_of[0], items)))
            except Exception:
                hashes = [self._hash(0, item) for item in items]
        return np.array(hashes, np.int64)

    def _hash(self, port: int, item: object) -> int:
        try:
            return hash_of(canonical(self.key_of[port](item)))
        except Exception:
            # The operator will fail on this item, and say so better.
            return 0

    def divided(self, items: Sequence, owners: np.ndarray) -> Pieces:
        """The items in a piece for each process that owns some of their buckets."""
        items = in_fields(opened(items))
        return divided(items, self.buckets_of(items), owners, self.stage)


def divided(items: Sequence, buckets: np.ndarray, owners: np.ndarray, stage: int) -> Pieces:
    """The items in a piece for each owner of their buckets.

    >>> found = divided(["a", "b", "c"], np.array([0, 1, 0]), np.array([1, 0]), 0)
    >>> [(piece.owner, piece.items) for piece in found.pieces], found.places
    ([(0, ['b']), (1, ['a', 'c'])], array([1, 0, 2]))
    """
    owner_of = owners.astype(BUCKET)[buckets]
    order = np.argsort(owner_of, kind="stable")
    ends = np.searchsorted(owner_of[order], np.arange(owners.max() + 2))
    arranged, sorted_buckets = together([items], order), buckets[order]
    return Pieces([Piece(arranged[begin:end], owner, sorted_buckets[begin:end])
                   for owner, (begin, end) in enumerate(pairwise(ends)) if begin < end],
                  order, stage)


class Dealt(Sequence):
    """Items that are dealt to buckets: `parts` has for each bucket that has some a flow, in the
    order of the rows."""

    items: Columns
    parts: Mapping[int, Flow]

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]

    def put_back(self, outcomes: Sequence[Outcome]) -> Flow | None:
        """What all buckets made, in the order of the rows, where there is a way of its own."""
        return None


class DealtOut(Dealt):
    """The same, each flow with columns of its own."""

    def __init__(self, items: Columns, parts: Mapping[int, Flow]):
        self.items, self.parts = items, parts

    @staticmethod
    def of(items: Columns, route: Route) -> DealtOut:
        """
        >>> from anabranch.ir.types import INT
        >>> items = Columns(pa.record_batch({"value": [5, 6, 7, 8]}), INT)
        >>> dealt = DealtOut.of(items, Route(0, [WHOLE_ITEM], 2))
        >>> {bucket: (flow.rows.tolist(), list(flow.items)) for bucket, flow in dealt.parts.items()}
        {0: ([1, 2], [6, 7]), 1: ([0, 3], [5, 8])}
        """
        buckets = route.buckets_of(items)
        order = np.argsort(buckets, kind="stable")
        ends = np.cumsum(np.bincount(buckets, minlength=route.buckets))
        arranged = items.taken(order)
        return DealtOut(items, {bucket: Flow(order[begin:end], arranged.between(begin, end))
                                for bucket, (begin, end) in enumerate(pairwise((0, *ends.tolist())))
                                if begin < end})


def by_bucket(flow: Flow, buckets: np.ndarray) -> dict[int, Flow]:
    """The flow of each bucket, in the order of the rows."""
    order = np.argsort(buckets, kind="stable")
    arranged = buckets[order]
    firsts = np.flatnonzero(np.r_[True, arranged[1:] != arranged[:-1]])
    if len(firsts) == 1:
        return {int(arranged[0]): flow}
    return {bucket: _part(flow, chosen) for bucket, chosen in
            zip(arranged[firsts].tolist(), np.split(order, firsts[1:]))}


def _part(flow: Flow, chosen: np.ndarray) -> Flow:
    ports = None if flow.ports is None else [flow.ports[i] for i in chosen.tolist()]
    return Flow(picked(flow.rows, chosen), together([flow.items], chosen), ports)
