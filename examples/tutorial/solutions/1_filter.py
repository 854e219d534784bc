"""Lesson 1, done."""

from pathlib import Path

import anabranch as ab

DATA = Path(__file__).parent / "data"


class Payment(ab.Record):
    account: int
    amount: float
    kind: str


payments = ab.read_csv(DATA / "payments.csv", Payment)
payments.filter(lambda p: p.amount < 0 and p.kind != "test").write_stdout()
