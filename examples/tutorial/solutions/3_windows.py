"""Lesson 3, done."""

from pathlib import Path

import anabranch as ab

DATA = Path(__file__).parent / "data"


class Visit(ab.Record):
    ts: int
    user: str
    page: str


visits = ab.read_csv(DATA / "visits.csv", Visit, time="ts")
visits.aggregate(ab.tumbling(time=30), by="page", start=ab.start(),
                 visits=ab.count()).write_stdout()
