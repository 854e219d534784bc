"""Lists of sources that worker processes have from the beginning."""

from __future__ import annotations

import os

import pytest

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.core.errors import RunError
from anabranch.engine import multicore
from anabranch.engine.sequential import run as sequential
from anabranch.io.python.objects import MOST_AT_ONCE
from anabranch.runtime.ends.columns import Inherited, lists_of
from anabranch.runtime.processes import messages
from anabranch.runtime.processes import pool as processes
from engines.multicore.support import multicore_outputs, sequential_outputs


class Count(ab.State):
    seen: dict[int, int] = {}


def opaque(n: int) -> int:
    return {n: n * n}[n]


@ab.operator
def twice(n: int):
    yield from {n: (n, -n)}[n] if n % 3 else ()


@ab.operator(by=None)
def overall(state: Count, n: int):
    state.seen[n % 5] = state.seen.get(n % 5, 0) + 1
    yield state.seen[n % 5]


def several(numbers: list[int]) -> ab.Stream:
    """Two stages without state read the source, and one with."""
    source = ab.from_iterable(numbers, int)
    return source.map(opaque).union(source.apply(twice), source.apply(overall), arrival=True)


PROGRAMS = {"map": lambda numbers: ab.from_iterable(numbers, int).map(opaque),
            "flat map": lambda numbers: ab.from_iterable(numbers, int).apply(twice),
            "several readers": several}


@pytest.mark.parametrize("workers", [2, 3])
@pytest.mark.parametrize("make", PROGRAMS.values(), ids=PROGRAMS)
def test_the_same_items_come_out(make, workers):
    graph = make(list(range(700))).graph()
    assert multicore_outputs(graph, workers=workers, processes="always", slice_size=64) == (
        sequential_outputs(graph))


def test_only_places_travel(monkeypatch):
    packs, pack = [], messages._pack
    monkeypatch.setattr(messages, "_pack", lambda items: packs.append(pack(items)) or packs[-1])
    graph = ab.from_iterable(list(range(300)), int).map(opaque).graph()
    multicore_outputs(graph, workers=2, processes="always", slice_size=100)
    source = graph.sources[0].name
    assert {kind for kind, _ in packs} == {messages.PLACE}
    assert sorted(place for _, place in packs)[0][:2] == (source, 0)
    assert sum(stop - start for _, (_, start, stop) in packs) == 300


def test_what_cannot_travel_need_not():
    items = [lambda n=n: n for n in range(50)]
    graph = ab.from_iterable(items, object).map(lambda f: {0: f()}[0]).graph()
    out = multicore_outputs(graph, {graph.sources[0].name: items}, workers=2, processes="always")
    assert [item for _, item in out] == list(range(50))


def test_a_limit_and_a_failure():
    graph = ab.from_iterable(list(range(300)), int).map(lambda n: {250: 1 // (250 - n)}).graph()
    given, out, right = {graph.sources[0].name: list(range(300))}, [], []
    multicore.run(compile_graph(graph), given, lambda op, item: out.append(item), 200, workers=2,
                  processes="always", slice_size=32)
    assert len(out) == 200
    with pytest.raises(RunError, match="250"):
        sequential.run(graph, given, lambda op, item: right.append(item))
    out.clear()
    with pytest.raises(RunError, match="250"):
        multicore_into(graph, given, out)
    assert out == right


def multicore_into(graph, given, out: list) -> None:
    multicore.run(compile_graph(graph), given, lambda op, item: out.append(item), workers=2,
                  processes="always", slice_size=32)


def test_parts_of_parts():
    part = Inherited("s", list(range(20)))[5:15][2:4]
    assert (part.place, len(part), list(part), part[-1]) == (("s", 7, 9), 2, [7, 8], 8)
    assert list(part[5:1]) == [] and list(part[::-1]) == [8, 7]


def test_only_lists_are_given_by_place():
    items = {"a": [1], "b": iter([1]), "c": [2], "d": (3,)}
    assert lists_of(items, ["a", "b", "d"]) == {"a": [1]}


class Number(ab.Record):
    n: int


def slowly(number: Number) -> Number:
    """Heavy enough to be worth a process, and nothing for a kernel."""
    return Number(dict.fromkeys(range(300), number.n)[7])


@pytest.mark.parametrize("wrong", [None, MOST_AT_ONCE + 100])
def test_a_list_is_given_by_place_when_a_stream_is_run(monkeypatch, wrong):
    """Up to the first item that has to be looked at by itself."""
    packs, pack = [], messages._pack
    monkeypatch.setattr(messages, "_pack", lambda items: packs.append(pack(items)) or packs[-1])
    numbers = [Number(n if n != wrong else True) for n in range(MOST_AT_ONCE + 200)]
    right, ours = [], []
    for out, options in ((right, {"engine": "sequential"}),
                         (ours, {"engine": "multicore", "workers": 2})):
        ab.from_iterable(numbers, Number).map(slowly).collect_into(out).run(**options)
    assert ours == right
    assert messages.PLACE in {kind for kind, _ in packs}


@pytest.mark.parametrize("written", [False, True])
def test_arrow_is_settled_before_the_fork_where_columns_come_back(tmp_path, monkeypatch, written):
    calls = []
    monkeypatch.setattr(processes, "settle_arrow", lambda: calls.append(os.getpid()))
    numbers = ab.from_iterable([Number(n) for n in range(3)], Number).map(slowly)
    sink = numbers.write_csv(tmp_path / "out.csv") if written else numbers.collect_into([])
    sink.run(engine="multicore", workers=2)
    assert calls == [os.getpid()] * written
