"""Do a program's functions fit together? Three equations are tried on states that can be reached.

With s1 and s2 forked from one state and then updated, each with events of its own side:

    C1  join(update(s1, e), s2) = update(join(s1, s2), e)      for an event of either side
    C2  join(fork(s, left, right)) = s
    C3  update(update(s, e), f) = update(update(s, f), e)      for e and f that are independent

A fork is only tried where both sides have tags: a plan has no branch that takes nothing.
The outputs must be the same as well. A program that keeps them gives the same outputs however its
events are divided. A case that breaks one is made smaller as long as it stays broken.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from anabranch.errors import AnabranchError
from anabranch.sync.cases import Case, cases
from anabranch.sync.program import Program


@dataclass(frozen=True)
class Broken:
    """An equation that does not hold: how the states came about, and both of its sides."""

    equation: str
    case: Case
    one: str
    other: str


def broken(program: Program, equation: str, events: Sequence[object]) -> Broken | None:
    """The smallest case found that breaks an equation (`EQUATIONS` has them by name)."""
    holds = EQUATIONS[equation]
    for case in cases(program, events):
        if _sides(holds, program, case) is not None:
            case = _smallest(holds, program, case)
            return Broken(equation, case, *_sides(holds, program, case))
    return None


Sides = tuple[object, object]
"""What stands on the two sides of an equation: (state, outputs) each."""


def _c1(program: Program, case: Case) -> Sides | None:
    event = case.events[0]
    if program.tag(event) not in (case.left if case.to_left else case.right):
        return None
    left, right = _forked(program, case)
    whole = program.join(*copy.deepcopy((left, right)))
    out = _updated(program, left if case.to_left else right, [event])
    return (program.join(left, right), out), (whole, _updated(program, whole, [event]))


def _c2(program: Program, case: Case) -> Sides | None:
    if not case.left:
        return None
    state, _ = _reached(program, case.before)
    parts = program.fork(copy.deepcopy(state), case.left.__contains__, case.right.__contains__)
    return (program.join(*parts), []), (state, [])


def _c3(program: Program, case: Case) -> Sides | None:
    one, other = case.events
    if program.depends(program.tag(one), program.tag(other)):
        return None
    state, _ = _reached(program, case.before)
    twin = copy.deepcopy(state)
    first, second = (_updated(program, state, [e]) for e in (one, other))
    last, earlier = (_updated(program, twin, [e]) for e in (other, one))
    return (state, [first, second]), (twin, [earlier, last])


EQUATIONS: dict[str, Callable[[Program, Case], Sides | None]] = {
    "join(update(s1, e), s2) = update(join(s1, s2), e)": _c1,
    "join(fork(s)) = s": _c2,
    "update(update(s, e), f) = update(update(s, f), e)": _c3,
}


def _updated(program: Program, state: object, events: Sequence) -> list:
    """Updates the state in place; the outputs."""
    return [out for event in copy.deepcopy(events) for out in program.update(state, event)]


def _reached(program: Program, events: Sequence) -> tuple[object, list]:
    state = program.start()
    return state, _updated(program, state, events)


def _forked(program: Program, case: Case) -> tuple[object, object]:
    state, _ = _reached(program, case.before)
    left, right = program.fork(state, case.left.__contains__, case.right.__contains__)
    # Both sides may share parts of the state, which is fine as long as they go separate ways.
    left, right = copy.deepcopy(left), copy.deepcopy(right)
    _updated(program, left, case.on_left)
    _updated(program, right, case.on_right)
    return left, right


def _sides(holds: Callable, program: Program, case: Case) -> tuple[str, str] | None:
    """Both sides in words, if they differ or cannot be computed."""
    try:
        sides = holds(program, case)
    except (Exception, SystemExit) as error:
        return told(error), "two states that are equal"
    if sides is None or sides[0] == sides[1]:
        return None
    one, other = (f"{state!r}" + (f", giving {out!r}" if out and out != [[], []] else "")
                  for state, out in sides)
    # A NaN does not equal itself, and a state may have no equality of its own.
    return (one, other) if one != other else None


def told(error: BaseException) -> str:
    """A failure in one line."""
    if isinstance(error, AnabranchError):
        return f"{error.what}: {error.got}" if error.got else error.what
    return f"{type(error).__name__}: {error}"


def _smallest(holds: Callable, program: Program, case: Case) -> Case:
    """Without any event or tag that is not needed to break the equation."""
    for name in ("before", "on_left", "on_right", "left", "right"):
        for one in list(getattr(case, name)):
            smaller = replace(case, **{name: _without(getattr(case, name), one)})
            if _is_possible(program, smaller) and _sides(holds, program, smaller) is not None:
                case = smaller
    return case


def _is_possible(program: Program, case: Case) -> bool:
    """Whether each side has tags, and only events of these."""
    return (bool(case.left) == bool(case.right)
            and all(program.tag(e) in case.left for e in case.on_left)
            and all(program.tag(e) in case.right for e in case.on_right))


def _without(many: tuple | frozenset, one: object) -> tuple | frozenset:
    if isinstance(many, frozenset):
        return many - {one}
    at = many.index(one)
    return many[:at] + many[at + 1:]
