"""The equations of a synchronized operator, both sides computed for a case."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import NamedTuple

from anabranch.check.synchronized.cases import Case, Division
from anabranch.core.errors import AnabranchError
from anabranch.plan.sync.program import Program


class Side(NamedTuple):
    """What stands on one side of an equation: a state, or why there is none, and the outputs of
    each event on the way to it."""

    state: object
    outputs: Sequence[list] = ()
    failure: str | None = None

    def __str__(self) -> str:
        return self.failure or repr(self.state) + self.given("giving")

    def given(self, how: str) -> str:
        outputs = self.outputs[0] if len(self.outputs) == 1 else self.outputs
        return f", {how} {outputs!r}" if any(self.outputs) else ""


Sides = tuple[Side, Side]
Equation = Callable[[Program, Case], Sides | None]


def _c1(program: Program, case: Case) -> Sides | None:
    if case.last is None:
        return None
    left, right = _parted(program, _reached(program, case), case.last)
    _reach(program, left, case.on_left)
    _reach(program, right, case.on_right)
    whole = program.join(*copy.deepcopy((left, right)))
    part = case.last.part((left, right))
    return (after(program, part, case.taken, lambda: program.join(left, right)),
            after(program, whole, case.taken))


def _c2(program: Program, case: Case) -> Sides | None:
    if case.last is None:
        return None
    state = _reached(program, case)
    parts = _parted(program, copy.deepcopy(state), case.last)
    return Side(program.join(*parts)), Side(state)


def _c3(program: Program, case: Case) -> Sides | None:
    one, other = case.events
    if program.depends(program.tag(one), program.tag(other)):
        return None
    state = _reached(program, case)
    twin = copy.deepcopy(state)
    exchanged = after(program, twin, (other, one))
    return (after(program, state, (one, other)),
            exchanged._replace(outputs=exchanged.outputs[::-1]))


def _again(program: Program, case: Case) -> Sides | None:
    state = _reached(program, case)
    twin = copy.deepcopy(state)
    return after(program, state, case.events[:1]), after(program, twin, case.events[:1])


SAME = "update(s, e) = update(s, e)"
"""Without it, no other equation says anything."""
EXCHANGED = "update(update(s, e), f) = update(update(s, f), e)"
JOINED = "join(update(s1, e), s2) = update(join(s1, s2), e)"
FORKED = "join(fork(s)) = s"

EQUATIONS: dict[str, Equation] = {
    SAME: _again,
    EXCHANGED: _c3,
    JOINED: _c1,
    FORKED: _c2,
}


class Unreachable(Exception):
    """Events that lead to no state: the program does not take them in this order."""


def _reached(program: Program, case: Case) -> object:
    """The state after the first events, or the part of it that the forks lead to."""
    state = program.start()
    _reach(program, state, case.before)
    for fork in case.forks:
        try:
            state = fork.part(_parted(program, state, fork))
        except AnabranchError as error:
            # A fork that fails breaks the equations that speak of it.
            raise Unreachable from error
    return state


def _reach(program: Program, state: object, events: Sequence) -> None:
    failed = after(program, state, events).failure
    if failed is not None:
        raise Unreachable(failed)


def after(program: Program, state: object, events: Sequence,
           whole: Callable[[], object] | None = None) -> Side:
    """What comes of some events, which change the state in place; it may be a part of a `whole`."""
    try:
        outputs = [list(program.update(state, event)) for event in copy.deepcopy(events)]
    except (Exception, SystemExit) as error:
        return Side(None, failure=told(error))
    return Side(whole() if whole else state, outputs)


def _parted(program: Program, state: object, fork: Division) -> tuple[object, object]:
    left, right = program.fork(state, fork.left.__contains__, fork.right.__contains__)
    # Both sides may share parts of the state, which is fine as long as they go separate ways.
    return copy.deepcopy(left), copy.deepcopy(right)


def told(error: BaseException) -> str:
    """A failure in one line."""
    if isinstance(error, AnabranchError):
        return f"{error.what}: {error.got}" if error.got else error.what
    return f"{type(error).__name__}: {error}"
