"""Cases on which a synchronized operator's functions are tried, made of the events of a sample."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from anabranch.sync.divisions import Division, descent, divided
from anabranch.sync.program import Program, Tag

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
