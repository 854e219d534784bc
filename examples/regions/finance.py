"""Bargains: offers below the volume-weighted average price (VWAP) of their symbol's last trades."""

from collections.abc import Iterator

import anabranch as ab

SYMBOLS = ("IBM", "ACME", "BOLT", "RIVER", "DELTA")


class Trade(ab.Record):
    ts: int
    symbol: str
    price: float
    volume: int


class Offer(ab.Record):
    ts: int
    symbol: str
    ask: float
    size: int
    seller: str


class Tick(ab.Record):
    ts: int
    symbol: str
    vwap: float
    ask: float
    size: int


class Weighted(ab.Record):
    symbol: str
    ts: int
    paid: float
    volume: int


class Latest(ab.State):
    vwap: float = 0.0


class Bargain(ab.Record):
    ts: int
    symbol: str
    ask: float
    size: int
    saved: float


def volume_weighted(w: Weighted) -> Tick:
    return Tick(w.ts, w.symbol, w.paid / w.volume, 0.0, 0)


def projected(o: Offer) -> Tick:
    return Tick(o.ts, o.symbol, 0.0, o.ask, o.size)


@ab.operator(by="symbol")
def bargains(latest: Latest, t: Tick) -> Iterator[Bargain]:
    if t.vwap:
        latest.vwap = t.vwap
    elif t.ask < latest.vwap:
        yield Bargain(t.ts, t.symbol, t.ask, t.size, round((latest.vwap - t.ask) * t.size, 2))


def price(n: int, seed: int) -> float:
    return 100 + ab.noise(n, seed) % 400 / 100


def trade(n: int) -> Trade:
    return Trade(2 * n, SYMBOLS[ab.noise(n) % 5], price(n, 1), 1 + ab.noise(n, 2) % 500)


def offer(n: int) -> Offer:
    return Offer(3 * n, SYMBOLS[ab.noise(n, 3) % 5], price(n, 4), 100, f"seller{n % 7}")


ROWS = ab.param("rows", 3_000)
trades = ab.generate(trade, ROWS, time="ts")
offers = ab.generate(offer, ROWS * 2 // 3, time="ts")
averages = trades.aggregate(
    ab.sliding(count=10, step=1, partial=False), by="symbol", into=Weighted, ts=ab.last("ts"),
    paid=ab.sum(lambda t: t.price * t.volume), volume=ab.sum("volume")).map(volume_weighted)
combined = averages.union(offers.map(projected), on="ts")
combined.apply(bargains).write_stdout()
