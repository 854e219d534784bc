"""Inputs of any size for the examples that read files, the same on every machine.

    anabranch run examples/inputs.py --set input=positions --set rows=100000 > positions.csv

The query log in Sawzall has no line of names: leave out the first of `input=lines`.
"""

from collections.abc import Callable

import anabranch as ab

INPUT = ab.param("input", "payments")
ROWS = ab.param("rows", 1000)
SERVERS = ("amber", "basalt", "cobalt")
TICKERS = ("IBM", "XYZ", "QRS", "TUV")
KINDS = ("card", "cash", "test")
VEHICLES = 50
MILE, ROAD = 1760, 8 * 1760


class Payment(ab.Record):
    account: int
    amount: float
    kind: str


class Position(ab.Record):
    timestamp: int
    vehicleId: int
    speed: int
    xPos: int
    dir: int
    hwy: int


class Query(ab.Record):
    timestamp: int
    server: str
    latitude: int
    longitude: int


class Line(ab.Record):
    server: str
    latitude: int
    longitude: int
    to_latitude: int
    to_longitude: int


class Change(ab.Record):
    timestamp: int
    op: str
    ticker: str
    low: int


class Ask(ab.Record):
    timestamp: int
    ticker: str
    ask: int


class Quote(ab.Record):
    ts: float
    symbol: str
    price: float


def payment(n: int) -> Payment:
    """A hundred accounts, which spend a little more than they get."""
    return Payment(100 + ab.noise(n) % 100, (ab.noise(n, 1) % 10_000 - 5_200) / 100,
                   KINDS[ab.noise(n, 2) % 3])


def position(n: int) -> Position:
    """Vehicles on two highways, each of which tells every half minute where it is."""
    turn, vehicle = divmod(n, VEHICLES)
    way = ab.noise(vehicle)
    speed = (0, 10, 35, 50, 65)[ab.noise(n, 1) % 5]
    return Position(30 * turn, vehicle, speed, (way // 8 + 900 * turn) % ROAD, way % 2,
                    way // 2 % 2)


def query(n: int) -> Query:
    return Query(n // 2, SERVERS[ab.noise(n) % 3], ab.noise(n, 1) % 5, ab.noise(n, 2) % 5)


def line(n: int) -> Line:
    return Line(SERVERS[ab.noise(n) % 3], ab.noise(n, 1) % 5, ab.noise(n, 2) % 5,
                ab.noise(n, 3) % 5, ab.noise(n, 4) % 5)


def low(n: int) -> int:
    """The lowest price so far with the n-th change; the tickers take turns."""
    return 200 - 3 * (n // len(TICKERS)) - ab.noise(n) % 3


def changes(n: int) -> list[Change]:
    """A lower price comes in the place of the one before."""
    ticker, before = TICKERS[n % len(TICKERS)], n - len(TICKERS)
    gone = [Change(2 * n, "-", ticker, low(before))] if before >= 0 else []
    return [*gone, Change(2 * n, "+", ticker, low(n))]


def ask(n: int) -> Ask:
    """Just above or below the lowest price."""
    return Ask(n, TICKERS[ab.noise(n, 1) % len(TICKERS)], low(n // 2) - 4 + ab.noise(n, 2) % 12)


def bid(n: int) -> Quote:
    return Quote(n + 0.25, TICKERS[ab.noise(n, 3) % len(TICKERS)], 90.0 + ab.noise(n, 4) % 40)


def offer(n: int) -> Quote:
    return Quote(n + 0.5, TICKERS[ab.noise(n, 5) % len(TICKERS)], 90.0 + ab.noise(n, 6) % 40)


INPUTS: dict[str, Callable[[], ab.Stream[object]]] = {
    "payments": lambda: ab.generate(payment, ROWS),
    "positions": lambda: ab.generate(position, ROWS),
    "query_log": lambda: ab.generate(query, ROWS),
    "lines": lambda: ab.generate(line, ROWS),
    "quotes": lambda: ab.generate(ask, ROWS),
    "history": lambda: ab.generate(lambda n: n, ROWS, to=int).flat_map(changes),
    "bids": lambda: ab.generate(bid, ROWS),
    "asks": lambda: ab.generate(offer, ROWS),
}
if INPUT not in INPUTS:
    raise ValueError(f"there is no input '{INPUT}', only {', '.join(INPUTS)}")
INPUTS[INPUT]().write_stdout()
