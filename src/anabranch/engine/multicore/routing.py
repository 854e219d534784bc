"""Routing: which bucket of a partitioned stage takes an item, found in one sweep over many items.

It is done where the items are made, so that no process has to look at all of them. All processes
are forks of one, so Python's own hash will do where it follows from the value; it agrees with the
dictionaries in which operators keep their keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from anabranch.engine.items import Columns, picked
from anabranch.engine.multicore.fields import Fields, in_fields
from anabranch.engine.multicore.flows import Flow
from anabranch.engine.multicore.hashes import EXACT, key_hashes
from anabranch.engine.multicore.packs import (
    BUCKET,
    MOST_BUCKETS,
    Piece,
    Pieces,
    opened,
    together,
)
from anabranch.ir.keys import canonical, hash_of, hashes_of_keys
from anabranch.ir.operators import attributes_of

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
    mixed = numbers.astype(np.uint64) * np.uint64(MIXER)
    return ((mixed >> np.uint64(32)) % np.uint64(buckets)).astype(np.int64)


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
