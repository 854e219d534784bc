"""Who takes what an operator gives out, and goes on changing, sees it as it was at that moment."""

from __future__ import annotations

import pytest

import anabranch as ab
from anabranch.analysis.facts.summary import analyse
from soundness.corpus import PARALLEL


class Point(ab.Record):
    n: int
    key: int
    xs: list[int]


class Held(ab.State):
    log: list[int] = []
    counts: dict[str, int] = {}


@ab.operator(by="key")
def in_a_record(s: Held, t: Point):
    s.log.append(t.n)
    yield t.replace(xs=s.log)


@ab.operator
def alone(s: Held, t: Point):
    s.log.append(t.n)
    yield s.log


@ab.operator(by="key")
def in_a_tuple(s: Held, t: Point):
    s.counts[str(t.n % 3)] = t.n
    yield (t.n, s.counts.values())


@ab.operator(by="key")
def in_a_function(s: Held, t: Point):
    s.log.append(t.n)
    yield lambda: len(s.log)


def a_global(log: list[int]):
    def noted(t: Point):
        log.append(t.n)
        return t.replace(xs=log)
    return noted


def points() -> ab.Stream:
    return ab.from_iterable([Point(n, n * 7 % 3, []) for n in range(40)], Point)


PROGRAMS = {
    "record": lambda: points().apply(in_a_record).map(lambda t: len(t.xs)),
    "two on": lambda: points().apply(in_a_record).filter(lambda t: t.n > 3).map(
        lambda t: len(t.xs)),
    "window": lambda: points().apply(in_a_record).aggregate(
        ab.tumbling(count=3), n=ab.sum(lambda t: len(t.xs))),
    "join": lambda: points().apply(in_a_record).join(
        points(), by="key", keep=ab.recent(count=1), into=lambda a, b: (len(a.xs), b.n)),
    "state": lambda: points().apply(alone).map(lambda log: len(log)),
    "each": lambda: points().apply(alone).flat_map(lambda log: log),
    "view": lambda: points().apply(in_a_tuple, to=object).map(lambda p: sum(p[1]), to=object),
    "function": lambda: points().apply(in_a_function, to=object).map(lambda f: f(), to=object),
    "global": lambda: points().map(a_global([])).map(lambda t: len(t.xs)),
    "key": lambda: points().map(a_global([])).group_by("key").agg(n=ab.sum(lambda t: len(t.xs))),
}
"""Programs whose last operators look at what the first ones go on changing."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_seen_as_it_was(name):
    right = PROGRAMS[name]().collect()
    for workers, size in ((1, 40), (3, 7)):
        assert PROGRAMS[name]().collect(
            engine="multicore", workers=workers, tune={"slice_size": size}) == right


@pytest.mark.parametrize("name", ("record", "two on", "state", "global"))
def test_who_looks_at_it_is_not_called_parallel(name):
    facts = analyse(PROGRAMS[name]().graph())
    last = list(facts)[-2]
    assert facts[last].state.value.kind not in PARALLEL


def test_who_takes_numbers_of_it_is():
    stream = points().apply(in_a_record).map(lambda t: t.n).map(lambda n: n + 1, name="last")
    assert analyse(stream.graph())["last"].state.value.kind in PARALLEL


def test_who_takes_a_copy_of_it_is():
    @ab.operator(by="key")
    def copied(s: Held, t: Point):
        s.log.append(t.n)
        yield t.replace(xs=list(s.log))
    facts = analyse(points().apply(copied).map(lambda t: len(t.xs), name="last").graph())
    assert [facts[name].state.value.kind in PARALLEL for name in ("copied", "last")] == [True, True]


def test_a_file_has_it_as_it_was(tmp_path):
    texts = set()
    for options in ({"engine": "sequential"}, {"engine": "multicore", "workers": 1}):
        stream = points().apply(in_a_record)
        stream.write_jsonl(tmp_path / "out.jsonl")
        stream.run(**options)
        texts.add((tmp_path / "out.jsonl").read_text())
    assert len(texts) == 1
