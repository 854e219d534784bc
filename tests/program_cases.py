"""Programs with their inputs and the exact output sequence: every engine must give it.

A case is a function that builds a stream, and its expected items. Each engine's tests run them all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Literal, NamedTuple, TypedDict
from uuid import UUID

import anabranch as ab


class Trade(ab.Record):
    ts: int
    symbol: str
    price: float


class Quote(ab.Record):
    at: int
    name: str
    bid: float


class Total(ab.Record):
    symbol: str
    total: float


class Running(ab.State):
    total: float = 0.0


class Visit(ab.Record):
    user: int
    page: str
    when: datetime


@dataclass(frozen=True)
class Case:
    build: Callable[[], ab.Stream]
    expected: list

    @property
    def name(self) -> str:
        return self.build.__name__


CASES: list[Case] = []


def case(*expected):
    def register(build):
        CASES.append(Case(build, list(expected)))
        return build
    return register


TRADES = [Trade(1, "A", 10.0), Trade(2, "B", 5.0), Trade(2, "A", 12.0), Trade(4, "A", 8.0),
          Trade(9, "B", 6.0), Trade(9, "A", 11.0)]


def trades(items=TRADES) -> ab.Stream:
    return ab.from_iterable(items, Trade, time="ts")


def numbers(n: int) -> ab.Stream:
    return ab.from_iterable(list(range(n)), int)


@ab.operator(by="symbol")
def running(state: Running, t: Trade):
    state.total += t.price
    yield Total(t.symbol, state.total)


@ab.operator(by="symbol")
def total_at_end(state: Running, t: Trade):
    state.total += t.price
    if state.total < 0:
        yield Total(t.symbol, state.total)


@total_at_end.at_end
def the_rest(state: Running):
    yield Total("end", state.total)


@ab.operator
def twice_if_large(t: Trade):
    yield t
    if t.price > 10:
        yield t.replace(price=-t.price)


@case(0, 20, 40)
def filter_then_map():
    return numbers(5).filter(lambda n: n % 2 == 0).map(lambda n: n * 10)


@case()
def empty_input():
    return ab.from_iterable([], int).map(lambda n: n + 1)


@case(1)
def one_row():
    return ab.from_iterable([0], int).map(lambda n: n + 1)


@case(1, 2, 2, 3, 3, 3)
def flat_map_repeats():
    return numbers(4).flat_map(lambda n: [n] * n)


@case(Trade(1, "A", 10.0), Trade(2, "A", 12.0), Trade(2, "A", -12.0))
def stateless_operator():
    return trades(TRADES[:1] + TRADES[2:3]).apply(twice_if_large)


@case(Total("A", 10.0), Total("B", 5.0), Total("A", 22.0), Total("A", 30.0), Total("B", 11.0),
      Total("A", 41.0))
def keyed_running_sum():
    return trades().apply(running)


@case(Total("end", 41.0), Total("end", 11.0))
def state_emitted_at_the_end_in_order_of_first_appearance():
    return trades().apply(total_at_end)


@case((3, 0 + 1 + 2), (3, 3 + 4 + 5), (2, 6 + 7))
def tumbling_by_count_with_a_partial_window():
    return numbers(8).aggregate(ab.tumbling(count=3), n=ab.count(), total=ab.sum())


@case((3, 3), (3, 12))
def tumbling_by_count_without_the_partial_window():
    return numbers(8).aggregate(ab.tumbling(count=3, partial=False), n=ab.count(), total=ab.sum())


@case([0, 1, 2], [2, 3, 4], [4, 5])
def sliding_by_count():
    return numbers(6).aggregate(ab.sliding(count=3, step=2), all=ab.collect()).map(lambda w: w.all)


@case([0], [3])
def hopping_leaves_items_out():
    return numbers(5).aggregate(ab.sliding(count=1, step=3), all=ab.collect()).map(lambda w: w.all)


@case(("A", 2, 22.0, 11.0), ("A", 1, 8.0, 8.0), ("B", 1, 5.0, 5.0), ("A", 1, 11.0, 11.0),
      ("B", 1, 6.0, 6.0))
def tumbling_by_time_per_key():
    """A's window [0, 4) is closed by A's trade at 4; the last window of each key at the end."""
    windows = trades([TRADES[0], TRADES[2], TRADES[3], Trade(9, "B", 5.0), TRADES[5],
                      Trade(14, "B", 6.0)])
    return windows.aggregate(ab.tumbling(time=4), by="symbol", n=ab.count(),
                             total=ab.sum("price"), average=ab.mean("price"))


@case((-4, 4, 1), (0, 8, 2), (4, 12, 1))
def sliding_by_time_with_bounds():
    return trades([Trade(1, "A", 1.0), Trade(5, "A", 1.0)]).aggregate(
        ab.sliding(time=8, step=4, on="ts"), start=ab.start(), end=ab.end(), n=ab.count())


@case((5.0, 12.0, 10.0, 12.0), (6.0, 11.0, 8.0, 11.0))
def smallest_largest_first_last():
    return trades().aggregate(ab.tumbling(count=3), low=ab.min("price"), high=ab.max("price"),
                              first=ab.first("price"), last=ab.last("price"))


class Spread(ab.Aggregate):
    low: float = float("inf")
    high: float = float("-inf")

    def add(self, value):
        self.low, self.high = min(self.low, value), max(self.high, value)

    def join(self, other):
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)

    def result(self) -> float:
        return self.high - self.low


@case(("A", 4.0), ("B", 1.0))
def user_defined_aggregate():
    return trades().aggregate(ab.tumbling(count=10), by="symbol", spread=Spread.of("price"))


@case(("A", 20.0), ("B", 10.0))
def aggregate_of_a_function_of_the_item():
    return trades(TRADES[:2]).aggregate(ab.tumbling(count=1), by="symbol",
                                        double=ab.sum(lambda t: t.price * 2))


@case((datetime(2026, 1, 1, 0, 0), 2), (datetime(2026, 1, 1, 1, 0), 1))
def windows_over_timestamps():
    visits = [Visit(1, "a", datetime(2026, 1, 1, 0, 10)),
              Visit(2, "b", datetime(2026, 1, 1, 0, 50)),
              Visit(1, "c", datetime(2026, 1, 1, 1, 10))]
    return ab.from_iterable(visits, Visit, time="when").aggregate(
        ab.tumbling(time=timedelta(hours=1)), start=ab.start(), n=ab.count())


@case(0, 1, 2, 10, 11)
def union_by_arrival_reads_sources_in_declared_order():
    return numbers(3).union(ab.from_iterable([10, 11], int), arrival=True)


@case(Trade(1, "A", 10.0), Trade(1, "x", 0.0), Trade(2, "B", 5.0), Trade(2, "A", 12.0),
      Trade(2, "y", 0.0))
def union_by_time_with_ties_in_port_order():
    others = ab.from_iterable([Trade(1, "x", 0.0), Trade(2, "y", 0.0)], Trade)
    return ab.from_iterable(TRADES[:3], Trade).union(others, on="ts")


@case(Trade(1, "A", 10.0), Trade(1, "x", 0.0), Trade(2, "B", 5.0), Trade(2, "A", 12.0),
      Trade(2, "y", 0.0))
def timed_sources_are_merged_by_their_time():
    early = trades(TRADES[:3])
    others = ab.from_iterable([Trade(1, "x", 0.0), Trade(2, "y", 0.0)], Trade, time="ts")
    return others.union(early, arrival=True)


@case(("even", 0), ("three", 3), ("rest", 1), ("even", 2), ("even", 4), ("rest", 5))
def split_by_predicates():
    evens, threes, rest = ab.from_iterable([0, 3, 1, 2, 4, 5], int).split(
        lambda n: n % 2 == 0, lambda n: n % 3 == 0)
    return evens.map(lambda n: ("even", n)).union(
        threes.map(lambda n: ("three", n)), rest.map(lambda n: ("rest", n)), arrival=True)


@case((1, 2), (2, 4), (3, 6))
def fan_out_and_barrier():
    base = ab.from_iterable([1, 2, 3], int)
    return ab.barrier(base, base.map(lambda n: n * 2), into=lambda a, b: (a, b))


@case(1, 10, 2, 20)
def diamond_takes_its_ports_in_order():
    base = ab.from_iterable([1, 2], int)
    return base.map(lambda n: n).union(base.map(lambda n: n * 10), arrival=True)


@case(Trade(1, "A", 10.0), Trade(2, "B", 5.0))
def deduplicate_by_an_attribute():
    return trades().deduplicate("symbol")


@case(3, 1, 2)
def deduplicate_scalars():
    return ab.from_iterable([3, 1, 3, 2, 1], int).deduplicate()


@case(5.0, 10.0, 12.0, 6.0, 8.0, 11.0)
def sort_within_windows():
    return trades().sort("price", ab.tumbling(count=3)).map(lambda t: t.price)


@case(10.0, 5.0, 12.0, 8.0, 6.0, 11.0)
def sort_items_of_one_time():
    items = [TRADES[0], *TRADES[2:0:-1], *TRADES[3:]]
    return trades(items).sort("price", on="ts").map(lambda t: t.price)


@case((2, "B"), (2, "A"), (9, "B"), (9, "A"))
def sort_items_of_one_time_behind_a_filter():
    items = trades().filter(lambda t: t.ts in (2, 9)).sort(["symbol", "price"], on="ts",
                                                          reverse=True)
    return items.map(lambda t: (t.ts, t.symbol))


@case(("A", 3.0), ("A", 1.0), ("A", 4.0), ("B", 2.0), ("B", 5.0))
def sort_items_of_one_time_by_key():
    items = [Trade(1, "A", 3.0), Trade(2, "B", 5.0), Trade(2, "A", 4.0), Trade(2, "B", 2.0),
             Trade(2, "A", 1.0)]
    return trades(items).sort("price", by="symbol", on="ts").map(lambda t: (t.symbol, t.price))


@case(("A", 10.0, 9.0), ("A", 12.0, 9.0), ("B", 6.0, 7.0))
def join_with_the_latest_quote():
    quotes = ab.from_iterable([Quote(0, "A", 9.0), Quote(5, "B", 7.0)], Quote, time="at")
    early = trades([t for t in TRADES if t.ts < 3 or t.symbol == "B"])
    return early.join(quotes, by=(("symbol",), ("name",)),
                      keep=(ab.recent(count=0), ab.recent(count=1)),
                      into=lambda t, q: (t.symbol, t.price, q.bid))


@case(("A", 1, 3), ("A", 3, 5))
def join_within_a_time_span():
    left = ab.from_iterable([Trade(1, "A", 1.0), Trade(5, "A", 1.0)], Trade, time="ts")
    right = ab.from_iterable([Trade(3, "A", 2.0), Trade(9, "A", 2.0)], Trade, time="ts")
    pairs = left.join(right, by="symbol", keep=ab.recent(time=2, on="ts"))
    return pairs.map(lambda p: (p.symbol, min(p.ts, p.ts_right), max(p.ts, p.ts_right)))


@case((1, None), (2, "b"))
def left_join_gives_unmatched_items():
    left = ab.from_iterable([Trade(1, "A", 1.0), Trade(2, "B", 1.0)], Trade, time="ts")
    right = ab.from_iterable([Quote(1, "B", 3.0)], Quote, time="at")
    return left.join(right, by=(("symbol",), ("name",)), how="left",
                     keep=(ab.recent(count=0), ab.recent(count=1)),
                     into=lambda t, q: (t.ts, "b" if q is not None else None))


@case(1, 2, 1, 3, 2, 1)
def loop_counts_down():
    """n goes round as n-1 until 1; the loop runs to completion before the next item comes."""
    def body(items):
        return items, items.filter(lambda n: n > 1).map(lambda n: n - 1)
    return ab.from_iterable([1, 2, 3], int).loop(body)


WORDS = ["river", "bank", "river", "delta", "bank", "river"]


def words() -> ab.Stream:
    return ab.from_iterable(["river bank river", "delta bank river"], str).flat_map(
        lambda line: line.split())


@case(("river", 3), ("bank", 2), ("delta", 1))
def words_counted_by_first_appearance():
    return words().group_by("word").agg(n=ab.count())


@case(("river", 3), ("bank", 2))
def the_words_that_come_most():
    return words().group_by("word").agg(n=ab.count()).top(2, by="n")


@case((6, 52.0))
def whole_input():
    return trades().agg(n=ab.count(), total=ab.sum("price"))


@case()
def whole_input_of_nothing():
    return trades([]).agg(n=ab.count(), total=ab.sum("price"))


@case(("A", 4, 41.0), ("B", 2, 11.0))
def aggregates_of_each_key_at_the_end():
    return trades().group_by("symbol").agg(n=ab.count(), total=ab.sum("price"))


@case(("A", 0, 4, 41.0), ("B", 0, 1, 5.0), ("B", 1, 1, 6.0))
def aggregates_by_an_attribute_and_a_function():
    hours = trades([*TRADES[:4], Trade(4, "A", 11.0), Trade(9, "B", 6.0)])
    return hours.group_by("symbol", part=lambda t: t.ts // 5).agg(
        n=ab.count(), total=ab.sum("price"))


@case(("A", 2, 12.0, None, 22.0), ("B", 0, None, None, 0.0))
def aggregates_with_filters():
    return trades(TRADES[:4]).group_by("symbol").agg(
        high=ab.count(where=lambda t: t.price > 9), last=ab.last("price", where=is_high),
        low=ab.min("price", where=lambda t: t.price < 0),
        total=ab.sum("price", where=lambda t: t.price > 9))


def is_high(trade):
    return trade.price > 9


@case((2, 1, 12.0), (1, 0, None))
def windows_with_filters():
    return trades([TRADES[1], TRADES[2], TRADES[1]]).aggregate(
        ab.tumbling(count=2), n=ab.count(), high=ab.count(where=lambda t: t.price > 11),
        last=ab.max("price", where=lambda t: t.price > 11))


@case(("A", 10.5, 9.5, 11.25), ("B", 5.5, 5.25, 5.75))
def quantiles():
    return trades().group_by("symbol").agg(
        middle=ab.median("price"), low=ab.quantile(0.25, "price"), high=ab.quantile(0.75, "price"))


@case(("A", 1.707825), ("B", 0.707107))
def standard_deviations():
    return trades().group_by("symbol").agg(spread=ab.stddev("price")).map(
        lambda g: (g.symbol, round(g.spread, 6)))


@case((["A", "B"], 2, 2, [1, 2, 4, 9]))
def which_values_there_are():
    return trades().agg(symbols=ab.collect_set("symbol"), n=ab.count_distinct("symbol"),
                        about=ab.approx_distinct("symbol"), times=ab.collect_set("ts"))


@case(True)
def estimates_of_many_values_are_near():
    return numbers(900).agg(about=ab.approx_distinct(lambda n: n % 450)).map(
        lambda g: 430 < g.about < 470)


@case(Trade(2, "A", 12.0), Trade(9, "A", 11.0), Trade(1, "A", 10.0))
def the_greatest_of_all():
    return trades().top(3, by="price")


@case(Trade(2, "B", 5.0), Trade(2, "A", 12.0), Trade(1, "A", 10.0))
def the_least_by_a_function_with_ties_in_order():
    return trades(TRADES[:3]).top(3, by=lambda t: -t.ts, least=True)


@case(Trade(9, "A", 11.0), Trade(4, "A", 8.0), Trade(9, "B", 6.0), Trade(2, "B", 5.0))
def the_greatest_of_each_key():
    return trades().filter(lambda t: t.price < 12).group_by("symbol").top(2, by=("ts", "price"))


@case(5, 4)
def the_greatest_values():
    return ab.from_iterable([1, 5, 3, 4], int).top(2)


@case(0, 1, 2)
def head_of_all():
    return numbers(10).head(3)


@case(Trade(1, "A", 10.0), Trade(2, "B", 5.0))
def head_of_each_key():
    return trades().group_by("symbol").head(1)


@case(Trade(1, "A", 10.0), Trade(2, "B", 5.0), Trade(9, "B", 6.0), Trade(9, "A", 11.0))
def distinct_within_a_time():
    return trades().distinct("symbol", within=5)


@case(Trade(1, "A", 10.0), Trade(2, "B", 5.0))
def distinct_keys():
    return trades().distinct("symbol")


class Reading(ab.Record):
    sensor: str
    value: float | None


READINGS = [Reading("a", 1.0), Reading("b", None), Reading("a", None), Reading("b", 2.0),
            Reading("b", None)]


def readings() -> ab.Stream:
    return ab.from_iterable(READINGS, Reading)


@case(("a", 1.0), ("b", 1.0), ("a", 1.0), ("b", 2.0), ("b", 2.0))
def fill_with_the_last_value():
    return readings().fill("value")


@case(("a", 1.0, 1.0, 1.0, 2), ("b", 2.0, 2.0, 2.0, 3))
def aggregates_pass_over_none():
    return ab.from_iterable(READINGS, Reading).group_by("sensor").agg(
        total=ab.sum("value"), low=ab.min("value"), mid=ab.median("value"), n=ab.count())


@case((1.0, 1.0), (0.0, None), (2.0, 2.0), (0.0, None))
def windows_of_none_alone():
    return ab.from_iterable([READINGS[n] for n in (0, 1, 2, 4, 3, 4, 1, 1)], Reading).aggregate(
        ab.tumbling(count=2), total=ab.sum(lambda r: r.value), mean=ab.mean("value"))


@case(("a", 1.0), ("b", None), ("a", 1.0), ("b", 2.0), ("b", 2.0))
def fill_with_the_last_value_of_the_key():
    return readings().group_by("sensor").fill("value")


@case(("a", 1.0), ("b", 0.0), ("a", 0.0), ("b", 2.0), ("b", 0.0))
def fill_with_a_constant():
    return readings().fill("value", value=0.0)


@case((1, "river"), (2, "bank"), (3, "river"))
def numbered_from_one():
    return ab.from_iterable(WORDS[:3], str).enumerate(start=1)


@case((0, "A", 10.0), (0, "B", 5.0), (1, "A", 12.0))
def numbered_in_each_key():
    return trades(TRADES[:3]).group_by("symbol").enumerate("n").map(
        lambda t: (t.n, t.symbol, t.price))


@case(0, 1, 2, 6)
def sample_of_items():
    return numbers(10).sample(0.5)


@case(True)
def sample_of_keys_has_all_items_of_some():
    several = numbers(2000).map(lambda n: Total(str(n % 100), 1.0)).sample(0.3, by="symbol")
    return several.agg(n=ab.count(), keys=ab.count_distinct("symbol")).map(
        lambda g: g.n == 20 * g.keys and 15 < g.keys < 45)


@case(Trade(2, "A", 12.0), Trade(9, "A", 11.0), Trade(1, "A", 10.0))
def sorted_to_the_end():
    return trades().sort("price", reverse=True).head(3)


@case(("B", 0, 1), ("A", 0, 3), ("A", 8, 1), ("B", 8, 1))
def counted_by_the_hour_then_sorted_in_each_hour():
    """Windows of several keys end one after the other, and their starts are not in order."""
    counts = trades().aggregate(ab.tumbling(time=8), by="symbol", start=ab.start(), n=ab.count())
    return counts.group_by("start").sort("n").sort("start").map(lambda w: (w.symbol, w.start, w.n))


@ab.operator(by="symbol")
def total_with_key(state: Running, t: Trade):
    state.total += t.price
    if state.total < 0:
        yield t


@total_with_key.at_end
def total_of_key(state: Running, key):
    yield Total(key.symbol, state.total)


@case(Total("A", 41.0), Total("B", 11.0))
def the_key_is_given_at_the_end():
    return trades().apply(total_with_key, to=Total)


@ab.operator(by=("symbol", "ts"))
class Counting(ab.State):
    n: int = 0

    def process(self, t: Trade):
        self.n += 1
        if self.n == 2:
            yield (t.symbol, t.ts, 0)

    def at_end(self, key):
        yield (key.symbol, key.ts, self.n)


@case(("A", 1, 0), ("A", 1, 2), ("B", 2, 1))
def operator_that_is_a_class():
    return trades([TRADES[0], TRADES[0], TRADES[1]]).apply(Counting)


class Kind(Enum):
    FOOD = "food"
    RENT = "rent"


class Receipt(ab.Record):
    day: date
    kind: Kind
    amount: Decimal
    id: UUID
    at: time | None = None
    state: Literal["open", "paid"] = "open"


RECEIPTS = [Receipt(date(2026, 1, 1 + n // 2), list(Kind)[n % 2], Decimal(f"{n}.50"), UUID(int=n),
                    None if n % 2 else time(n, 30), "paid" if n % 3 else "open") for n in range(5)]


def receipts() -> ab.Stream:
    return ab.from_iterable(RECEIPTS, Receipt)


class Spent(ab.State):
    amount: Decimal = Decimal(0)
    last: date | None = None


@ab.operator(by=("kind", "state"))
def spent(state: Spent, r: Receipt):
    state.amount += r.amount
    state.last = r.day
    yield r.replace(amount=state.amount)


@case(*[r.replace(amount=Decimal(a)) for r, a in zip(
    RECEIPTS, ("0.50", "1.50", "2.50", "3.50", "7.00"), strict=True)])
def decimals_in_state_by_members_and_literals():
    return receipts().apply(spent)


@case((date(2026, 1, 1), 2), (date(2026, 1, 2), 2), (date(2026, 1, 3), 1))
def dates_as_keys():
    return receipts().group_by("day").agg(n=ab.count())


@case(Receipt(date(2026, 1, 3), Kind.FOOD, Decimal("4.50"), UUID(int=4), time(4, 30), "paid"))
def values_compared():
    return receipts().filter(lambda r: r.day.day == 3 and r.at is not None).filter(
        lambda r: r.kind is Kind.FOOD and r.amount > Decimal("4.4"))


@case((Kind.FOOD, Decimal("7.50"), Decimal("2.50"), date(2026, 1, 3), Decimal("4.50")),
      (Kind.RENT, Decimal("5.00"), Decimal("2.50"), date(2026, 1, 2), Decimal("3.50")))
def aggregates_of_dates_and_decimals():
    return receipts().group_by("kind").agg(total=ab.sum("amount"), mean=ab.mean("amount"),
                                           last=ab.max("day"), high=ab.last("amount"))


@case(*RECEIPTS[:2])
def distinct_members():
    return receipts().distinct("kind")


@dataclass(frozen=True)
class Order:
    item: str
    price: float
    count: int = 1

    def total(self) -> float:
        return self.price * self.count


class Shop(NamedTuple):
    name: str
    city: str = "Bonn"


class Paid(TypedDict):
    item: str
    amount: float


@ab.record
@dataclass
class Line:
    item: str
    total: float


class Sales(ab.State):
    total: float = 0.0


@ab.operator(by="item")
def sales(state: Sales, order: Order):
    state.total += order.total()
    yield Line(order.item, state.total)


@case(Line("tea", 4.0), Line("milk", 1.5), Line("tea", 10.0))
def dataclasses_as_records():
    return ab.from_iterable([Order("tea", 2.0, 2), Order("milk", 1.5), Order("tea", 3.0, 2)],
                            Order).apply(sales)


@case(("b", "Bonn"), ("a", "Köln"))
def named_tuples_as_records():
    return ab.from_iterable([Shop("a", "Köln"), Shop("b")], Shop).sort("city")


@case(Line("milk", 6.0), Line("tea", 10.0))
def typed_dicts_read_by_name():
    paid = [{"item": "tea", "amount": 2.0}, {"item": "milk", "amount": 3.0},
            {"item": "tea", "amount": 5.0}]
    dear = ab.from_iterable(paid, Paid).filter(lambda p: p["amount"] > 2)
    return dear.map(lambda p: Line(p["item"], p["amount"] * 2))


@case(("tea", 5.0))
def typed_dicts_as_records():
    paid = [{"item": "tea", "amount": 2.0}, {"item": "tea", "amount": 3.0}]
    return ab.from_iterable(paid, Paid).group_by("item").agg(total=ab.sum("amount"))


@case(0, 2)
def one_branch_of_a_split_left_alone():
    evens, _ = numbers(4).split(lambda n: n % 2 == 0)
    return evens
