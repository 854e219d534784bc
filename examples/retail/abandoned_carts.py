"""How many pages were visited in sessions whose cart was filled but never paid for (query 4)."""

from collections.abc import Iterator

from shop import SESSION_TIME_OUT, Click, click

import anabranch as ab


class Open(ab.State):
    last: int = 0
    pages: int = 0
    filled: bool = False
    paid: bool = False


class Session(ab.Record):
    pages: int
    filled: bool
    paid: bool


class Total(ab.State):
    sessions: int = 0
    pages: int = 0


class Abandoned(ab.Record):
    sessions: int
    mean_pages: float


@ab.operator(by="user")
def sessions(open: Open, c: Click) -> Iterator[Session]:
    if open.pages > 0 and c.ts - open.last > SESSION_TIME_OUT:
        yield Session(open.pages, open.filled, open.paid)
        open.pages, open.filled, open.paid = 0, False, False
    open.last = c.ts
    open.pages += 1
    open.filled = open.filled or c.kind == "cart"
    open.paid = open.paid or c.kind == "buy"


@sessions.at_end
def still_open(open: Open) -> Iterator[Session]:
    yield Session(open.pages, open.filled, open.paid)


@ab.operator
def mean(total: Total, s: Session) -> Iterator[Abandoned]:
    total.sessions += 1
    total.pages += s.pages
    yield from ()


@mean.at_end
def in_all(total: Total) -> Iterator[Abandoned]:
    if total.sessions:
        yield Abandoned(total.sessions, total.pages / total.sessions)


clicks = ab.generate(click, ab.param("rows", 3_000), time="ts")
ended = clicks.filter(lambda c: c.item < 25).apply(sessions)
ended.filter(lambda s: s.filled and not s.paid).apply(mean).write_stdout()
