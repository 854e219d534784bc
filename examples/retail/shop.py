"""What the retail queries read: sales in stores and clicks in the online shop, made of noise."""

import anabranch as ab

HOUR = 3600
DAY = 24 * HOUR
SESSION_TIME_OUT = 60 * 60


class Sale(ab.Record):
    ts: int
    ticket: int
    item: int
    category: str
    amount: float


class Click(ab.Record):
    ts: int
    user: int
    kind: str
    item: int


def sale(n: int) -> Sale:
    """Tickets have four lines; half of the categories sell less from day to day."""
    ticket, item = n // 4, popular(n, 40)
    day = n * 30 // DAY
    trend = 1 + 0.2 * day if item % 2 else 1 / (1 + 0.2 * day)
    kind = "returned" if ab.noise(n, 2) % 20 == 0 else f"c{item % 8}"
    return Sale(n * 30, ticket, item, kind, round(trend * (5 + ab.noise(n, 1) % 20), 2))


def click(n: int) -> Click:
    """Users come for a while, put things into their carts, and sometimes buy."""
    user, what = (n // 200 * 7 + ab.noise(n) % 25) % 100, ab.noise(n, 1) % 40
    kind = "buy" if what == 0 else "cart" if what < 4 else "view"
    return Click(n * 20, user, kind, popular(n, 30))


def popular(n: int, items: int) -> int:
    """An item of so many; those with small numbers are taken more often."""
    return min(ab.noise(n, 5) % items, ab.noise(n, 6) % items)
