"""W1, running balance: filter, map, a running sum for each user, in order."""

import anabranch as ab


class Payment(ab.Record):
    at: int
    uid: int
    amount: float


class Balance(ab.Record):
    at: int
    uid: int
    total: float


class Account(ab.State):
    total: float = 0.0


@ab.operator(by="uid")
def running(state: Account, p: Payment):
    state.total += p.amount
    yield Balance(p.at, p.uid, state.total)


def balances(payments: ab.Stream) -> ab.Stream:
    kept = payments.filter(lambda p: p.amount != 7.0)
    return kept.map(lambda p: p.replace(amount=p.amount * 0.5)).apply(running)


def run(source, target, **options):
    form = target.rstrip("/").rpartition(".")[2]
    payments = getattr(ab, f"read_{form}")(source, Payment)
    getattr(balances(payments), f"write_{form}")(target).run(**options)
