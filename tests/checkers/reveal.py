"""What type checkers say of programs. It is read by them and never run; `test_types.py` compares
what mypy reveals with what stands behind each line."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import reveal_type

import anabranch as ab


class Payment(ab.Record):
    account: int
    amount: float
    kind: str = "card"


class Overdrawn(ab.Record):
    account: int
    balance: float


class Balance(ab.State):
    total: float = 0.0
    seen: list[str] = []


@dataclass(frozen=True)
class Shop:
    account: int
    town: str


@ab.operator(by="account")
def overdrawn(state: Balance, p: Payment) -> Iterator[Overdrawn]:
    state.total += p.amount
    if state.total < 0:
        yield Overdrawn(p.account, round(state.total, 2))


@overdrawn.at_end
def closing(state: Balance) -> Iterator[Overdrawn]:
    yield Overdrawn(0, state.total)


@ab.operator
def doubled(p: Payment) -> Iterator[float]:
    yield p.amount * 2


@ab.operator(by="account", selectivity=(0, 1))
class Rising(ab.State):
    last: float = 0.0

    def process(self, p: Payment) -> Iterator[Payment]:
        if p.amount > self.last:
            yield p
        self.last = p.amount


@ab.synchronized(tag=lambda p: p.kind, depends=lambda a, b: "end" in (a, b))
def sums(state: Balance, p: Payment) -> Iterator[Overdrawn]:
    state.total += p.amount
    yield Overdrawn(p.account, state.total)


sums.fork(lambda s, left, right: (s, Balance()))
sums.join(lambda one, other: Balance(one.total + other.total))


def words(p: Payment) -> list[str]:
    return p.kind.split()


payments = ab.read_csv("payments.csv", Payment)
shops = ab.read_csv("shops.csv", Shop)
lines = ab.read_text("log.txt")
reveal_type(payments)                                           # Stream[Payment]
reveal_type(shops)                                              # Stream[Shop]
reveal_type(ab.read_parquet("p", Payment))                      # Stream[Payment]
reveal_type(ab.from_iterable([1, 2], int))                      # Stream[int]
reveal_type(ab.from_iterable([1.5]))                            # Stream[float]
reveal_type(ab.generate(lambda n: Payment(n, n / 2), 10))       # Stream[Payment]
reveal_type(ab.from_iterable([], Payment))                      # Stream[Payment]
reveal_type(ab.read_jsonl("numbers.jsonl", list[int]))          # Stream[list[int]]
reveal_type(ab.read_jsonl("numbers.jsonl", int | None))         # Stream[Any]
reveal_type(lines)                                              # Stream[str]
reveal_type(Payment(1, 2.0).replace(amount=3))                  # Payment
reveal_type(Balance().seen)                                     # list[str]

real = payments.filter(lambda p: p.kind != "test" and p.amount > 0)
reveal_type(real)                                               # Stream[Payment]
reveal_type(real.map(lambda p: p.amount))                       # Stream[float]
reveal_type(real.map(lambda p: Overdrawn(p.account, 1)))        # Stream[Overdrawn]
reveal_type(lines.map(len))                                     # Stream[int]
reveal_type(lines.map(len, to=float))                           # Stream[float]
reveal_type(lines.map(len, to=int | None))                      # Stream[Any]
reveal_type(lines.flat_map(str.split))                          # Stream[str]
reveal_type(real.flat_map(words))                               # Stream[str]
reveal_type(real.apply(overdrawn))                              # Stream[Overdrawn]
reveal_type(real.apply(doubled))                                # Stream[float]
reveal_type(real.apply(Rising))                                 # Stream[Payment]
reveal_type(real.apply(words))                                  # Stream[str]
reveal_type(real.apply(sums))                                   # Stream[Overdrawn]
reveal_type(real.synchronize(sums, payments, on="amount"))      # Stream[Overdrawn]
reveal_type(real.split(lambda p: p.amount > 1)[0])              # Stream[Payment]
reveal_type(real.union(payments, on="account"))                 # Stream[Payment]
reveal_type(lines.map(len).union(lines, arrival=True))          # Stream[int | str]
reveal_type(real.join(shops, by="account", keep=ab.recent(count=1),
                      into=lambda p, s: (p.amount, s.town)))    # Stream[tuple[float, str]]
reveal_type(real.join(shops, by="account", keep=ab.recent(count=1), how="left",
                      into=lambda p, s: s.town if s else None))   # Stream[str | None]
reveal_type(real.join(shops, by="account", keep=ab.recent(count=1)))    # Stream[Any]
reveal_type(ab.barrier(real, lines, into=lambda p, line: line + p.kind))    # Stream[str]
reveal_type(real.aggregate(ab.tumbling(count=10), by="account", total=ab.sum("amount"),
                           big=ab.count(where=lambda p: p.amount > 9)))     # Stream[Any]
reveal_type(real.aggregate(ab.tumbling(count=10), by="account", into=Overdrawn,
                           balance=ab.sum(lambda p: p.amount)))             # Stream[Overdrawn]
reveal_type(real.group_by("account").top(3, by=lambda p: p.amount))         # Stream[Payment]
reveal_type(real.group_by("account").agg(into=Overdrawn,
                                         balance=ab.sum("amount")))         # Stream[Overdrawn]
reveal_type(real.group_by(cents=lambda p: p.amount * 100).agg(n=ab.count()))    # Stream[Any]
reveal_type(real.sort("amount").head(3).distinct("kind"))       # Stream[Payment]
reveal_type(real.top(3, by=lambda p: -p.amount).sample(0.5))    # Stream[Payment]
reveal_type(real.loop(lambda s: (s, s.filter(lambda p: p.amount < 0))))     # Stream[Payment]
reveal_type(real.collect())                                     # list[Payment]
reveal_type(real.write_csv("out.csv"))                          # Stream[Payment]
reveal_type(ab.param("threshold", 3))                           # int
real.for_each(lambda p: print(p.amount))
