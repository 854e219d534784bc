"""Lesson 4: two sources, in the order of time.

Streams with times are merged by them: at equal times the source that was declared first comes
first. So a join of two streams has one answer, however many cores work on it. In `keep`,
`ab.recent(count=1)` says that the latest item of a stream waits for partners,
`ab.recent(count=0)` that none does.

Task: at every visit the program tells the latest campaign of all pages. Let it tell the latest
one of the visited page instead; a page without a campaign so far gives nothing.
"""

from pathlib import Path

import anabranch as ab

DATA = Path(__file__).parent / "data"


class Visit(ab.Record):
    ts: int
    user: str
    page: str


class Campaign(ab.Record):
    ts: int
    page: str
    name: str


class Led(ab.Record):
    user: str
    page: str
    campaign: str


campaigns = ab.read_csv(DATA / "campaigns.csv", Campaign, time="ts")
visits = ab.read_csv(DATA / "visits.csv", Visit, time="ts")
led = campaigns.join(visits, keep=(ab.recent(count=1), ab.recent(count=0)),
                     into=lambda c, v: Led(v.user, v.page, c.name))
led.write_stdout()
