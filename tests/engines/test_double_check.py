"""Operators that remember what no analysis can see: the first rows of a run find them out."""

from __future__ import annotations

import ctypes
import gc
import itertools
import weakref
from collections import deque
from functools import partial

import pytest

import anabranch as ab
from anabranch.batch.likeness import Uncopied, alike, copied
from anabranch.batch.slices import Flow
from anabranch.compile import compile_graph
from anabranch.core.errors import RunError
from anabranch.ir.function import Function
from anabranch.ir.graph import Operator
from anabranch.ir.operators import Map
from anabranch.runtime.stage import rows as line_steps
from anabranch.runtime.stage.double_check import MOST, Doubts, FirstItems
from anabranch.runtime.stage.rows import LineStep


class Row(ab.Record):
    key: int
    value: int


class Count(ab.State):
    n: int = 0


class Buried:
    """Its only trace is what happens when it is gone."""

    gone = 0

    def __del__(self):
        Buried.gone += 1


ROWS = [Row(n % 3, n) for n in range(100)]
LIST_APPEND = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.py_object)(
    ("PyList_Append", ctypes.pythonapi))


def counter(tmp_path):
    numbers = itertools.count()
    return lambda row: next(numbers)


def bound_method(tmp_path):
    numbers = itertools.count().__next__
    return lambda row: numbers()


def at_c_level(tmp_path):
    seen: list = []
    return lambda row: (LIST_APPEND(seen, row.value), len(seen))[1]


def raw_memory(tmp_path):
    cell = (ctypes.c_long * 1)()

    def count(row):
        place = ctypes.c_long.from_address(ctypes.addressof(cell))
        place.value += 1
        return place.value
    return count


def in_a_finalizer(tmp_path):
    def count(row):
        Buried()
        return Buried.gone
    return count


def among_all_objects(tmp_path):
    class Kept:
        pass
    alive = deque()

    def count(row):
        alive.append(Kept())
        return sum(isinstance(thing, Kept) for thing in gc.get_referents(alive))
    return count


def in_a_weak_reference(tmp_path):
    class Kept:
        def __init__(self):
            self.n = 0
    held = Kept()
    keep, found = [held], weakref.ref(held)

    def count(row):
        found().n += len(keep)
        return found().n
    return count


def on_the_disk(tmp_path):
    file = tmp_path / "counter"

    def count(row):
        with file.open("ab") as out:
            out.write(b".")
        return file.stat().st_size
    return count


def only_new_ones(tmp_path):
    seen: set = set()

    def is_new(row):
        size = len(seen)
        partial(set.add, seen)(row.value)
        return len(seen) > size
    return is_new


def toggled(tmp_path):
    sides = itertools.cycle([True, False])
    return lambda row: next(sides)


HIDDEN = [counter, bound_method, at_c_level, raw_memory, in_a_finalizer, among_all_objects,
          in_a_weak_reference, on_the_disk, only_new_ones, toggled]


def stateless(hidden):
    @ab.operator(pure=True)
    def hides(row: Row):
        yield Row(row.key, int(hidden(row)))
    return hides


def keyed(hidden):
    @ab.operator(by="key", pure=True)
    def hides(state: Count, row: Row):
        state.n += 1
        yield Row(row.key, int(hidden(row)) + state.n)
    return hides


SETTINGS = {"rows": {"processes": "never"}, "processes": {"processes": "always"}}


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("make", [stateless, keyed], ids=["stateless", "keyed"])
@pytest.mark.parametrize("hidden", HIDDEN)
def test_hidden_state_stops_a_parallel_run(hidden, make, setting, tmp_path):
    stream = ab.from_iterable(ROWS, Row).apply(make(hidden(tmp_path)))
    with pytest.raises(RunError, match="hides gives two answers for Row"):
        stream.collect(engine="multicore", workers=2, tune=SETTINGS[setting])


def test_the_error_has_both_answers_the_operator_and_its_line(tmp_path):
    numbers = itertools.count(5)

    @ab.operator(pure=True)
    def numbered(n: int):
        yield next(numbers)
    stream = ab.from_iterable([10], int).apply(numbered)
    with pytest.raises(RunError) as failed:
        stream.collect(engine="multicore", tune={"processes": "never"})
    error = failed.value
    assert error.what == ("numbered gives two answers for 10: it remembers more than it seems to, "
                          "and would give others with other workers")
    assert error.expected == "[5], as with the tuples in their order"
    assert error.got == "[6], with the same tuples in another order"
    assert error.help == "keep what it remembers in an ab.State, or declare no pure=True"
    assert "apply(numbered)" in str(error) and "^^^^^^" in str(error)


def test_no_sink_file_appears(tmp_path):
    stream = ab.from_iterable(ROWS, Row).apply(stateless(counter(tmp_path)))
    with pytest.raises(RunError, match="two answers"):
        stream.write_csv(tmp_path / "out.csv").run(engine="multicore")
    assert not (tmp_path / "out.csv").exists()


def test_the_check_can_be_left_out(tmp_path):
    stream = ab.from_iterable(ROWS, Row).apply(stateless(counter(tmp_path)))
    assert len(stream.collect(engine="multicore", tune={"double_check": "never"})) == 100


def test_effects_are_never_run_twice():
    seen = []

    def noting(n):
        seen.append(n)
        return n
    stream = ab.from_iterable(list(range(50)), int).map(noting, to=int)
    assert stream.collect(engine="multicore") == list(range(50))
    assert seen == list(range(50))


def test_few_items_are_run_twice():
    calls = itertools.count()

    @ab.operator(pure=True)
    def counted(n: int):
        next(calls)
        yield n
    numbers = list(range(5_000))
    stream = ab.from_iterable(numbers, int).apply(counted)
    assert stream.collect(engine="multicore", tune={"processes": "never"}) == numbers
    # Slices are looked at again when others have joined them.
    assert next(calls) <= 5_000 + 4 * MOST


@pytest.mark.parametrize("items", [
    [iter([n, n + 1]) for n in range(5)], [[n] for n in range(5)], [{"n": n} for n in range(5)]],
    ids=["iterators", "lists", "dicts"])
def test_items_that_can_be_changed_or_used_up(items):
    @ab.operator(pure=True)
    def emptied(item):
        taken = list(item)
        if isinstance(item, list):
            item.clear()
        yield taken
    stream = ab.from_iterable(items, object).apply(emptied)
    expected = [[n, n + 1] if not isinstance(items[0], (list, dict)) else
                [n] if isinstance(items[0], list) else ["n"] for n in range(5)]
    assert stream.collect(engine="multicore", tune={"processes": "never"}) == expected


class Opaque:
    def __init__(self, n):
        self.n = n


class Slotted:
    __slots__ = ("n",)

    def __init__(self, n):
        self.n = n


@pytest.mark.parametrize("make", [Opaque, Slotted, lambda n: float("nan"), lambda n: iter([n]),
                                  lambda n: {n, "a", None}, lambda n: (lambda: n)])
def test_outputs_without_an_equality_are_no_evidence(make):
    stream = ab.from_iterable(list(range(20)), int).map(make, to=object)
    assert len(stream.collect(engine="multicore", tune={"processes": "never"})) == 20


def test_alike():
    assert alike(Opaque(1), Opaque(1)) and not alike(Opaque(1), Opaque(2))
    assert alike(Slotted(1), Slotted(1)) and not alike(Slotted(1), Slotted(2))
    assert not alike({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert alike({1, 2}, {2, 1}) and not alike([1], (1,))


def test_copies():
    row = Row(1, 2)
    assert copied(row) is row
    with pytest.raises(Uncopied):
        copied([iter(())])


def test_a_failure_the_second_time_is_a_difference():
    left = iter([1, 2])
    sample = FirstItems(Operator("taking", Map(Function.of(lambda n: next(left)))))
    for n in (1, 2):
        sample.add(0, n, [[next(left)]])
    found = sample.difference()
    assert repr(found.second) == "[a failure (StopIteration: )]"


def test_another_thread_may_have_settled_the_doubts(monkeypatch):
    """A stateless step is run by several threads: one sees a late slice while another is about to
    look at an early one."""
    plan = compile_graph(ab.from_iterable([], int).map(lambda n: n + 1, to=int).graph())
    doubts = Doubts(plan)
    op = next(op for op in plan.graph.operators if op.name in doubts.declared)
    step = LineStep(op, 0, [], buckets=False, doubts=doubts)
    is_early = line_steps.is_early

    def meanwhile(number):
        step.doubts = None
        return is_early(number)
    monkeypatch.setattr(line_steps, "is_early", meanwhile)
    outputs, failures = step.run(0, Flow(range(3), [1, 2, 3]))
    assert ([flow.items for flow in outputs], failures) == ([[2, 3, 4]], [])
