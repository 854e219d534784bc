"""W1 with one thing of the program changed at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import anabranch as ab
from benchmarks.programs.w1 import Account, Balance, Payment


class Named(ab.Record):
    at: int
    name: str
    amount: float


class NamedBalance(ab.Record):
    at: int
    name: str
    total: float


class Perhaps(ab.Record):
    at: int
    uid: int
    amount: float | None


class Latest(ab.State):
    amounts: list[float] = []


class ByDay(ab.State):
    totals: dict[int, float] = {}


class Days(ab.State):
    seen: set[int] = set()


class Five(ab.State):
    amounts: deque[float] = deque(maxlen=5)


@dataclass(frozen=True)
class Rate:
    factor: float = 0.5


RATE = Rate()


def halved(amount: float) -> float:
    return amount * 0.5


@ab.operator(by="name")
def with_text_key(state: Account, p: Named):
    state.total += p.amount * 0.5
    yield NamedBalance(p.at, p.name, state.total)


@ab.operator(by="uid")
def with_optional(state: Account, p: Perhaps):
    if p.amount is not None:
        state.total += p.amount * 0.5
    yield Balance(p.at, p.uid, state.total)


@ab.operator(by="uid")
def with_list(state: Latest, p: Payment):
    state.amounts.append(p.amount)
    if len(state.amounts) > 5:
        state.amounts.clear()
    yield Balance(p.at, p.uid, sum(state.amounts))


@ab.operator(by="uid")
def with_dict(state: ByDay, p: Payment):
    state.totals[p.at % 7] = state.totals.get(p.at % 7, 0.0) + p.amount
    yield Balance(p.at, p.uid, state.totals[p.at % 7])


@ab.operator(by="uid")
def with_set(state: Days, p: Payment):
    state.seen.add(p.at % 7)
    yield Balance(p.at, p.uid, float(len(state.seen)))


@ab.operator(by="uid")
def with_deque(state: Five, p: Payment):
    state.amounts.append(p.amount)
    yield Balance(p.at, p.uid, sum(state.amounts))


@ab.operator(by="uid")
def with_try(state: Account, p: Payment):
    try:
        state.total += p.amount / (p.at % 5)
    except ZeroDivisionError:
        state.total += 1.0
    yield Balance(p.at, p.uid, state.total)


@ab.operator(by="uid")
def with_helper(state: Account, p: Payment):
    state.total += halved(p.amount)
    yield Balance(p.at, p.uid, state.total)


@ab.operator(by="uid")
def with_constant(state: Account, p: Payment):
    state.total += p.amount * RATE.factor
    yield Balance(p.at, p.uid, state.total)


@ab.operator(by="uid")
def with_text(state: Account, p: Payment):
    state.total += p.amount
    yield NamedBalance(p.at, f"user {p.uid}", state.total)


CHANGES: dict[str, tuple[type, Callable]] = {
    "a text as key": (Named, with_text_key), "an optional field": (Perhaps, with_optional),
    "a list in the state": (Payment, with_list), "a dict in the state": (Payment, with_dict),
    "a set in the state": (Payment, with_set), "a deque in the state": (Payment, with_deque),
    "a try that often fails": (Payment, with_try), "a helper function": (Payment, with_helper),
    "a constant of a dataclass": (Payment, with_constant), "an f-string": (Payment, with_text)}
"""By what is changed, the type of the items and the operator that comes behind the filter."""


def changed(change: str, source: str) -> ab.Stream:
    item, operator = CHANGES[change]
    payments = ab.read_parquet(source, item)
    return payments.filter(lambda p: p.amount != 7.0).apply(operator)
