"""W1 with Pathway."""

from itertools import accumulate

import pathway as pw


class Payment(pw.Schema):
    at: int
    uid: int
    amount: float


def running(payments) -> list[tuple[int, float]]:
    totals = accumulate(amount for _, amount in payments)
    return [(at, total) for (at, _), total in zip(payments, totals)]


def run(source, target, workers):
    payments = pw.io.csv.read(source, schema=Payment, mode="static")
    kept = payments.filter(pw.this.amount != 7.0)
    by_user = kept.groupby(pw.this.uid).reduce(
        pw.this.uid, of=pw.reducers.sorted_tuple(pw.make_tuple(pw.this.at, pw.this.amount * 0.5)))
    totals = by_user.select(pw.this.uid, row=pw.apply(running, pw.this.of)).flatten(pw.this.row)
    balances = totals.select(at=pw.this.row[0], uid=pw.this.uid, total=pw.this.row[1])
    pw.io.csv.write(balances, target)
    pw.run(monitoring_level=pw.MonitoringLevel.NONE)
