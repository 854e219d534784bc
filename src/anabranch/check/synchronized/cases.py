"""Cases on which a synchronized operator's functions are tried, from a sample.

How the tags of a state are divided when it is forked is as a plan might.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from anabranch.plan.sync.program import Program, Tag

DEPTHS = (0, 0, 1, 2)
"""How many forks, as likely as each other, lead to the state that is tried."""


@dataclass(frozen=True)
class Division:
    """The tags of both sides of a fork, and to which of them one goes on."""

    left: frozenset
    right: frozenset
    to_left: bool

    @property
    def taken(self) -> frozenset:
        return self.left if self.to_left else self.right

    def part(self, parts: tuple) -> object:
        """That of the side which one goes on to."""
        return parts[0 if self.to_left else 1]


def descent(program: Program, tags: list[Tag], first: Tag, chance: random.Random
            ) -> tuple[tuple[Division, ...], list[Tag], type]:
    """Some forks, one below the other, always to the side of the tag `first`, where it has one; the
    tags that are left there, and the type of the state."""
    forks, state = [], program.kind.state
    for _ in range(chance.choice(DEPTHS)):
        division = divided(program, state, tags, first, chance)
        if division is None or (first in tags) != (first in division.taken):
            break
        forks.append(division)
        tags = [tag for tag in tags if tag in division.taken]
        state = division.part(program.fork_of(state).parts)
    return tuple(forks), tags, state


def divided(program: Program, state: type, tags: Sequence[Tag], first: Tag, chance: random.Random
            ) -> Division | None:
    """Two sides such that no tag of one depends on a tag of the other; a tag may be on both. The
    tag `first` has a place if it can. None where one side would have nothing."""
    if not program.can_fork(state):
        return None
    to_left = chance.random() < 0.5
    others = chance.sample(tags, len(tags))
    for order in ([first, *others] if first in tags else others), others:
        left, right = _dealt(program, state, order, to_left, chance)
        if left and right:
            return Division(frozenset(left), frozenset(right), to_left)
    return None


def _dealt(program: Program, state: type, tags: Sequence[Tag], to_left: bool,
           chance: random.Random) -> tuple[set, set]:
    """The first tag goes to the side that is said."""
    sides: tuple[set, set] = (set(), set())
    wanted = [0 if to_left else 1]
    for tag in tags:
        for side in wanted:
            if may_take(program, state, side, tag) and not any(
                    program.depends(tag, other) for other in sides[1 - side]):
                sides[side].add(tag)
        wanted = chance.sample((0, 1), chance.choice((1, 1, 2)))
    return sides


def may_take(program: Program, state: type, side: int, tag: Tag) -> bool:
    """Whether the type of that part of a state can take events of the tag."""
    return program.handles(program.fork_of(state).parts[side], tag)


CASES, MOST_CASES = 300, 1000
"""So many cases are tried, or as many as there are events: one may be unlike all others."""
LONGEST = 20
NEAR = 4
"""So many tags that depend on one, and as many others, have a part in the cases of that tag."""


@dataclass(frozen=True)
class Case:
    """Events before any fork; the forks that lead to the state at hand, and the next one; the
    events of its sides since, one more for the side that it goes to, two that may change places,
    and one that follows all."""

    before: tuple
    forks: tuple[Division, ...]
    last: Division | None
    on_left: tuple
    on_right: tuple
    taken: tuple
    events: tuple
    then: tuple

    def state_of(self, program: Program) -> type:
        """The type of the state that the forks lead to."""
        state = program.kind.state
        for fork in self.forks:
            state = fork.part(program.fork_of(state).parts)
        return state


def cases(program: Program, events: Sequence[object]) -> Iterator[Case]:
    """Small cases first. Seeded, so that a counterexample comes back each time."""
    chance = random.Random(0)
    each = chance.sample(events, min(len(events), MOST_CASES))
    make = Cases(program, by_tag(program, each), chance)
    count = max(CASES, len(each)) if events else 0
    for number in range(count):
        length = 1 + number * LONGEST // count
        yield make.about(each[number % len(each)], length)
        if number % (count // CASES) == 0:
            yield make.about(make.one(list(make.tagged)), length)


def by_tag(program: Program, events: Sequence[object]) -> dict[Tag, list]:
    tagged: dict[Tag, list] = {}
    for event in events:
        tagged.setdefault(program.tag(event), []).append(event)
    return tagged


class Cases:
    """Makes cases of events, of which rare tags come as often as others."""

    def __init__(self, program: Program, tagged: dict[Tag, list], chance: random.Random):
        self.program, self.tagged, self.chance = program, tagged, chance
        self.dependent: dict[Tag, list[Tag]] = {}

    def about(self, event: object, length: int) -> Case:
        """A case in which the event, and tags that have to do with its own, have a part."""
        tag, chance = self.program.tag(event), self.chance
        near = self._near(tag)
        forks, known, state = descent(self.program, near, tag, chance)
        last = divided(self.program, state, known, tag, chance)
        taken = () if last is None else (self._of(event, last.taken),)
        free = [t for t in known if not self.program.depends(tag, t)]
        sides = (last.left, last.right) if last else ((), ())
        return Case(self._some(near, length), forks, last,
                    *(self._some(side, length) for side in sides), taken,
                    (event, self.one(free or known)), (self.one(known),))

    def _near(self, tag: Tag) -> list[Tag]:
        """The tag, some that depend on it, and some of all."""
        tags = list(self.tagged)
        if len(tags) <= 2 * NEAR:
            return tags
        if tag not in self.dependent:
            depends = self.program.kind.depends.call
            self.dependent[tag] = list(islice((t for t in tags if depends(tag, t)), 5 * NEAR))
        some = (self.chance.sample(of, min(len(of), NEAR)) for of in (self.dependent[tag], tags))
        return list(dict.fromkeys([tag, *chain(*some)]))

    def _of(self, event: object, tags: Collection[Tag]) -> object:
        return event if self.program.tag(event) in tags else self.one(tags)

    def _some(self, tags: Collection[Tag], most: int) -> tuple:
        many = self.chance.randrange(most + 1) if tags else 0
        return tuple(self.one(tags) for _ in range(many))

    def one(self, tags: Collection[Tag]) -> object:
        # A set has no order that would be the same in another process.
        known = sorted(tags, key=repr) if isinstance(tags, frozenset) else tags
        return self.chance.choice(self.tagged[self.chance.choice(known)])
