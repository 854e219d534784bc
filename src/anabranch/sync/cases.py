"""Cases on which a synchronized operator's functions are tried, made of the events of a sample."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from anabranch.sync.program import Program

CASES, MOST_CASES = 300, 1000
"""So many cases are tried, or as many as there are events: one may be unlike all others."""
LONGEST = 20


@dataclass(frozen=True)
class Case:
    """Events before the fork, the tags of both sides, their events since, and one or two more;
    `to_left` says which side takes the first of these."""

    before: tuple
    left: frozenset
    right: frozenset
    on_left: tuple = ()
    on_right: tuple = ()
    events: tuple = ()
    to_left: bool = True


def cases(program: Program, events: Sequence[object]) -> Iterator[Case]:
    """Small cases first. Seeded, so that a counterexample comes back each time."""
    chance, tagged = random.Random(0), _by_tag(program, events)
    each = chance.sample(events, min(len(events), MOST_CASES))
    count = max(CASES, len(each)) if events else 0
    for number in range(count):
        length = 1 + number * LONGEST // count
        left, right = _independent(program, list(tagged), chance)
        if not left or not right:
            left = right = frozenset()
        one = each[number % len(each)]
        free = [tag for tag in tagged if not program.depends(tag, program.tag(one))]
        yield Case(_some(tagged, tagged, length, chance), left, right,
                   _some(tagged, left, length, chance), _some(tagged, right, length, chance),
                   (one, _one(tagged, free or tagged, chance)), chance.random() < 0.5)


def _by_tag(program: Program, events: Sequence[object]) -> dict[object, list]:
    tagged: dict[object, list] = {}
    for event in events:
        tagged.setdefault(program.tag(event), []).append(event)
    return tagged


def _independent(program: Program, tags: list, chance: random.Random
                 ) -> tuple[frozenset, frozenset]:
    """Two sides such that no tag of one depends on a tag of the other; a tag may be on both."""
    left: set = set()
    right: set = set()
    for tag in chance.sample(tags, len(tags)):
        sides = [(left, right), (right, left)]
        for own, opposite in chance.sample(sides, 2)[:chance.choice((1, 1, 2))]:
            if not any(program.depends(tag, other) for other in opposite):
                own.add(tag)
    return frozenset(left), frozenset(right)


def _some(tagged: dict[object, list], tags: Collection, most: int, chance: random.Random) -> tuple:
    """Some events of these tags."""
    many = chance.randrange(most + 1) if tags else 0
    return tuple(_one(tagged, tags, chance) for _ in range(many))


def _one(tagged: dict[object, list], tags: Collection, chance: random.Random) -> object:
    """Rare tags come as often as others."""
    return chance.choice(tagged[chance.choice([tag for tag in tagged if tag in tags])])
