"""Lesson 4, done."""

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
led = campaigns.join(visits, by="page", keep=(ab.recent(count=1), ab.recent(count=0)),
                     into=lambda c, v: Led(v.user, v.page, c.name))
led.write_stdout()
