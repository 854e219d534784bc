"""A stateless pipeline: filter, arithmetic, string tests."""

import anabranch as ab


class Entry(ab.Record):
    ts: int
    uid: int
    server: str
    msg: str


class Login(ab.Record):
    ts: int
    user: int
    failed: int


def run(source, target, **options):
    form = target.rstrip("/").rpartition(".")[2]
    entries = getattr(ab, f"read_{form}")(source, Entry)
    kept = entries.filter(lambda e: e.server.startswith("server-1") and e.uid % 3 != 0)
    logins = kept.map(lambda e: Login(e.ts, e.uid * 2 + 1, 1 if e.msg == "login failed" else 0))
    getattr(logins, f"write_{form}")(target).run(**options)
