"""Where no lock of the interpreter lets only one thread compute, rows run in threads.

Such a Python is not needed to test that: what the engine asks it is answered here, threads change
as often as they can, and functions that wait for each other show that they run at the same time.
"""

from __future__ import annotations

import json
import os
import sys
import threading

import pytest

import anabranch as ab
from engines.multicore.support import multicore_outputs, sequential_outputs

WORKERS = 4


@pytest.fixture(autouse=True)
def _without_lock(monkeypatch):
    def forbidden():
        raise AssertionError("a process is forked")
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: False, raising=False)
    monkeypatch.setattr(os, "fork", forbidden)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


class Row(ab.Record):
    at: int
    key: str
    value: int


class Seen(ab.State):
    counts: dict = {}
    last: list = []


@ab.operator(by="key")
def counted(state: Seen, t: Row):
    state.counts[t.value] = state.counts.get(t.value, 0) + 1
    state.last = [*state.last[-3:], t.at]
    yield Row(state.counts[t.value], json.loads(json.dumps(t.key)), t.value)


@counted.at_end
def rest(state: Seen):
    yield Row(len(state.last), "", sum(state.last))


def rows(count: int = 400, name: str = "rows") -> ab.Stream:
    items = [Row(i // 3, f"k{i * 7 % 11}", i % 5) for i in range(count)]
    return ab.from_iterable(items, Row, time="at", name=name)


def stateless() -> ab.Stream:
    return rows().flat_map(lambda t: [json.dumps([t.at, t.key])] * (t.value % 3))


def keyed() -> ab.Stream:
    return rows().apply(counted)


def keyed_twice() -> ab.Stream:
    return rows().apply(counted).aggregate(ab.tumbling(count=3), by="value",
                                           all=ab.collect("key"), top=ab.max("at"))


def joined() -> ab.Stream:
    return rows().join(rows(300, "others"), by="key", keep=ab.recent(count=2),
                       into=lambda a, b: json.dumps([a.at, b.at, a.key]))


def divided() -> ab.Stream:
    few, many = rows().split(lambda t: json.loads(json.dumps(t.value)) < 2)
    return few.apply(counted).union(many.map(lambda t: t.replace(key=t.key.upper())), on="at")


@pytest.mark.parametrize("knobs", [{}, {"slice_size": 1}, {"slice_size": 13, "reorder": "lock"},
                                   {"slice_size": 5, "queue": "partitioned"}])
@pytest.mark.parametrize("program", [stateless, keyed, keyed_twice, joined, divided])
def test_threads_give_what_the_sequential_engine_gives(program, knobs):
    graph = program().graph()
    assert multicore_outputs(graph, workers=WORKERS, kernels="never", **knobs) == (
        sequential_outputs(graph))


def test_rows_without_state_run_at_the_same_time():
    both = threading.Barrier(2)

    def met(n: int) -> int:
        if n in (0, 1):
            both.wait(20)
        return n
    stream = ab.from_iterable(range(2), int).map(met, to=int, state="stateless")
    assert [n for _, n in multicore_outputs(stream.graph(), workers=2, slice_size=1)] == [0, 1]


def test_keys_run_at_the_same_time():
    both, seen = threading.Barrier(2), set()

    @ab.operator(by="key", pure=True)
    def met(state: Seen, t: Row):
        if threading.get_ident() not in seen:
            seen.add(threading.get_ident())
            both.wait(20)
        yield t.key
    items = [Row(0, f"k{i}", 0) for i in range(40)]
    stream = ab.from_iterable(items, Row).apply(met)
    found = multicore_outputs(stream.graph(), workers=2, slice_size=40)
    assert [key for _, key in found] == [item.key for item in items]
