"""Functions of synchronized operators: symmetric dependence, and equations.

Where an equation breaks, the function that most likely breaks it is named.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator
from functools import partial
from itertools import combinations_with_replacement

from anabranch.check.claims import Claim
from anabranch.check.replay import Subject
from anabranch.check.synchronized.cases import Case, Division, cases
from anabranch.check.synchronized.consistency import Broken, broken
from anabranch.check.synchronized.equations import EQUATIONS, EXCHANGED, FORKED, SAME, told
from anabranch.check.verdict import Counterexample
from anabranch.ir.function import Function
from anabranch.ir.operators import key_function
from anabranch.ir.synchronization import Synchronized
from anabranch.plan.sync.program import Program


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


KEYS_TRIED = 5
MOST_TAGS = 300


def consistency(subject: Subject) -> Iterator[Claim]:
    """What the user's functions must keep for the operator to run in parallel; where one is broken
    without which the others say nothing, these are left out."""
    kind = subject.op.kind
    program, tried = Program(kind), []
    found = symmetric(subject)
    if found is None:
        try:
            tried = [list(cases(program, events)) for events in _by_key(subject)]
        except (Exception, SystemExit) as error:
            found = Counterexample("the tags of its events", "True or False", told(error),
                                   (kind.depends,))
    yield Claim("depends(a, b) = depends(b, a)", True, lambda _: found)
    if found is None:
        yield from _equations(program, tried)


def _equations(program: Program, tried: list[list[Case]]) -> Iterator[Claim]:
    kept: set[str] = set()
    for equation in EQUATIONS:
        found = consistent(program, equation, tried, kept)
        kept |= {equation} if found is None else set()
        yield Claim(equation, True, lambda _, found=found: found)
        if found is not None and equation == SAME:
            return


def symmetric(subject: Subject) -> Counterexample | None:
    tags: dict[object, None] = {}
    for firing in subject.log.firings:
        wrong = _untagged(subject.op.kind, firing.item, tags)
        if wrong is not None:
            return wrong
    return next(filter(None, map(partial(_one_way, subject.op.kind), _pairs(list(tags)))), None)


def _untagged(kind: Synchronized, item: object, tags: dict[object, None]) -> Counterexample | None:
    """What is wrong with the tag of an event, if it does not just become one of the tags."""
    try:
        tag, again = kind.tag.call(item), kind.tag.call(item)
        tags[tag] = None
    except (Exception, SystemExit) as error:
        return Counterexample(f"the event {item!r}", "a tag that can be compared", told(error),
                              (kind.tag,))
    return None if tag == again else Counterexample(
        f"the event {item!r}", f"its tag to be {tag!r} each time", repr(again), (kind.tag,))


def _pairs(tags: list[object]) -> Iterator[tuple[object, object]]:
    """All pairs of tags, or some where there are too many."""
    if len(tags) <= MOST_TAGS:
        return combinations_with_replacement(tags, 2)
    chance = random.Random(0)
    return ((chance.choice(tags), chance.choice(tags)) for _ in range(MOST_TAGS ** 2))


def _one_way(kind: Synchronized, pair: tuple[object, object]) -> Counterexample | None:
    a, b = pair
    try:
        one, other = bool(kind.depends.call(a, b)), bool(kind.depends.call(b, a))
    except (Exception, SystemExit) as error:
        return Counterexample(f"the tags {a!r} and {b!r}", "True or False", told(error),
                              (kind.depends,))
    return None if one == other else Counterexample(
        f"the tags {a!r} and {b!r}", f"depends({b!r}, {a!r}) to be {one}", str(other),
        (kind.depends,))


def consistent(program: Program, equation: str, tried: list[list[Case]], kept: Collection[str] = ()
               ) -> Counterexample | None:
    """The first case that breaks the equation; those of the keys with most events go first."""
    for of_key in tried:
        found = broken(program, equation, of_key)
        if found is not None:
            return Counterexample(_told(found), found.other, found.one,
                                  blamed(program, found, kept))
    return None


def _by_key(subject: Subject) -> list[list[object]]:
    key_of = key_function(subject.op.kind.by)
    events: dict[object, list] = {}
    for firing in subject.log.firings:
        events.setdefault(key_of(firing.item), []).append(firing.item)
    return sorted(events.values(), key=len, reverse=True)[:KEYS_TRIED]


def _told(found: Broken) -> str:
    """How the states of the equation came about, in the user's own events."""
    return "; ".join(_steps(found.equation, found.case))


def _steps(equation: str, case: Case) -> Iterator[str]:
    yield f"s after {_listed(case.before)}"
    for fork in case.forks:
        yield f"{_divided(fork)}; s is now its {_side(fork)} part"
    if equation.startswith("join"):
        yield _divided(case.last)
    if "s1" in equation:
        yield f"s1 after {_listed(case.on_left)}; s2 after {_listed(case.on_right)}"
        yield f"e on the {_side(case.last)} is {_listed(case.taken)}"
    if "f)" in equation:
        yield f"e, f are {_listed(case.events)}"
    if equation.startswith("update(s,"):
        yield f"e is {_listed(case.events[:1])}"
    if case.then:
        yield f"then {_listed(case.then)}"


def _divided(fork: Division) -> str:
    left, right = (_listed(sorted(side, key=repr)) for side in (fork.left, fork.right))
    return f"left has {left}; right has {right}"


def _side(fork: Division) -> str:
    return "left" if fork.to_left else "right"


def _listed(many: Iterable[object]) -> str:
    return ", ".join(map(repr, many)) or "nothing"
