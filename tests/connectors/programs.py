"""The programs that run over every connector, and what they give row by row.

Balances start anew when they are overdrawn; orders are placed, paid, sent and cancelled, and what
comes out of turn is told.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import NamedTuple

import anabranch as ab


class Event(ab.Record):
    at: int
    key: str
    kind: str
    amount: float


class Told(ab.Record):
    at: int
    key: str
    what: str
    number: float


class Balance(ab.State):
    total: float = 0.0
    resets: int = 0


@ab.operator(by="key")
def overdrawn(state: Balance, e: Event):
    state.total += e.amount
    if state.total < 0:
        state.resets += 1
        yield Told(e.at, e.key, f"overdrawn {state.resets}", state.total)
        state.total = 0.0


class Order(ab.State):
    stage: str = "none"
    paid: float = 0.0
    since: int = 0


NEXT = {"place": "none", "pay": "placed", "send": "paid"}
REACHED = {"place": "placed", "pay": "paid", "send": "none"}


@ab.operator(by="key")
def life(state: Order, e: Event):
    if e.kind == "cancel":
        if state.stage != "none":
            yield Told(e.at, e.key, f"cancelled when {state.stage}", state.paid)
        state.stage, state.paid = "none", 0.0
    elif NEXT[e.kind] != state.stage:
        yield Told(e.at, e.key, f"{e.kind} when {state.stage}", float(e.at - state.since))
    else:
        state.paid += abs(e.amount)
        state.stage = REACHED[e.kind]
        if e.kind == "send":
            yield Told(e.at, e.key, "sent", state.paid)
            state.paid = 0.0
        state.since = e.at


class Program(NamedTuple):
    keep: Callable
    operator: object


PROGRAMS = {"balances": Program(lambda e: e.amount != 3.0, overdrawn),
            "orders": Program(lambda e: e.kind != "none", life)}


def events(low: int, high: int) -> list[Event]:
    """The same ones every time."""
    made = []
    for at in range(low, high):
        draw = random.Random(at)
        made.append(Event(at, f"k{draw.randrange(23)}",
                          draw.choice(("place", "place", "pay", "pay", "send", "cancel")),
                          float(draw.randrange(-50, 51)) / 4))
    return made


def applied(stream: ab.Stream, name: str) -> ab.Stream:
    program = PROGRAMS[name]
    return stream.filter(program.keep).apply(program.operator)


def expected(given: Iterable[Event], name: str) -> list[tuple]:
    """What the sequential engine gives."""
    done = applied(ab.from_iterable(list(given), Event), name).collect(engine="sequential")
    return [tuple(told) for told in done]
