"""Batches cut up by a key, so that operators with a state for each key can run in parallel.

A batch becomes a shard for each bucket of keys that it touches, at least one; each knows how many
there are, so the changes that come out of them are put together again without any waiting.
"""

from __future__ import annotations

from collections.abc import Iterable

from anabranch.ir.records import Record, State
from anabranch.lang.cql.running.batches import Batch

BUCKETS = 32
NULL = 7
"""The hash of what is not there."""

Entry = tuple[object, tuple, int]
"""A change with the key of its row."""


class Shard(Record):
    """The changes of one bucket, of one or two relations; `of` is the number of its instant's."""

    timestamp: object
    bucket: int
    of: int
    left: object
    right: object


class Part(Record):
    """The changes that came out of a shard."""

    timestamp: object
    bucket: int
    of: int
    changes: object


def _hash(key: object) -> int:
    """The hash of None is its address, which is another one in each process.

    >>> _hash((None, 1)) == hash((NULL, 1)), _hash("a") == hash("a")
    (True, True)
    """
    if isinstance(key, tuple):
        return hash(tuple(map(_hash, key))) if None in key else hash(key)
    return NULL if key is None else hash(key)


def shards(timestamp: object, left: Iterable[Entry], right: Iterable[Entry]) -> list[Shard]:
    """The shards of a batch or of a pair of batches, by the hash of the key."""
    buckets: dict[int, tuple[list, list]] = {}
    for side, entries in enumerate((left, right)):
        for entry in entries:
            bucket = _hash(entry[0]) % BUCKETS
            if bucket not in buckets:
                buckets[bucket] = [], []
            buckets[bucket][side].append(entry)
    if not buckets:
        return [Shard(timestamp, 0, 1, (), ())]
    return [Shard(timestamp, bucket, len(buckets), tuple(left), tuple(right))
            for bucket, (left, right) in buckets.items()]


class Gathering(State):
    """What has come so far of an instant's parts."""

    parts: int = 0
    changes: list = []


def gathered(state: Gathering, part: Part) -> list[Batch]:
    """The whole batch, when its last part comes."""
    state.parts += 1
    state.changes.extend(part.changes)
    if state.parts < part.of:
        return []
    batch = Batch(part.timestamp, tuple(state.changes))
    state.parts, state.changes = 0, []
    return [batch]
