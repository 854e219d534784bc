"""A state for each key: keys that come often are split like a state of their own, the others are
dealt out in buckets.

The state of the whole is a map from keys to states, as a keyed operator has it. The tag of an event
is `(HOT, key, tag)` if its key comes often, else `(COLD, bucket)`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from anabranch.ir.keys import hash_of
from anabranch.ir.operators import key_function
from anabranch.ir.synchronized import Synchronized
from anabranch.sync.program import OTHER, Predicate, Program, Tag

HOT, COLD = "often", "bucket"
BUCKETS_PER_WORKER = 8


def program_of(kind: Synchronized, split: tuple | None) -> Program:
    """The program of an operator; `split` is the `split` of a program of the same operator."""
    return Program(kind) if split is None else KeyedProgram(kind, *split)


def by_hash(key: object, buckets: int) -> int:
    """The bucket of a key among processes that are forks of one."""
    return hash_of(key) % buckets


class KeyedProgram(Program):
    """A keyed operator whose `hot` keys, each with the tags seen of it, can be split. `chosen`
    chooses the bucket of a key."""

    def __init__(self, kind: Synchronized, hot: dict[object, tuple[Tag, ...]], buckets: int,
                 chosen: Callable[[object, int], int] = by_hash):
        super().__init__(kind)
        self.hot, self.buckets, self.chosen = hot, buckets, chosen
        self.split = hot, buckets, chosen
        self.key_of, self.tag_of = key_function(kind.by), kind.tag.call
        self.tag = self._tag

    def start(self) -> dict:
        return {}

    def _tag(self, event: object) -> Tag:
        key = self.key_of(event)
        return (HOT, key, self.tag_of(event)) if key in self.hot else self.bucket(key)

    def bucket(self, key: object) -> Tag:
        return COLD, self.chosen(key, self.buckets)

    def pieces(self, workers: int) -> int:
        # As small as the buckets, with which they share workers.
        return BUCKETS_PER_WORKER * workers

    def depends(self, a: Tag, b: Tag) -> bool:
        if OTHER in (a, b):
            return True
        if COLD in (a[0], b[0]):
            return a == b
        return a[1] == b[1] and super().depends(a[2], b[2])

    def handles(self, state: type, tag: Tag) -> bool:
        return super().handles(state, tag[2] if tag[0] == HOT else OTHER)

    def fork(self, state: dict, left: Predicate, right: Predicate) -> tuple[dict, dict]:
        sides: tuple[dict, dict] = ({}, {})
        for key in {**dict.fromkeys(self.hot), **state}:
            parts = self._parted(key, state.get(key), left, right)
            for side, part in zip(sides, parts):
                if part is not None:
                    side[key] = part
        return sides

    def _parted(self, key: object, state: object, left: Predicate, right: Predicate
                ) -> tuple[object, object]:
        """The state of one key for each side; None for a side that has no events of it."""
        of_left, of_right = (self._takes(side, key) for side in (left, right))
        if of_left and of_right:
            whole = self.kind.new_state() if state is None else state
            return super().fork(whole, lambda tag: left((HOT, key, tag)),
                                lambda tag: right((HOT, key, tag)))
        return (None, state) if of_right else (state, None)

    def _takes(self, side: Predicate, key: object) -> bool:
        if key in self.hot:
            return any(side((HOT, key, tag)) for tag in self.hot[key])
        return side(self.bucket(key))

    def lent(self, state: dict, takes: Predicate) -> tuple[dict, dict]:
        """Events that come to others are of hot keys. What stays is neither joined nor forked."""
        kept = {key: own for key, own in state.items()
                if key not in self.hot and takes(self.bucket(key))}
        return {key: own for key, own in state.items() if key not in kept}, kept

    def returned(self, state: dict, kept: dict) -> dict:
        return {**kept, **state}

    def join(self, left: dict, right: dict) -> dict:
        both = {key: super(KeyedProgram, self).join(left[key], right[key])
                for key in left.keys() & right.keys()}
        return {**left, **right, **both}


def hot_keys(seen: Counter, workers: int) -> dict[object, tuple[Tag, ...]]:
    """The keys that have more than half of a worker's share, each with its tags.

    `seen` counts events by (key, tag).

    >>> hot_keys(Counter({("a", "view"): 90, ("a", "update"): 1, ("b", "view"): 9}), workers=2)
    {'a': ('view', 'update')}
    """
    of_key = rows_of_keys(seen)
    often = [key for key, count in of_key.items() if count > of_key.total() / (2 * workers)]
    return {key: tuple(tag for own, tag in seen if own == key) for key in often}


def rows_of_keys(seen: Counter) -> Counter:
    """How often each key comes, whatever its tag."""
    of_key: Counter = Counter()
    for (key, _), count in seen.items():
        of_key[key] += count
    return of_key


def keyed_rates(program: KeyedProgram, seen: Counter) -> dict[Tag, float]:
    """How often events of each tag come: those of a hot key one by one, the others by bucket."""
    rates: Counter = Counter({(COLD, bucket): 1 for bucket in range(program.buckets)})
    for (key, tag), count in seen.items():
        rates[(HOT, key, tag) if key in program.hot else program.bucket(key)] += count
    return dict(rates)


def key_and_tag(kind: Synchronized) -> Callable[[object], tuple[object, Tag]]:
    """What a sample of the events is counted by."""
    key_of, tag_of = key_function(kind.by), kind.tag.call
    return lambda event: (key_of(event), tag_of(event))
