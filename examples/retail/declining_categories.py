"""Categories whose sales do not grow: the slope of the line through their days (query 15)."""

from collections.abc import Iterator

from shop import DAY, Sale, sale

import anabranch as ab


class Sold(ab.Record):
    category: str
    day: int
    amount: float


class Days(ab.State):
    category: str = ""
    amounts: dict[int, float] = {}


class Declining(ab.Record):
    category: str
    slope: float


def by_day(s: Sale) -> Sold:
    return Sold(s.category, s.ts // DAY, s.amount)


@ab.operator(by="category")
def line(days: Days, s: Sold) -> Iterator[Declining]:
    days.category = s.category
    days.amounts[s.day] = days.amounts.get(s.day, 0.0) + s.amount
    yield from ()


@line.at_end
def declining(days: Days) -> Iterator[Declining]:
    """The slope of the line with the least squares, over the days that had sales."""
    n = len(days.amounts)
    sum_x, sum_y = sum(days.amounts), sum(days.amounts.values())
    sum_xy = sum(day * amount for day, amount in days.amounts.items())
    spread = n * sum(day * day for day in days.amounts) - sum_x * sum_x
    slope = (n * sum_xy - sum_x * sum_y) / spread if spread else 0.0
    if slope <= 0:
        yield Declining(days.category, slope)


sales = ab.generate(sale, ab.param("rows", 20_000), time="ts")
sold = sales.filter(lambda s: s.category != "returned").map(by_day)
sold.apply(line).write_stdout()
