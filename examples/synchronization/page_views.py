"""Page views joined with the latest information of their page; two pages have most of the views."""

import anabranch as ab


class Event(ab.Record):
    kind: str
    page: int
    value: int


class Pages(ab.State):
    info: dict = {}


class Told(ab.Record):
    kind: str
    page: int
    value: int
    info: int


@ab.synchronized(tag=lambda e: (e.kind, e.page),
                 depends=lambda a, b: a[1] == b[1] and "update" in (a[0], b[0]))
def joined(state: Pages, e: Event):
    yield Told(e.kind, e.page, e.value, state.info.get(e.page, 0))
    if e.kind == "update":
        state.info[e.page] = e.value


@joined.fork
def by_page(state: Pages, left, right):
    of_right = {p: i for p, i in state.info.items() if right(("view", p)) or right(("update", p))}
    of_left = {p: i for p, i in state.info.items() if p not in of_right or left(("view", p))}
    return Pages(of_left), Pages(of_right)


joined.join(lambda one, other: Pages({**one.info, **other.info}))


def event(n: int) -> Event:
    page = n % 2 if ab.noise(n) % 10 else ab.noise(n) % 7
    return Event("update" if n % 500 == 499 else "view", page, n)


ab.generate(event, ab.param("events", 5_000)).apply(joined).write_stdout()
