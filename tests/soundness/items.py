"""The records that the functions of the corpus are given."""

from __future__ import annotations

from datetime import datetime, timedelta

import anabranch as ab


class Item(ab.Record):
    n: int
    key: int
    word: str
    x: float
    xs: list[int]
    note: str | None = None


class Visit(ab.Record):
    """With a method and a property that only compute."""

    user: int
    key: int
    page: str
    when: datetime
    ms: float

    def slow(self, limit: float = 100.0) -> bool:
        return self.ms > limit

    @property
    def folder(self) -> str:
        return self.page.rsplit("/", 1)[0]

    @staticmethod
    def seconds(ms: float) -> float:
        return ms / 1000


WORDS = ("alpha", "beta", "gamma", "delta", "rho", "pi", "omega", "chi")


def items(count: int = 60) -> list[Item]:
    """Keys, words and lists come again, each at its own rhythm."""
    return [Item(n, n * 7 % 5, WORDS[n * 5 % 8], n * 0.75 % 11, [n % 4, n % 3, n],
                 None if n % 3 else WORDS[n % 8]) for n in range(count)]


def items_with_one_list(count: int = 60) -> list[Item]:
    """Different records that hold the same list."""
    shared: list[int] = []
    return [item.replace(xs=shared) for item in items(count)]


def visits(count: int = 60) -> list[Visit]:
    start = datetime(2024, 2, 28, 22, 15)
    return [Visit(n % 9, n * 7 % 5, f"/{WORDS[n % 8]}/{WORDS[n % 3]}.html",
                  start + timedelta(minutes=37 * n), n * 13.5 % 240) for n in range(count)]


ITEMS = items()
VISITS = visits()
