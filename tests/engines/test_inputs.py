"""What a Python source hands out is taken as it is at that moment, by every engine alike."""

from __future__ import annotations

import threading
from collections import deque

import numpy as np
import pytest

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.core.errors import AnabranchError
from anabranch.engine import multicore
from anabranch.engine.sequential import run as sequential
from anabranch.io.rows import BadRows
from anabranch.runtime.ends.binding import counted_items
from engines.input_cases import CASES, Box, Case, Reading

WAYS = {"sequential": {}, "threads": {"workers": 2, "processes": "never"},
        "processes": {"workers": 2, "processes": "always", "slice_size": 8}}


def collected(stream: ab.Stream, way: str) -> list:
    graph, out = stream.graph(), []
    items = counted_items(graph, BadRows(), {op.name: 0 for op in graph.sources}, None)
    if way == "sequential":
        sequential.run(graph, items, lambda op, item: out.append(item))
    else:
        multicore.run(compile_graph(graph), items, lambda op, item: out.append(item), **WAYS[way])
    return out


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_case(case: Case, way: str):
    assert collected(case.build(), way) == case.expected


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("collection", [
    lambda: [[n] for n in range(9)], lambda: tuple([n] for n in range(9)),
    lambda: {n: [n] for n in range(9)}.values(), lambda: deque([n] for n in range(9)),
    lambda: np.arange(9).reshape(9, 1)], ids=["list", "tuple", "values", "deque", "array"])
def test_an_operator_does_not_change_what_the_source_holds(collection, way):
    given = collection()
    before = repr(given)

    def add(item):
        item[0] += 1
        return int(item[0])
    stream = ab.from_iterable(given, object).map(add)
    assert collected(stream, way) == list(range(1, 10))
    assert repr(given) == before


def test_a_list_is_taken_when_the_run_begins():
    numbers = [1, 2]
    stream = ab.from_iterable(numbers, int).map(lambda n: n * 2)
    numbers.append(3)
    assert stream.collect() == [2, 4, 6]
    numbers[:] = [5]
    assert stream.collect(engine="multicore") == [10]


def test_what_cannot_be_changed_is_not_copied():
    readings = [Reading("a", 1, 0.5, (1, "x")), (1, ("a", None)), frozenset({2}), "text"]
    assert all(a is b for a, b in zip(readings, ab.from_iterable(readings, object).collect()))
    assert ab.from_iterable(iter(readings[:1]), Reading).collect()[0] is readings[0]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("items", [lambda i: i, iter], ids=["list", "iterator"])
def test_what_cannot_be_copied_is_refused(items, way):
    box = Box()
    box.inside.append(threading.Lock())
    stream = ab.from_iterable(items([1, box]), object).map(lambda b: 0)
    with pytest.raises(AnabranchError) as error:
        collected(stream, way)
    kind = "list" if items is not iter else "list_iterator"
    text = str(error.value).replace(repr(box), "BOX")
    assert text == f"""\
error: malformed row: a Box may be changed after it was handed out, and cannot be copied: cannot \
pickle '_thread.lock' object
  --> python {kind}, item 2
    |
  2 | BOX
  = expected: an item that can be copied
  = came: BOX
  = help: --on-error skip leaves such rows out, --on-error divert=PATH keeps them in a file"""


@pytest.mark.parametrize("way", WAYS)
def test_a_record_of_another_class_is_refused(way):
    class Other(ab.Record):
        place: str

    stream = ab.from_iterable([Reading("a", 1), Other("b")], Reading).map(lambda r: r.level)
    with pytest.raises(AnabranchError) as error:
        collected(stream, way)
    assert str(error.value) == """\
error: malformed row: 'level' is missing
  --> python list, item 2, level
    |
  2 | {"place": "b"}
  = expected: the fields of Reading
  = came: Other(place='b')
  = help: --on-error skip leaves such rows out, --on-error divert=PATH keeps them in a file"""


def test_attributes_beside_the_fields_do_not_travel():
    class Extra:
        pass

    class Noted(ab.Record, Extra):
        n: int

    one = Noted(1)
    one.note = []
    taken = [ab.from_iterable(items, Noted).collect()[0] for items in ([one], iter([one]))]
    assert [(type(t), t, hasattr(t, "note")) for t in taken] == [(Noted, (1,), False)] * 2
