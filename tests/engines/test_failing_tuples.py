"""The same failing tuple gives the same message on every engine, in every tier, to the letter."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

import pytest

import anabranch as ab
from anabranch.api.node import connected_sinks, graph_of
from engines.multicore.support import multicore_outcome, sequential_outcome

AT = 61


class Inner(ab.Record):
    a: int
    word: str


class Row(ab.Record):
    key: int
    n: int
    x: float
    s: str
    o: int | None
    t: datetime
    raw: bytes
    inner: Inner


class Sum(ab.State):
    total: int = 0
    words: dict[str, int] = {}


class Own(Exception):
    """An exception of the user's."""


PRICES = {"a": 1, "b": 2}


def raising(error):
    def function(t: Row):
        if t.n == AT:
            raise error(t)
        return t.n
    return function


@ab.operator(by="key")
def keyed(state: Sum, t: Row):
    state.total += t.n
    state.words[t.s] = state.words.get(t.s, 0) + 1
    yield state.total // (t.n - AT)


@ab.operator
def alone(state: Sum, t: Row):
    state.total += t.n
    yield state.total // (t.n - AT)


def several(t: Row):
    yield t.n
    yield 5 // (t.n - AT)


def asserted(t: Row):
    assert t.n != AT, f"too large: {t.n}"
    return t.n


def depth(n: int) -> int:
    return 1 + depth(n + 1)


def there(n: int) -> bool:
    return n < 0 or back(n + 1)


def back(n: int) -> bool:
    return n < 0 or there(n + 1)


FAILING = {
    "division": lambda s: s.map(lambda t: t.n // (t.n - AT)),
    "division of floats": lambda s: s.map(lambda t: 1.0 / (t.x - AT / 4)),
    "none": lambda s: s.map(lambda t: t.o + 1),
    "key": lambda s: s.map(lambda t: PRICES[t.s]),
    "number": lambda s: s.map(lambda t: len(t.s) if t.n != AT else int(t.s)),
    "index": lambda s: s.map(lambda t: t.s[200 if t.n == AT else 0]),
    "too large": lambda s: s.map(lambda t: math.exp(800.0 if t.n == AT else 1.0)),
    "infinity": lambda s: s.map(lambda t: int(math.inf if t.n == AT else t.x)),
    "text": lambda s: s.map(lambda t: t.s.encode("ascii")[0], to=int),
    "filter": lambda s: s.filter(lambda t: 10 // (t.n - AT) > 0),
    "assertion": lambda s: s.map(asserted),
    "own": lambda s: s.map(raising(lambda t: Own("ünï\ncode", t.raw)), to=int),
    "long": lambda s: s.map(raising(lambda t: ValueError("x" * 5000)), to=int),
    "object": lambda s: s.map(raising(lambda t: ValueError(type("Box", (), {})(), t.n))),
    "exit": lambda s: s.map(raising(lambda t: SystemExit(3)), to=int),
    "stop": lambda s: s.map(raising(lambda t: StopIteration("now")), to=int),
    "too deep": lambda s: s.map(lambda t: depth(0) if t.n == AT else 1),
    "there and back": lambda s: s.map(lambda t: there(0) if t.n == AT else True),
    "nested": lambda s: s.map(lambda t: t.inner.a // (t.inner.a - AT)),
    "chain": lambda s: s.map(lambda t: t.replace(n=t.n + 1)).map(lambda t: 1 // (t.n - AT)),
    "dropped behind it": lambda s: s.map(lambda t: t.replace(x=1.0 / (t.x - AT / 4))).filter(
        lambda t: t.n != AT),
    "filter behind another": lambda s: s.map(lambda t: t.replace(s="b")).filter(
        lambda t: 10 // (t.n - AT) > 0),
    "keyed": lambda s: s.apply(keyed),
    "alone": lambda s: s.apply(alone),
    "several": lambda s: s.flat_map(several, to=int),
    "window": lambda s: s.aggregate(ab.tumbling(count=4), by="key",
                                    made=ab.sum(lambda t: 7 // (t.n - AT))),
}
ENGINES = [{"workers": 1, "kernels": "never"}, {"workers": 3, "kernels": "never"},
           {"workers": 2, "kernels": "never", "processes": "always"}]


def rows(count: int, at: int = AT) -> list[Row]:
    """Rows of which the one with the number 61 stands at a place."""
    numbers = [n for n in range(count) if n != AT]
    numbers.insert(at, AT)
    return [Row(n % 5, n, n / 4, "é\u2028𝄞 " + "x" * 90 if n == AT else "a", None if n == AT else n,
                datetime(2024, 1, 1) + timedelta(seconds=n), bytes([n % 256, 255, 0]),
                Inner(n, "é" * 7)) for n in numbers]


@pytest.mark.parametrize("at", [0, 61, 299])
@pytest.mark.parametrize("name", FAILING)
def test_rows_in_every_way(name, at):
    stream = FAILING[name](ab.from_iterable(rows(300, at), Row))
    stream.collect_into([])
    graph = graph_of(connected_sinks(stream.node))
    outputs, error = sequential_outcome(graph)
    assert (error.startswith("RunError: error: ") and "  = came: Row(key=1, n=61" in error) or (
        name in ("chain", "filter behind another"))
    assert "\\xff\\x00" in error
    for knobs in ENGINES if at == AT else ENGINES[1:2]:
        assert multicore_outcome(graph, **knobs) == (outputs, error), knobs


@pytest.mark.slow
@pytest.mark.parametrize("name", ["division", "none", "keyed"])
def test_kernels(name):
    stream = FAILING[name](ab.from_iterable(rows(300), Row))
    stream.collect_into([])
    graph = graph_of(connected_sinks(stream.node))
    assert multicore_outcome(graph, workers=2, kernels="always") == sequential_outcome(graph)


class Held(ab.Record):
    n: int
    box: object


class Box:
    """Python says of it where it lies."""


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
def test_where_an_object_lies_is_not_told(engine):
    held = ab.from_iterable([Held(1, Box()), Held(0, lambda: 1)], Held)
    with pytest.raises(ab.RunError) as raised:
        held.map(lambda t: 1 // t.n if t.n else PRICES[t.box]).collect(engine=engine)
    told = str(raised.value)
    assert "  = came: Held(n=0, box=<function " in told and " at 0x" not in told
