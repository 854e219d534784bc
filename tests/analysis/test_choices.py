"""Fields that are members of an Enum: what comes is one of them, and they do what their class says.
"""

from __future__ import annotations

from enum import Enum, IntEnum, StrEnum

import pytest

import anabranch as ab
from anabranch.compile import compile_graph


class Kind(Enum):
    CARD = "card"
    CASH = "cash"

    @property
    def is_paper(self) -> bool:
        return self is Kind.CASH


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Side(StrEnum):
    IN = "in"
    OUT = "out"


class Counted(Enum):
    ONE = "one"
    TWO = "two"

    def seen(self) -> int:
        COUNTS.append(self)
        return len(COUNTS)


class Changing(Enum):
    FEW = "few"
    MANY = "many"

    def __init__(self, text: str):
        self.seen: list = []


COUNTS: list = []


class Payment(ab.Record):
    n: int
    kind: Kind
    level: Level
    side: Side | None
    counted: Counted


class Strange(ab.Record):
    n: int
    changing: Changing


class Total(ab.State):
    value: int = 0


@ab.operator(by="kind")
def by_kind(state: Total, p: Payment):
    state.value += p.n
    yield p.replace(n=state.value)


@ab.operator(by=("level", "side"))
def by_two(state: Total, p: Payment):
    state.value += p.n
    yield p.replace(n=state.value)


def table(p: Payment):
    match p.kind:
        case Kind.CARD:
            return {Kind.CARD: 1, Kind.CASH: 2}[p.kind]
    return p.kind.name + p.kind.value


def state(stream: ab.Stream) -> str:
    plan = compile_graph(stream.graph())
    return next(str(plan.facts[op.name].state.value) for op in plan.graph
                if not (op.is_source or op.is_sink))


@pytest.mark.parametrize(("function", "expected"), [
    (table, "stateless"),
    (lambda p: (p.kind == Kind.CARD, p.kind.is_paper, p.side == "in"), "stateless"),
    (lambda p: (p.level > 1, p.level + p.n, p.side is None, f"{p.side}"), "stateless"),
    (lambda p: p.counted.value, "stateless"), (lambda p: p.counted.seen(), "unknown")])
def test_functions_of_them_are_what_their_class_does(function, expected):
    assert state(ab.read_csv("in.csv", Payment).map(function)) == expected


def test_they_are_keys():
    payments = ab.read_csv("in.csv", Payment)
    assert state(payments.apply(by_kind)) == "by kind"
    assert state(payments.apply(by_two)) == "by level, side"


def test_members_that_can_change_are_not_known():
    strange = ab.read_csv("in.csv", Strange)
    assert state(strange.map(lambda s: s.changing.seen.append(s.n), to=int)) == "unknown"
    assert state(strange.map(lambda s: len(s.changing.seen), to=int)) == "unknown"
