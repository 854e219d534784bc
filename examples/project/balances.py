"""Who is overdrawn, at which payment, and by how much: in the order of the payments."""

from collections.abc import Iterator
from pathlib import Path

import anabranch as ab


class Payment(ab.Record):
    account: int
    amount: float
    kind: str


class Overdrawn(ab.Record):
    account: int
    balance: float


class Balance(ab.State):
    total: float = 0.0


@ab.operator(by="account")
def overdrawn(state: Balance, p: Payment) -> Iterator[Overdrawn]:
    state.total += p.amount
    if state.total < 0:
        yield Overdrawn(p.account, round(state.total, 2))


payments = ab.read_csv(Path(__file__).parent / "data" / "payments.csv", Payment)
alerts = payments.filter(lambda p: p.kind != "test").apply(overdrawn)
alerts.write_stdout()
