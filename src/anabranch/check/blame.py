"""Which of a synchronized operator's functions breaks an equation: the likeliest first."""

from __future__ import annotations

from collections.abc import Collection

from anabranch.ir.function import Function
from anabranch.sync.consistency import Broken
from anabranch.sync.equations import EXCHANGED, FORKED, SAME
from anabranch.sync.program import Program


def blamed(program: Program, found: Broken, kept: Collection[str]) -> tuple[Function, ...]:
    """The function that failed, if one did, or else all that may be wrong, given the equations that
    are `kept`: where events may not change places, no join makes that good."""
    kind = program.kind
    if found.equation == SAME:
        return (kind.function,)
    if found.equation == EXCHANGED:
        return kind.depends, kind.function
    fork = program.fork_of(found.case.state_of(program))
    fork, join = fork.function, program.join_of(*fork.parts).function
    failed = tuple(one for one in (fork, join) if one.span == found.failed)
    if failed or found.equation == FORKED:
        return failed or (fork, join)
    return (join, fork) if EXCHANGED in kept else (kind.depends, kind.function)
