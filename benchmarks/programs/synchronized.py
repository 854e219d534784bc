"""Three applications of synchronization plans, with updates of a known time.

They are compiled; page views are there in plain Python as well, opaque to the compiler as functions
of libraries are. Most of the views are of two pages, and of these most are of one. The input is a
Parquet file in which one event of so many synchronizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.plan.logical.plan import Plan

COMPILED_ROUNDS, PYTHON_ROUNDS = 180, 12
"""So many rounds of the loops below take about a microsecond."""


class Event(ab.Record):
    ts: int
    kind: str
    page: int
    value: int


class Told(ab.Record):
    ts: int
    value: int


class Sum(ab.State):
    total: int = 0
    suspect: int = -1


class Page(ab.State):
    info: int = 0


def windows(microseconds: float):
    rounds = int(COMPILED_ROUNDS * microseconds)

    @ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: "sync" in (a, b))
    def summed(state: Sum, e: Event):
        if e.kind == "sync":
            yield Told(e.ts, state.total)
            state.total = 0
        else:
            x = e.value
            for _ in range(rounds):
                x = (x * 31 + 7) % 1009
            state.total += x

    summed.fork(lambda state, left, right: (Sum(state.total), Sum()))
    summed.join(lambda one, other: Sum(one.total + other.total))
    return summed


def fraud(microseconds: float):
    rounds = int(COMPILED_ROUNDS * microseconds)

    @ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: "sync" in (a, b))
    def watched(model: Sum, e: Event):
        if e.kind == "sync":
            yield Told(e.ts, model.total)
            model.suspect = (model.total + e.value) % 1000
            model.total = 0
        else:
            x = e.value
            for _ in range(rounds):
                x = (x * 31 + 7) % 1009
            model.total += x
            if x == model.suspect:
                yield Told(e.ts, -x)

    watched.fork(lambda model, left, right: (Sum(model.total, model.suspect),
                                             Sum(0, model.suspect)))
    watched.join(lambda one, other: Sum(one.total + other.total, one.suspect))
    return watched


def view(microseconds: float):
    """A view joined with what is known of its page; some events say something new of it."""
    rounds = int(COMPILED_ROUNDS * microseconds)

    def viewed(page: Page, e: Event):
        x = e.value
        for _ in range(rounds):
            x = (x * 31 + 7) % 1009
        yield Told(e.ts, page.info + x)
        if e.kind == "sync":
            page.info = e.value
    return viewed


def view_in_python(microseconds: float):
    rounds = int(PYTHON_ROUNDS * microseconds)

    def viewed(page: Page, e: Event):
        x = [e.value]
        for _ in range(rounds):
            x[0] = (x[0] * 31 + 7) % 1009
        yield Told(e.ts, page.info + x[0])
        if e.kind == "sync":
            page.info = e.value
    return viewed


def split_by_page(update, **declared):
    views = ab.synchronized(by="page", tag=lambda e: e.kind, depends=lambda a, b: "sync" in (a, b),
                            **declared)(update)
    # Both sides know what the page says; only a worker that has the whole page updates it.
    views.fork(lambda page, left, right: (Page(page.info), Page(page.info)))
    views.join(lambda one, other: one)
    return views


APPLICATIONS = {
    "windows": windows, "fraud": fraud,
    "views": lambda cost: split_by_page(view(cost)),
    "views by key": lambda cost: ab.operator(view(cost), by="page"),
    "views in Python": lambda cost: split_by_page(view_in_python(cost), pure=True),
    "views in Python by key": lambda cost: ab.operator(view_in_python(cost), by="page", pure=True)}


def events(rows: int, every: int | None, path: Path, group: int | None = None,
           pages: Sequence[int] = ()) -> Path:
    """Writes the input, so many rows in a group: one event of `every` synchronizes. Views are of
    these pages alike; without any, 17 of 20 are of page 0, and two more of page 1."""
    place = np.arange(rows)
    mixed = (place * 2654435761) % 4294967296 // 7
    synchronizes = place % every == every - 1 if every else np.zeros(rows, bool)
    page = np.array(pages)[mixed % len(pages)] if pages else np.select(
        [mixed % 20 < 17, mixed % 20 < 19], [0, 1], mixed % 1000)
    pq.write_table(pa.table({"ts": place, "kind": np.where(synchronizes, "sync", "value"),
                             "page": page, "value": mixed % 1009}), path, row_group_size=group)
    return path


def program(application: str, microseconds: float, given: Path, out: Path) -> Plan:
    """An application from one file to another."""
    stream = ab.read_parquet(given, Event).apply(APPLICATIONS[application](microseconds), to=Told)
    stream.write_parquet(out)
    return compile_graph(stream.graph())
