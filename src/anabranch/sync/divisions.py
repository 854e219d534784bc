"""How the tags of a state are divided when it is forked: as a plan might."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from anabranch.sync.program import Program, Tag

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
