"""Lesson 2: something to remember for each account.

An operator is a function of a state and a row. With `by="account"` every account has a state of
its own, so that accounts can be spread over all cores; nothing in the program says how. See
what was proved:

    anabranch explain 2_state.py

Task: the program counts the payments of each account. Let it also add them up, and yield
Balance(account, number, total) at every payment, the total rounded to two places.
"""

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
    yield Balance(p.account, state.number, 0.0)


ab.read_csv(DATA / "payments.csv", Payment).apply(balance).write_stdout()
