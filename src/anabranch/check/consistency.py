"""A synchronized operator's functions: symmetric dependence, and equations between the others."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

from anabranch.check.claims import Claim
from anabranch.check.replay import Subject
from anabranch.check.verdict import Counterexample
from anabranch.ir.operators import key_function
from anabranch.ir.synchronized import Synchronized
from anabranch.sync.consistency import EQUATIONS, Broken, broken, told
from anabranch.sync.program import Program

KEYS_TRIED = 5


def consistency(kind: Synchronized) -> Iterator[Claim]:
    """What the user's functions must keep for the operator to run in parallel."""
    yield Claim("depends(a, b) = depends(b, a)", True, symmetric)
    for equation in EQUATIONS:
        yield Claim(equation, True, partial(consistent, equation=equation))


def symmetric(subject: Subject) -> Counterexample | None:
    kind, tags = subject.op.kind, {}
    for firing in subject.log.firings:
        try:
            tags[kind.tag.call(firing.item)] = None
        except Exception as error:
            return Counterexample(f"the event {firing.item!r}", "a tag that can be compared",
                                  f"{type(error).__name__}: {error}")
    for a, b in product(tags, tags):
        one, other = bool(kind.depends.call(a, b)), bool(kind.depends.call(b, a))
        if one != other:
            return Counterexample(f"the tags {a!r} and {b!r}",
                                  f"depends({b!r}, {a!r}) to be {one}", str(other))
    return None


def consistent(subject: Subject, equation: str) -> Counterexample | None:
    """The first key, of those with most events, whose events break the equation."""
    program = Program(subject.op.kind)
    for events in _by_key(subject):
        try:
            found = broken(program, equation, events)
        except Exception as error:
            return Counterexample("the tags of its events", "two states that are equal",
                                  told(error))
        if found is not None:
            return Counterexample(_told(found), found.other, found.one)
    return None


def _by_key(subject: Subject) -> list[list[object]]:
    key_of = key_function(subject.op.kind.by)
    events: dict[object, list] = {}
    for firing in subject.log.firings:
        events.setdefault(key_of(firing.item), []).append(firing.item)
    return sorted(events.values(), key=len, reverse=True)[:KEYS_TRIED]


def _told(found: Broken) -> str:
    """How the states of the equation came about, in the user's own events."""
    case = found.case
    names = {"s after": case.before}
    if found.equation.startswith("join"):
        names |= {"left has": sorted(case.left, key=repr)}
        names |= {"right has": sorted(case.right, key=repr)}
    if "s1" in found.equation:
        names |= {"s1 after": case.on_left, "s2 after": case.on_right}
        names |= {f"e on the {'left' if case.to_left else 'right'} is": case.events[:1]}
    if "f)" in found.equation:
        names |= {"e, f are": case.events}
    return "; ".join(f"{name} {', '.join(map(repr, many)) or 'nothing'}"
                     for name, many in names.items())
