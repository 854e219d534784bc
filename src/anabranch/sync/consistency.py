"""Do a program's functions fit together? Equations are tried on states that can be reached.

With s1 and s2 forked from one state and then updated, each with events of its own side:

    C1  join(update(s1, e), s2) = update(join(s1, s2), e)      for an event of either side
    C2  join(fork(s, left, right)) = s
    C3  update(update(s, e), f) = update(update(s, f), e)      for e and f that are independent

and an update gives the same each time. The state s may itself be a part that forks have led to. A
fork is only tried where both sides have tags that their states may take: a plan has no others.
The outputs must be the same as well, also those of an event that follows: states that are equal may
tell their contents in another order. A program that keeps all this gives the same outputs however
its events are divided. A case that breaks an equation is made smaller as long as it stays broken.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from anabranch.source import Span
from anabranch.sync.alike import alike
from anabranch.sync.cases import Case
from anabranch.sync.equations import EQUATIONS, Equation, Side, Unreachable, after, told
from anabranch.sync.program import Program
from anabranch.sync.smallest import smallest


@dataclass(frozen=True)
class Broken:
    """An equation that does not hold: how the states came about, and both of its sides, or where
    the function stands that gives no state."""

    equation: str
    case: Case
    one: str
    other: str
    failed: Span | None = None


def broken(program: Program, equation: str, cases: Iterable[Case]) -> Broken | None:
    """The first case that breaks an equation (`EQUATIONS` has them by name), made small."""
    tried = _Tried(program, EQUATIONS[equation])
    for case in cases:
        if tried.differs(case):
            case = smallest(program, case, tried.differs)
            return Broken(equation, case, *tried.found)
    return None


class _Tried:
    """Keeps the sides that differed last: functions that give something else each time might not
    break the same case again."""

    def __init__(self, program: Program, equation: Equation):
        self.program, self.equation = program, equation
        self.found: tuple[str, str, Span | None] | None = None

    def differs(self, case: Case) -> bool:
        differing = _differing(self.program, self.equation, case)
        self.found = differing or self.found
        return differing is not None


def _differing(program: Program, equation: Equation, case: Case
               ) -> tuple[str, str, Span | None] | None:
    """Both sides in words, if they differ or cannot be computed, and then what failed."""
    try:
        sides = equation(program, case)
        if sides is None or all(side.failure for side in sides):
            return None
        later = [_later(program, side, case.then) for side in sides]
        if alike(*sides) and later[0] == later[1]:
            return None
    except Unreachable:
        return None
    except (Exception, SystemExit) as error:
        return told(error), "two states that are equal", getattr(error, "where", None)
    one, other = (f"{side}{then}" for side, then in zip(sides, later))
    # What has no equality of its own, and no attributes either, is what it says of itself.
    return None if one == other else (one, other, None)


def _later(program: Program, side: Side, events: Sequence) -> str:
    """What the state gives for events that follow: equal ones may have another order inside."""
    if side.failure or not events:
        return ""
    then = after(program, copy.deepcopy(side.state), events)
    return f", then {then.failure}" if then.failure else then.given("then")
