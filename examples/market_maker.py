"""The functions of market_maker.river.

A function takes an item, the number of the input it came on, and the variables that its operator
reads. It gives a list of items for each output, and the new values of the variables it writes.
"""

from math import inf

import anabranch as ab


class Quote(ab.Record):
    ts: float
    symbol: str
    price: float


class Sale(ab.Record):
    symbol: str
    bid: float
    ask: float


class Trade(ab.Record):
    cnt: int
    symbol: str
    price: float


lastAsk = Quote(0.0, "IBM", inf)
cnt = 0


def SelectIBM(quote: Quote, port: int) -> tuple[list[list[Quote]], list[Quote]]:
    return [[quote] if quote.symbol == "IBM" else []], []


def Window(ask: Quote, port: int) -> tuple[list[list[Quote]], list[Quote]]:
    return [], [ask]


def SaleJoin(bid: Quote, port: int, last_ask: Quote) -> tuple[list[list[Sale]], list[Quote]]:
    sold = bid.price >= last_ask.price
    return [[Sale(bid.symbol, bid.price, last_ask.price)] if sold else []], []


def Count(sale: Sale, port: int, count: int) -> tuple[list[list[Trade]], list[int]]:
    return [[Trade(count + 1, sale.symbol, sale.ask)]], [count + 1]
