"""Functions that meet outside of the graph see what the sequential engine lets them see."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import pytest

import anabranch as ab
from anabranch.compile import compile_graph, load
from anabranch.engine import multicore
from anabranch.engine.sequential import run as sequential
from anabranch.plan.physical.rounds import overlapping
from anabranch.plan.physical.stages import Sharing, formed
from engines.multicore.support import items_of, multicore_outputs, sequential_outputs

ROWS = 60
KNOBS = [{"workers": 1}, {"workers": 2}, {"workers": 3, "slice_size": 7, "processes": "always"}]


class Row(ab.Record):
    i: int
    k: int


def rows() -> ab.Stream:
    return ab.from_iterable([Row(i, i % 5) for i in range(ROWS)], Row)


def through_a_list() -> ab.Stream:
    seen = []

    def note(t: Row):
        seen.append(t.i)
        return t
    return rows().map(note).map(lambda t: (t.i, len(seen)))


def through_a_dict_with_others_between() -> ab.Stream:
    latest = {}

    def note(t: Row):
        latest[t.k] = t.i
        return t
    between = rows().map(note).map(lambda t: Row(t.i + 1, t.k)).filter(lambda t: t.i % 7 != 0)
    return between.map(lambda t: (t.i, latest.get((t.k + 1) % 5, -1)))


def through_random_numbers() -> ab.Stream:
    random.seed(7)
    return rows().map(lambda t: Row(random.randrange(100), t.k)).map(
        lambda t: (t.i, random.random()))


def through_items() -> ab.Stream:
    def grown(items: list):
        items.append(1)
        time.sleep(0)
        return items
    lists = rows().map(lambda t: [t.i])
    lists.map(grown).collect_into([], name="grown")
    return lists.map(lambda items: list(items))


def through_new_names() -> ab.Stream:
    def renamed(t: Row):
        exec("random.seed(t.i)", {"random": random, "t": t})
        return t
    return rows().map(renamed).map(lambda t: random.random())


@pytest.mark.parametrize("knobs", KNOBS)
@pytest.mark.parametrize("others", [0, 2])
def test_what_a_callback_changes_is_found_changed(others, knobs):
    def found(run) -> tuple[list, list]:
        seen, given = [], []

        def noted(t: Row):
            seen.append(t.k)
            given.append(t.i)
        stream = rows()
        for number in range(others):
            stream.map(lambda t: t.i).collect_into([], name=f"other {number}")
        stream.filter(lambda t: t.k not in seen).map(lambda t: Row(t.i, t.k)).for_each(noted)
        return run(stream.graph(), noted), given

    def sequentially(graph, noted):
        out = []
        sequential.run(graph, items_of(graph), emitting(out, noted))
        return out

    def on_several(graph, noted):
        out = []
        multicore.run(compile_graph(graph), items_of(graph), emitting(out, noted), **knobs)
        return out
    assert found(on_several) == found(sequentially)


def emitting(out: list, noted: Callable[[Row], None]) -> Callable:
    """Gives the items of the sink with a callback to that, and notes the others down."""
    def emit(op, item):
        if op.name == "noted":
            noted(item)
        else:
            out.append((op.name, item))
    return emit


@pytest.mark.parametrize("knobs", KNOBS)
@pytest.mark.parametrize("program", [
    through_a_list, through_a_dict_with_others_between, through_random_numbers, through_items,
    through_new_names])
def test_what_one_changes_the_other_finds_changed(program: Callable[[], ab.Stream], knobs):
    expected = sequential_outputs(program().graph())
    assert multicore_outputs(program().graph(), **knobs) == expected


def test_those_that_meet_nowhere_stay_apart():
    ours, theirs = [], []

    def note(t: Row):
        ours.append(t.i)
        return t

    def note_too(t: Row):
        theirs.append(t.i)
        return t
    plan = compile_graph(rows().map(note).filter(lambda t: t.i > 3).map(note_too).graph())
    assert [stage.sharing for stage in formed(plan)].count(Sharing.TOGETHER) == 1


def test_those_that_meet_never_fire_at_once():
    plan = compile_graph(through_a_dict_with_others_between().graph())
    assert not any(overlapping(plan, stage) for stage in formed(plan))


RIVER = """output d;
input a : int;
(b : int, $v) <- First(a, $v);
(c : int, $v, $w) <- Second(b, $v, $w);
(d : int, $w) <- Third(c, $w);
"""

LISTING = """v = w = 0
seen = []

def First(item, port, v):
    seen.append(item)
    return [[item]], [v + 1]

def Second(item, port, v, w):
    return [[item]], [v, w + 1]

def Third(item, port, w):
    return [[len(seen)]], [w]
"""


@pytest.mark.parametrize("text, meet", [
    (LISTING, True), (LISTING.replace("seen.append(item)", "item += len(seen)"), False)])
def test_those_that_share_variables_too_take_turns_where_they_meet(tmp_path, text, meet):
    (tmp_path / "listing.river").write_text(RIVER)
    (tmp_path / "listing.py").write_text(text)
    plan = compile_graph(load(tmp_path / "listing.river"))
    assert meet != any(overlapping(plan, stage) for stage in formed(plan))
