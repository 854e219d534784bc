"""Lesson 3: windows of time.

A source may say which of its columns is the time. A window by time puts the rows of so many
seconds together, and is closed by the first row that comes after it. `start`, `count` and the
others say what is told of each window.

Task: the program counts all visits, in windows of ten seconds. Count the visits of each page,
in windows of half a minute, as rows (page, start, visits): the second argument of `aggregate`
is `by="page"`.
"""

from pathlib import Path

import anabranch as ab

DATA = Path(__file__).parent / "data"


class Visit(ab.Record):
    ts: int
    user: str
    page: str


visits = ab.read_csv(DATA / "visits.csv", Visit, time="ts")
visits.aggregate(ab.tumbling(time=10), start=ab.start(), visits=ab.count()).write_stdout()
