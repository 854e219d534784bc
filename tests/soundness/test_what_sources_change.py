"""What a source changes while it is read is not read by an operator that is called parallel."""

from __future__ import annotations

import itertools

import pytest

import anabranch as ab
from anabranch.analysis.facts.summary import analyse
from soundness.corpus import PARALLEL

SEEN = []


def noted(n):
    SEEN.append(n)
    return n


class Noting:
    def __iter__(self):
        for n in range(9):
            SEEN.append(n)
            yield n


class NotingInto:
    def __init__(self, log):
        self.log = log

    def __iter__(self):
        for n in range(9):
            self.log.append(n)
            yield n


class NotingByMethod:
    n = 0

    def __iter__(self):
        return self

    def __next__(self):
        return self.step()

    def step(self):
        SEEN.append(1)
        return 1


class CountingItself:
    n = 0

    def __iter__(self):
        for n in range(9):
            CountingItself.n += 1
            yield n


LATEST = 0


def assigning():
    global LATEST
    for n in range(9):
        LATEST = n
        yield n


def into(log):
    for n in range(9):
        log.append(n)
        yield n


def closing():
    for n in range(9):
        SEEN.append(n)
        yield n


SOURCES = {
    "generator": (closing, lambda n: len(SEEN)),
    "parameter": (lambda: into(SEEN), lambda n: len(SEEN)),
    "class": (Noting, lambda n: len(SEEN)),
    "attribute": (lambda: NotingInto(SEEN), lambda n: len(SEEN)),
    "method": (NotingByMethod, lambda n: len(SEEN)),
    "class attribute": (CountingItself, lambda n: CountingItself.n),
    "global number": (assigning, lambda n: LATEST),
    "map": (lambda: map(noted, range(9)), lambda n: len(SEEN)),
    "filter": (lambda: filter(noted, range(9)), lambda n: len(SEEN)),
    "chain": (lambda: itertools.chain(map(noted, range(9))), lambda n: len(SEEN)),
    "generator expression": (lambda: (noted(n) for n in range(9)), lambda n: len(SEEN)),
    "called until": (lambda: iter(lambda: noted(1), 9), lambda n: len(SEEN)),
}


@pytest.mark.parametrize("name", SOURCES)
def test_who_reads_it_is_not_called_parallel(name):
    source, call = SOURCES[name]
    stream = ab.from_iterable(source(), int)
    facts = analyse(stream.map(call, name="op").graph())
    assert facts["op"].state.value.kind not in PARALLEL


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("processes", ["never", "always"])
def test_who_reads_it_sees_each_moment(name, processes):
    """The source is not read ahead on several workers."""
    def seen(**options):
        SEEN.clear()
        CountingItself.n = 0
        source, call = SOURCES[name]
        return ab.from_iterable(itertools.islice(source(), 9), int).map(call).collect(**options)
    assert seen(engine="multicore", workers=3, tune={"processes": processes}) == seen()


def test_spark_refuses_what_sees_it():
    stream = ab.from_iterable(closing(), int).map(lambda n: len(SEEN))
    with pytest.raises(ab.UsageError) as told:
        stream.collect(engine="spark")
    assert "a generator that changes what an operator sees" in str(told.value)


def test_who_reads_nothing_of_it_is():
    facts = analyse(ab.from_iterable(closing(), int).map(lambda n: n + 1, name="op").graph())
    assert facts["op"].state.value.kind in PARALLEL
