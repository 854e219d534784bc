"""Operators that share variables fire at the same time where the sequential order is not seen."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.batch.slices import Batch
from anabranch.compile import compile_graph, load
from anabranch.core.errors import RunError
from anabranch.engine import multicore
from anabranch.engine.multicore.waves import Waves
from anabranch.engine.run import engine as engine_called
from anabranch.engine.sequential import run as sequential
from anabranch.plan.logical.plan import Plan
from anabranch.plan.physical.rounds import overlapping
from anabranch.plan.physical.stages import Stage, formed
from anabranch.runtime.stage.rounds import Rounds

NAMES = ("v", "w", "x", "y")


def planned(topology: str, functions: str) -> Plan:
    with tempfile.TemporaryDirectory() as folder:
        for suffix, text in ((".river", topology), (".py", functions)):
            Path(folder, f"shared{suffix}").write_text(text)
        return compile_graph(load(Path(folder, "shared.river")))


def line(used: list[set[str]], repeats: list[int]) -> Plan:
    """Operators in a line: each mixes its variables with what comes, and emits so many items."""
    topology, functions = ["output q0;"], ["import time", f"{' = '.join(NAMES)} = 1"]
    topology.append(f"input q{len(used)} : int;")
    for n, (names, count) in enumerate(zip(used, repeats)):
        own = sorted(names)
        given = "".join(f", ${name}" for name in own)
        topology.append(f"(q{len(used) - n - 1 if n < len(used) - 1 else 0} : int{given}) <- "
                        f"F{n}(q{len(used) - n}{given});")
        total = " + ".join(["item", *own])
        functions.append(f"""
def F{n}(item, port{''.join(f', {name}' for name in own)}):
    time.sleep(item % 3 / 5000)
    made = ({total}) % 1009
    return [[made + k for k in range({count})]], [{', '.join(f'{v} * 3 + made' for v in own)}]
""")
    return planned("\n".join(topology) + "\n", "\n".join(functions))


def in_order(plan: Plan, items: list) -> list:
    out: list = []
    sequential.run(plan.graph, {plan.graph.sources[0].name: items},
                   lambda op, item: out.append(item))
    return out


def overlapped(plan: Plan, items: list, workers: int = 3, **knobs) -> list:
    out: list = []
    multicore.run(plan, {plan.graph.sources[0].name: items}, lambda op, item: out.append(item),
                  workers=workers, **knobs)
    return out


@pytest.fixture
def always(monkeypatch):
    monkeypatch.setattr(Waves, "run", Waves.overlapped)


@pytest.mark.usefixtures("always")
def test_any_sharing_gives_what_the_sequential_engine_gives():
    @settings(deadline=None, max_examples=15)
    @given(st.lists(st.sets(st.sampled_from(NAMES), min_size=1, max_size=2), min_size=2,
                    max_size=5), st.lists(st.integers(0, 2), min_size=5, max_size=5),
           st.integers(2, 4), st.integers(1, 9))
    def check(used, repeats, workers, size):
        plan, items = line(used, repeats), list(range(20))
        assert overlapped(plan, items, workers, slice_size=size) == in_order(plan, items)
    check()


DIAMOND = """output e;
input a : int;
(b : int, c : int, $x) <- Split(a, $x);
(bb : int, $v) <- Left(b, $v);
(cc : int, $w) <- Right(c, $w);
(e : int, $v, $w, $x) <- Join(bb, cc, $v, $w, $x);
"""

BOTH_WAYS = """import time
v = w = x = 1

def Split(item, port, x):
    time.sleep(item % 2 / 2000)
    return [[item] * (item % 3), [-item, item + x]], [x + item]

def Left(item, port, v):
    time.sleep(item % 3 / 3000)
    return [[item + v]], [(v * 3 + item) % 1009]

def Right(item, port, w):
    time.sleep(item % 5 / 5000)
    return [[item + w, item - w]], [(w * 5 + item) % 1009]

def Join(item, port, v, w, x):
    return [[(port, item, v, w, x)]], [(v + item) % 1009, (w + port) % 1009, x + 1]
"""


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("workers", [2, 4])
def test_ways_that_part_and_meet_again(workers):
    plan, items = planned(DIAMOND, BOTH_WAYS), list(range(60))
    [stage] = [stage for stage in formed(plan) if len(stage.operators) > 1]
    assert {(a.name, b.name) for a, b in overlapping(plan, stage)} == {
        ("Split", "Left"), ("Split", "Right"), ("Left", "Right")}
    assert overlapped(plan, items, workers) == in_order(plan, items)


LINE = """output d;
input a : int;
(b : int, $v) <- First(a, $v);
(c : int, $v, $w) <- Second(b, $v, $w);
(d : int, $w) <- Third(c, $w);
"""

MEETING = """import threading
v = w = 0
LAST = 30
came = [threading.Event() for _ in range(LAST)]

def First(item, port, v):
    came[item].set()
    return [[item]], [v + 1]

def Second(item, port, v, w):
    return [[item + v - v]], [v, w + 1]

def Third(item, port, w):
    if item + 1 < LAST and not came[item + 1].wait(20):
        raise TimeoutError("the next round has not begun")
    return [[item + w]], [w]
"""


def shared_stage(plan: Plan) -> Stage:
    [stage] = [stage for stage in formed(plan) if len(stage.operators) == 3]
    return stage


@pytest.mark.parametrize("threads", [2, 3])
def test_the_first_of_a_line_is_a_round_ahead_of_the_last(threads):
    """The last waits until the first has begun with the next item."""
    plan = planned(LINE, MEETING)
    rounds = Rounds(plan.graph, shared_stage(plan), None, lambda: False)
    [flow], failures = Waves(rounds, threads).overlapped([Batch(range(30), list(range(30)))])
    assert not failures and list(flow.rows) == list(range(30))
    assert flow.items == [item + item + 1 for item in range(30)]


FAILING = """import time
v = w = 0

def First(item, port, v):
    if item == 14:
        raise ValueError("first fails, but later")
    return [[item]], [v + 1]

def Second(item, port, v, w):
    return [[item + v]], [v, w + 1]

def Third(item, port, w):
    time.sleep(0.002)
    if w > 13:
        raise KeyError("third fails")
    return [[item + w]], [w]
"""


@pytest.mark.usefixtures("always")
def test_the_failure_is_that_of_the_sequential_engine():
    plan = planned(LINE, FAILING)
    with pytest.raises(RunError) as expected:
        in_order(plan, list(range(40)))
    out: list = []
    with pytest.raises(RunError) as found:
        multicore.run(plan, {"a": list(range(40))}, lambda op, item: out.append(item), workers=3,
                      slice_size=20)
    assert str(found.value) == str(expected.value) and "third fails" in str(found.value)
    assert out == [item + item + 1 + item + 1 for item in range(13)]


def test_nobody_waits_for_a_turn_that_ended_in_something_unusual():
    plan = planned(LINE, FAILING.replace("ValueError", "KeyboardInterrupt"))
    rounds = Rounds(plan.graph, shared_stage(plan), None, lambda: False)
    _, [failure] = Waves(rounds, 3).overlapped([Batch(range(14, 40), list(range(14, 40)))])
    assert isinstance(failure.error, KeyboardInterrupt)


def test_rounds_that_wait_overlap_by_themselves(monkeypatch):
    seen = []
    kept = Waves.overlapped
    monkeypatch.setattr(Waves, "overlapped", lambda self, batches: seen.append(1) or kept(
        self, batches))
    waits = FAILING.replace("if w > 13", "if w > 99").replace("item == 14", "item == 99")
    plan = planned(LINE, waits)
    assert overlapped(plan, list(range(60)), slice_size=10) == in_order(plan, list(range(60)))
    assert seen
    seen.clear()
    quick = waits.replace("time.sleep(0.002)", "pass")
    monkeypatch.setattr("anabranch.engine.multicore.waves.WORTH", 10.0)
    assert overlapped(planned(LINE, quick), list(range(60)), slice_size=10) and not seen


def test_who_may_overlap_is_said():
    plan = planned(LINE, FAILING)
    pairs = overlapping(plan, shared_stage(plan))
    assert [(one.name, other.name) for one, other in pairs] == [("First", "Third")]
    assert "at the same time where they wait: First and Third" in [
        stage.arrival for stage in engine_called("multicore").execution(plan).stages]


def test_operators_that_all_share_one_variable_do_not_overlap():
    plan = line([{"v"}, {"v"}, {"v"}], [1, 1, 1])
    assert not any(overlapping(plan, stage) for stage in formed(plan))
