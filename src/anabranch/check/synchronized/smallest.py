"""The smallest case that is still broken: no event, tag or fork too many."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from anabranch.check.synchronized.cases import Case, Division, may_take
from anabranch.plan.sync.program import Program


def smallest(program: Program, case: Case, is_broken: Callable[[Case], bool]) -> Case:
    """Tries to leave out one thing after another, until nothing more can be left out."""
    while True:
        before = case
        for smaller in _steps(case):
            # What was left out meanwhile is not there any more.
            smaller = smaller(case)
            if smaller is not None and _is_possible(program, smaller) and is_broken(smaller):
                case = smaller
        if case == before:
            return case


Step = Callable[[Case], Case | None]


def _steps(case: Case) -> Iterator[Step]:
    for name in ("then", "before", "on_left", "on_right", "forks"):
        for one in getattr(case, name):
            yield lambda now, name=name, one=one: _without(now, name, one)
    for side in ("left", "right"):
        for tag in sorted(getattr(case.last, side, ()), key=repr):
            yield lambda now, side=side, tag=tag: replace(
                now, last=_less(now.last, side, tag))
            for place in range(len(case.forks)):
                yield lambda now, place=place, side=side, tag=tag: _narrowed(now, place, side, tag)


def _without(case: Case, name: str, one: object) -> Case | None:
    many = getattr(case, name)
    if one not in many:
        return None
    at = many.index(one)
    return replace(case, **{name: many[:at] + many[at + 1:]})


def _less(division: Division, side: str, tag: object) -> Division:
    return replace(division, **{side: getattr(division, side) - {tag}})


def _narrowed(case: Case, place: int, side: str, tag: object) -> Case | None:
    if place >= len(case.forks):
        return None
    return replace(case, forks=(*case.forks[:place], _less(case.forks[place], side, tag),
                                *case.forks[place + 1:]))


def _is_possible(program: Program, case: Case) -> bool:
    """Whether each side of every fork has tags that its state may take, and its events are such."""
    state, known = program.kind.state, None
    for fork in case.forks:
        if not _fits(program, state, fork, known):
            return False
        state, known = fork.part(program.fork_of(state).parts), fork.taken
    if case.last is not None and not _fits(program, state, case.last, known):
        return False
    of_last = (case.last.left, case.last.right, case.last.taken) if case.last else ((), (), ())
    within = zip((case.on_left, case.on_right, case.taken), of_last)
    return all(program.tag(e) in tags for events, tags in within for e in events) and (
        known is None or all(program.tag(e) in known for e in (*case.events, *case.then)))


def _fits(program: Program, state: type, fork: Division, known: frozenset | None) -> bool:
    sides = (fork.left, fork.right)
    return program.can_fork(state) and all(
        side and (known is None or side <= known)
        and all(may_take(program, state, n, tag) for tag in side) for n, side in enumerate(sides))
