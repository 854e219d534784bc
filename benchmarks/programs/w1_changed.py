"""W1 with one thing of the program changed at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import anabranch as ab
from benchmarks.programs.w1 import Account, Balance, Payment, running


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


class Window(ab.State):
    amounts: list[float] = []


class Queue(ab.State):
    amounts: deque[float] = deque()


class Sums(ab.Record):
    credit: float = 0.0
    debit: float = 0.0


class Both(ab.State):
    sums: Sums = Sums()


@ab.operator(by="uid")
def with_pop(state: Window, p: Payment):
    state.amounts.append(p.amount)
    if len(state.amounts) > 5:
        state.amounts.pop(0)
    yield Balance(p.at, p.uid, sum(state.amounts))


@ab.operator(by="uid")
def with_popleft(state: Queue, p: Payment):
    state.amounts.append(p.amount)
    if len(state.amounts) > 5:
        state.amounts.popleft()
    yield Balance(p.at, p.uid, sum(state.amounts))


@ab.operator(by="uid")
def with_del(state: ByDay, p: Payment):
    state.totals[p.at % 7] = p.amount
    if len(state.totals) > 5:
        del state.totals[p.at % 7]
    yield Balance(p.at, p.uid, float(len(state.totals)))


@ab.operator(by="uid")
def with_setdefault(state: ByDay, p: Payment):
    first = state.totals.setdefault(p.at % 7, p.amount)
    yield Balance(p.at, p.uid, first)


@ab.operator(by="uid")
def with_record(state: Both, p: Payment):
    if p.amount > 0.0:
        state.sums = state.sums.replace(credit=state.sums.credit + p.amount)
    else:
        state.sums = state.sums.replace(debit=state.sums.debit - p.amount)
    yield Balance(p.at, p.uid, state.sums.credit - state.sums.debit)


CHANGES: dict[str, tuple[type, Callable]] = {
    "list.pop(0) in the state": (Payment, with_pop),
    "deque.popleft in the state": (Payment, with_popleft),
    "del of a dict's key": (Payment, with_del), "dict.setdefault": (Payment, with_setdefault),
    "a record in the state": (Payment, with_record),
    "a text as key": (Named, with_text_key), "an optional field": (Perhaps, with_optional),
    "a list in the state": (Payment, with_list), "a dict in the state": (Payment, with_dict),
    "a set in the state": (Payment, with_set), "a deque in the state": (Payment, with_deque),
    "a try that often fails": (Payment, with_try), "a helper function": (Payment, with_helper),
    "a constant of a dataclass": (Payment, with_constant), "an f-string": (Payment, with_text)}
"""By what is changed, the type of the items and the operator that comes behind the filter."""


class Place(ab.Record):
    uid: int
    amount: float


class Nested(ab.Record):
    at: int
    pay: Place


class Listed(ab.Record):
    at: int
    uid: int
    amounts: list[float]


def _kept(source: str) -> ab.Stream:
    return ab.read_parquet(source, Payment).filter(lambda p: p.amount != 7.0)


def with_tuples(source: str) -> ab.Stream:
    pairs = _kept(source).map(lambda p: (p.at, p.uid, p.amount * 0.5))
    return pairs.map(lambda t: Payment(t[0], t[1], t[2])).apply(running)


def merged_by_time(source: str) -> ab.Stream:
    """Every row twice, once from each of two sources."""
    one, other = (ab.read_parquet(source, Payment, time="at", name=name)
                  for name in ("one", "other"))
    return one.union(other, on="at").filter(lambda p: p.amount != 7.0).apply(running)


def of_nested(source: str) -> ab.Stream:
    given = ab.read_parquet(source, Nested).filter(lambda n: n.pay.amount != 7.0)
    return given.map(lambda n: Payment(n.at, n.pay.uid, n.pay.amount * 0.5)).apply(running)


def of_lists(source: str) -> ab.Stream:
    given = ab.read_parquet(source, Listed)
    return given.map(lambda n: Payment(n.at, n.uid, sum(n.amounts))).apply(running)


WHOLE: dict[str, Callable[[str], ab.Stream]] = {
    "a tuple as item": with_tuples, "two sources merged by time": merged_by_time,
    "Parquet with records in records": of_nested, "Parquet with lists": of_lists}
"""Programs that are changed as a whole."""


def changed(change: str, source: str) -> ab.Stream:
    if change in WHOLE:
        return WHOLE[change](source)
    item, operator = CHANGES[change]
    payments = ab.read_parquet(source, item)
    return payments.filter(lambda p: p.amount != 7.0).apply(operator)
