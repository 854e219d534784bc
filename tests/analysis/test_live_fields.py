"""Live fields: what nobody behind a queue looks at, and that nobody misses it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.analysis.facts.live_fields import live_fields
from random_programs import STEPS, Item, items, outputs, programs


class Only(ab.Record):
    value: int


PROJECTIONS = {"k": lambda t: Only(t.k), "l": lambda t: Only(t.l), "v": lambda t: Only(t.v)}


class Unseen:
    """A value that nobody may look at."""

    def _looked(self, *others):
        raise AssertionError("a field that is not live was looked at")

    __eq__ = __hash__ = __lt__ = __gt__ = __add__ = __mod__ = __bool__ = __index__ = _looked


def _programs(steps: list[str], shown: str, given: list[Item]):
    stream = ab.from_iterable(given, Item, name="source")
    for step in steps:
        stream = STEPS[step](stream)
    graph = stream.map(PROJECTIONS[shown]).graph()
    return graph, {op.name: list(op.kind.spec.items(None)) for op in graph.sources}


@settings(deadline=None, max_examples=60)
@given(programs, st.sampled_from(sorted(PROJECTIONS)), items)
def test_outputs_do_not_depend_on_fields_that_are_not_live(steps, shown, rows):
    graph, sources = _programs(steps, shown, rows)
    live = live_fields(graph)
    hidden = {op.name: _hidden(sources[op.name], live[op.outputs[0]]) for op in graph.sources}
    assert outputs(graph, hidden) == outputs(graph, sources)


def _hidden(rows: list[Item], live: frozenset[str] | None) -> list[Item]:
    dead = {} if live is None else {f: Unseen() for f in ("k", "l", "v") if f not in live}
    return [row.replace(**dead) for row in rows]


class Entry(ab.Record):
    ts: int
    uid: int
    server: str
    msg: str

    @property
    def words(self) -> int:
        return len(self.msg.split())


class Latest(ab.State):
    entry: object = None
    total: int = 0


@ab.operator(by="uid")
def counted(state: Latest, e: Entry):
    state.total += e.ts
    yield e.replace(ts=state.total)


@ab.operator(by="uid")
def kept(state: Latest, e: Entry):
    state.entry = e
    yield Only(e.uid)


LONG = {
    "a window looks at its key, its time and what it folds": (
        lambda s: s.aggregate(ab.tumbling(time=5, on="ts"), by="uid", n=ab.count()),
        {"ts", "uid"}),
    "a fold of an attribute": (
        lambda s: s.aggregate(ab.tumbling(count=5), by="uid", m=ab.max("msg")), {"uid", "msg"}),
    "a fold of a function": (
        lambda s: s.aggregate(ab.tumbling(count=5), m=ab.max(lambda e: len(e.server))), {"server"}),
    "a fold of whole items": (
        lambda s: s.aggregate(ab.tumbling(count=5), by="uid", es=ab.collect()), None),
    "a filter, and what is behind it": (
        lambda s: s.filter(lambda e: e.server != "x").map(lambda e: Only(e.uid)),
        {"server", "uid"}),
    "an item passes an operator": (
        lambda s: s.apply(counted).map(lambda e: Only(e.ts)), {"uid", "ts"}),
    "a split": (
        lambda s: s.split(lambda e: e.ts > 3)[0].map(lambda e: Only(e.uid)), {"ts", "uid"}),
    "a state keeps the item": (lambda s: s.apply(kept), None),
    "an attribute that is computed": (lambda s: s.map(lambda e: Only(e.words)), None),
    "a function that sees the item": (lambda s: s.map(lambda e: Only(len(e))), None),
    "a function that sees all variables": (
        lambda s: s.map(lambda e: Only(len(locals()) + e.uid)), None),
    "a sink": (lambda s: s.filter(lambda e: e.uid > 3), None),
    "a key of the whole item": (lambda s: s.deduplicate(), None),
    "a join": (
        lambda s: s.join(ab.from_iterable([Only(1)], Only), by=(("uid",), ("value",)),
                         keep=ab.recent(count=1), into=lambda a, b: Only(a.ts + b.value)),
        {"uid", "ts"}),
}


@pytest.mark.parametrize("name", LONG)
def test_the_live_fields_of_a_source(name):
    program, expected = LONG[name]
    source = ab.from_iterable([Entry(1, 2, "s", "m")], Entry, name="entries")
    graph = program(source).graph()
    found = live_fields(graph)[graph["entries"].outputs[0]]
    assert found == (None if expected is None else frozenset(expected))


def test_a_time_that_orders_sources_is_live():
    source = ab.from_iterable([Entry(1, 2, "s", "m")], Entry, time="ts", name="entries")
    graph = source.map(lambda e: Only(e.uid)).graph()
    assert live_fields(graph)[graph["entries"].outputs[0]] == frozenset({"ts", "uid"})
