"""Mistakes that type checkers find before we do: each line with `error` is one."""

from collections.abc import Iterator

import anabranch as ab


class Payment(ab.Record):
    account: int
    amount: float


class Balance(ab.State):
    total: float = 0.0


@ab.operator
def upper(line: str) -> Iterator[str]:
    yield line.upper()


payments = ab.read_csv("payments.csv", Payment)
payments.filter(lambda p: p.amuont > 0)                         # error
payments.fliter(lambda p: p.amount > 0)                         # error
payments.apply(upper)                                           # error
payments.map(lambda p: p.amount).map(lambda n: n.account)       # error
payments.run(engine="sprak")                                    # error
payments.filter(lambda p: p.amount > 0, selectivty=1)           # error
Payment(1)                                                      # error
Payment(1, "two")                                               # error
Balance(totl=3.0)                                               # error
Payment(1, 2.0).amount = 3.0                                    # error
payments.aggregate(ab.tumbling(count=2), n=ab.sum(lambda p: p.amuont))      # error
