"""Tags of columns, found by asking once for all items that are alike."""

from __future__ import annotations

from collections import Counter
from functools import partial
from math import copysign
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.batch.items import Columns, as_batch
from anabranch.compile import compile_graph
from anabranch.engine.run import execute
from anabranch.ir.types import type_of
from anabranch.plan.sync.program import OTHER
from anabranch.runtime.gang import tagging as module
from anabranch.runtime.gang.routing import by_calling
from anabranch.runtime.gang.tagging import Tagging, counted, tagging
from anabranch.runtime.options import RunOptions


class Event(ab.Record):
    kind: str
    page: int | None
    value: int


EVENTS = st.lists(st.builds(Event, st.sampled_from("ab"), st.sampled_from([None, 0, 1, 2]),
                            st.integers(0, 1000)), max_size=80)


def tag(event: Event):
    return event.kind, 7 // event.page


@given(EVENTS)
@settings(max_examples=40, deadline=None)
def test_the_places_are_those_of_asking_each(events):
    items, expected = columns(events), by_calling(tag)(events)
    for attributes in (("kind", "page"), ("kind", "page", "value"), None):
        found = Tagging(tag, attributes)(items)
        assert {name: list(places) for name, places in found.items()} == expected
    assert OTHER not in expected or all(not events[place].page for place in expected[OTHER])


def test_it_asks_once_for_all_that_are_alike():
    events = [Event("ab"[n % 2], 1, n) for n in range(100)]
    asked = []
    tagged = Tagging(lambda e: asked.append(e) or e.kind, {"kind"})
    found = tagged(columns(events))
    assert len(asked) == 2 and {name: list(p) for name, p in found.items()} == {
        "a": list(range(0, 100, 2)), "b": list(range(1, 100, 2))}


def columns(events: list[Event]) -> Columns:
    return Columns(as_batch(events, type_of(Event)), type_of(Event))


@given(st.lists(EVENTS, max_size=5), st.sampled_from([1, 3, 65_536]))
@settings(max_examples=40, deadline=None)
def test_what_has_been_asked_before_is_remembered_for_a_while(slices, most):
    asked = Counter()

    def counting(event: Event):
        asked[event.kind, event.page] += 1
        return tag(event)
    tagged = Tagging(counting, {"kind", "page"})
    for events in slices:
        with mock.patch.object(module, "MOST_KNOWN", most):
            found = tagged(columns(events * 8))
        assert {name: list(places) for name, places in found.items()} == by_calling(tag)(events * 8)
    assert most < 65_536 or all(n == 1 for n in asked.values())


class Signed(ab.Record):
    value: float


def test_a_zero_is_remembered_with_its_sign():
    tagged = Tagging(lambda e: copysign(1, e.value), {"value"})
    for value in (0.0, -0.0, 0.0, float("nan")):
        batch = pa.RecordBatch.from_pydict({"value": [value] * 8})
        found = tagged(Columns(batch, type_of(Signed)))
        assert list(found) == [copysign(1, value)] and len(tagged.known) <= 3


class Page(ab.State):
    info: int = 0


@ab.synchronized(by="page", tag=lambda e: e.kind, depends=lambda a, b: "update" in (a, b),
                 pure=True)
def joined(page: Page, e: Event):
    parts = [page.info, e.value]
    yield Event(e.kind, e.page, sum(parts))
    if e.kind == "update":
        page.info = e.value


joined.fork(lambda page, left, right: (Page(page.info), Page(page.info)))
joined.join(lambda one, other: one)


@ab.synchronized(by="page", tag=tag, depends=lambda a, b: True)
def told(page: Page, e: Event):
    yield e


told.fork(lambda page, left, right: (page, Page()))
told.join(lambda one, other: one)


@given(EVENTS)
@settings(max_examples=40, deadline=None)
def test_a_sample_counts_keys_and_tags_and_leaves_out_who_has_none(events):
    graph = ab.from_iterable([], Event).apply(told).graph()
    op = next(op for op in graph if op.kind.label == "synchronized")
    sampled = tagging(graph, op, native=False)
    expected = Counter((e.page, tag(e)) for e in events if e.page)
    assert (counted(op.kind, sampled, events) == counted(op.kind, sampled, columns(events))
            == expected)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_columns_from_file_to_file_through_processes(tmp_path, workers, monkeypatch):
    from anabranch.engine import multicore

    monkeypatch.setattr(multicore, "run", partial(multicore.run, processes="always"))
    rows = [Event("update" if n % 50 == 49 else "view", n % 3 and 0, n) for n in range(3000)]
    pq.write_table(pa.Table.from_batches([as_batch(rows, type_of(Event))]), tmp_path / "in.parquet")
    stream = ab.read_parquet(tmp_path / "in.parquet", Event).apply(joined, to=Event)
    stream.write_parquet(tmp_path / "out.parquet")
    plan, found = compile_graph(stream.graph()), {}
    for options in (RunOptions("sequential"), RunOptions("multicore", workers)):
        execute(plan, options)
        found[options.engine] = pq.read_table(tmp_path / "out.parquet")
    assert len(found["multicore"]) == 3000 and found["multicore"].equals(found["sequential"])
