"""Lesson 5, done."""

from collections.abc import Iterator
from pathlib import Path

import anabranch as ab

DATA = Path(__file__).parent / "data"


class Visit(ab.Record):
    ts: int
    user: str
    page: str


class Pages(ab.State):
    seen: set[str] = set()


@ab.operator(by="user")
def came_back(state: Pages, v: Visit) -> Iterator[Visit]:
    if v.page in state.seen:
        yield v
    state.seen.add(v.page)


ab.read_csv(DATA / "visits.csv", Visit).apply(came_back).write_stdout()
