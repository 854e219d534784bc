"""Lesson 2, done."""

from collections.abc import Iterator
from pathlib import Path

import anabranch as ab

DATA = Path(__file__).parent / "data"


class Payment(ab.Record):
    account: int
    amount: float
    kind: str


class Balance(ab.Record):
    account: int
    number: int
    total: float


class Account(ab.State):
    number: int = 0
    total: float = 0.0


@ab.operator(by="account")
def balance(state: Account, p: Payment) -> Iterator[Balance]:
    state.number += 1
    state.total += p.amount
    yield Balance(p.account, state.number, round(state.total, 2))


ab.read_csv(DATA / "payments.csv", Payment).apply(balance).write_stdout()
