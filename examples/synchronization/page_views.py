"""Page views joined with the latest information of their page; two pages have most of the views."""

from collections.abc import Iterator

import anabranch as ab


class Event(ab.Record):
    kind: str
    page: int
    value: int


class Page(ab.State):
    info: int = 0


class Told(ab.Record):
    kind: str
    page: int
    value: int
    info: int


@ab.synchronized(by="page", tag=lambda e: e.kind, depends=lambda a, b: "update" in (a, b))
def joined(page: Page, e: Event) -> Iterator[Told]:
    yield Told(e.kind, e.page, e.value, page.info)
    if e.kind == "update":
        page.info = e.value


# Both sides know what the page says; only a worker that has the whole page updates it.
joined.fork(lambda page, left, right: (Page(page.info), Page(page.info)))
joined.join(lambda one, other: one)


def event(n: int) -> Event:
    page = n % 2 if ab.noise(n) % 10 else ab.noise(n) % 7
    return Event("update" if n % 500 == 499 else "view", page, n)


ab.generate(event, ab.param("events", 5_000)).apply(joined).write_stdout()
