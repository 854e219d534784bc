"""Do a program's functions fit together? Equations tried on reached states."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from anabranch.check.synchronized.cases import Case
from anabranch.check.synchronized.equations import (
    EQUATIONS,
    Equation,
    Side,
    Unreachable,
    after,
    told,
)
from anabranch.check.synchronized.smallest import smallest
from anabranch.core.source import Span
from anabranch.ir.records import State
from anabranch.plan.sync.program import Program


def alike(one: object, other: object) -> bool:
    """Equal, part by part. Objects without an equality are what they have as attributes; arrays
    are their elements; a NaN is like another.

    >>> alike([np.array([1, 2]), float("nan")], [np.array([1, 2]), float("nan")])
    True
    >>> alike({"a": 1}, {"a": 2})
    False
    """
    if type(one) is type(other):
        if isinstance(one, dict):
            return one.keys() == other.keys() and all(alike(one[k], other[k]) for k in one)
        if isinstance(one, (list, tuple)):
            return len(one) == len(other) and all(map(alike, one, other))
        if isinstance(one, np.ndarray):
            return one.shape == other.shape and alike(one.tolist(), other.tolist())
        if (parts := _parts(one)) is not None:
            return alike(parts, _parts(other))
    return bool(one == other) or bool(one != one and other != other)


def _parts(thing: object) -> dict | None:
    """The attributes of an object that has no equality but being itself."""
    if isinstance(thing, State):
        return thing.__getstate__()
    return getattr(thing, "__dict__", None) if type(thing).__eq__ is object.__eq__ else None


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
