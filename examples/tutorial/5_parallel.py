"""Lesson 5: why not parallel?

The program tells when a user comes back to a page. Its output is right, but it runs on one
core, and Anabranch says why, at the line that is to blame:

    anabranch explain 5_parallel.py

Task: let `came_back` remember the pages in a state of its own for each user, and not in a
global set, so that users can be spread over all cores. The output stays the same.
"""

from collections.abc import Iterator
from pathlib import Path

import anabranch as ab

DATA = Path(__file__).parent / "data"


class Visit(ab.Record):
    ts: int
    user: str
    page: str


seen: set[tuple[str, str]] = set()


@ab.operator
def came_back(v: Visit) -> Iterator[Visit]:
    if (v.user, v.page) in seen:
        yield v
    seen.add((v.user, v.page))


ab.read_csv(DATA / "visits.csv", Visit).apply(came_back).write_stdout()
