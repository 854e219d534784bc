"""A synchronized operator's functions, ready to call, with checks of what they give.

With keys there is a state for each: keys that come often are split like a state of their own, the
others are dealt out in buckets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from anabranch.core.errors import ProgramError, RunError, user_traceback
from anabranch.core.once import once
from anabranch.core.source import Span
from anabranch.ir.function import Function
from anabranch.ir.keys import hash_of
from anabranch.ir.operators import key_function
from anabranch.ir.synchronization import Fork, Join, Synchronized
from anabranch.plan.tuning import costs

Tag = object
Predicate = Callable[[Tag], bool]
OTHER = "any other tag"
"""Stands for all tags that a plan does not know; everything depends on them."""


class Program:
    """What the workers of a plan call. `depends` is asked once for each pair of tags.

    `split` says how the keys of a keyed operator are split; others have none.
    """

    split: tuple | None = None

    def __init__(self, kind: Synchronized):
        self.kind = kind
        self.tag: Callable[[object], Tag] = kind.tag.call
        self.update: Callable[[object, object], Iterable[object]] = kind.function.call
        self._depends: dict[tuple[Tag, Tag], bool] = {}

    def start(self) -> object:
        return self.kind.new_state()

    def depends(self, a: Tag, b: Tag) -> bool:
        """Whether events of these tags must keep their order; asymmetric functions are refused."""
        known = True if a == OTHER or b == OTHER else self._depends.get((a, b))
        if known is None:
            known = self._asked(a, b)
            if known != self._asked(b, a):
                raise _asymmetric(a, b, known, self.kind.depends.span)
            self._depends[a, b] = self._depends[b, a] = known
        return known

    def _asked(self, a: Tag, b: Tag) -> bool:
        return bool(_called(self.kind.depends, (a, b), "depends"))

    def pieces(self, workers: int) -> int:
        """Into how many shards a tag is divided whose events do not depend on each other."""
        return workers

    def fork(self, state: object, left: Predicate, right: Predicate) -> tuple[object, object]:
        fork = self.fork_of(type(state))
        parts = _called(fork.function, (state, left, right))
        if not isinstance(parts, tuple) or len(parts) != 2:
            raise RunError(f"{fork.function.name} does not give two states", fork.function.span,
                           expected="a tuple of two states", got=repr(parts))
        for part in parts:
            self._is_a_state(part, fork.function)
        return parts

    def lent(self, state: object, takes: Predicate) -> tuple[object, object]:
        """What those above need of the state of a worker who takes some tags, and what stays."""
        return state, None

    def returned(self, state: object, kept: object) -> object:
        """The state that came from above, with what had stayed."""
        return state

    def join(self, left: object, right: object) -> object:
        function = self.join_of(type(left), type(right)).function
        whole = _called(function, (left, right))
        self._is_a_state(whole, function)
        return whole

    def _is_a_state(self, given: object, by: Function) -> None:
        if not self.has(type(given)):
            raise RunError(f"{by.name} gives something that is not a state", by.span,
                           expected=" or ".join(f"a {state.__name__}" for state in self._states),
                           got=repr(given))

    def has(self, state: type) -> bool:
        """Whether it is one of the program's types of states."""
        return state in self._states

    def can_fork(self, whole: type) -> bool:
        return whole in self._forks

    def fork_of(self, whole: type) -> Fork:
        if whole in self._forks:
            return self._forks[whole]
        raise ProgramError(f"no fork takes a {whole.__name__}", self.kind.function.span,
                           help="a worker with others below it forks its state for them")

    def join_of(self, left: type, right: type) -> Join:
        if (left, right) in self._joins:
            return self._joins[left, right]
        raise ProgramError(f"no join takes a {left.__name__} and a {right.__name__}",
                           self.kind.function.span)

    def handles(self, state: type, tag: Tag) -> bool:
        """Whether a state of this type can take events of the tag."""
        known = self._states.get(state)
        if tag == OTHER:
            return state is self.kind.state
        return known is not None and (known.handles is None or bool(known.handles.call(tag)))

    @once
    def _forks(self) -> dict[type, Fork]:
        return {fork.whole: fork for fork in self.kind.forks}

    @once
    def _joins(self) -> dict[tuple[type, type], Join]:
        return {join.parts: join for join in self.kind.joins}

    @once
    def _states(self) -> dict:
        return {state.type: state for state in self.kind.states}


def _called(function: Function, given: tuple, name: str | None = None) -> object:
    """What a function of the user gives; its failure is said at the line where it stands."""
    try:
        return function.call(*given)
    except (Exception, SystemExit) as error:
        told = " and ".join(repr(one) for one in given if not callable(one))
        raise RunError(f"{name or function.name} raised {type(error).__name__}: {error}",
                       function.span, got=told, below="\n" + user_traceback(error)) from error


def _asymmetric(a: Tag, b: Tag, forward: bool, span: Span | None) -> ProgramError:
    return ProgramError("depends must be symmetric", span, expected=f"depends({b!r}, {a!r}) to be "
                        f"{forward}, as depends({a!r}, {b!r}) is", got=str(not forward))


HOT, COLD = "often", "bucket"


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
        return costs().buckets_per_worker * workers

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
