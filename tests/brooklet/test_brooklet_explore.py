"""Sets of final outputs: non-determinism is found, determinism is one outcome."""

from __future__ import annotations

from collections import deque
from pathlib import Path

import pytest

from anabranch.core.errors import UsageError
from anabranch.ir.function import Function
from anabranch.ir.operators import Apply, Barrier, Filter, Union
from anabranch.ir.records import State
from anabranch.ir.text import parse
from anabranch.lang.river import load
from brooklet.market import INPUTS, SelectIBM, market_maker
from oracles.brooklet import equivalent, explore, lower
from oracles.brooklet.canonical import canonical

EXAMPLE = Path(__file__).parents[2] / "examples" / "market_maker.river"
SALE = (1, "IBM", 119)
OUTCOMES = {(), (SALE,), (SALE, (2, "IBM", 119))}


@pytest.mark.parametrize("schedules", [50, "all"])
def test_the_market_maker_has_three_outcomes(schedules):
    finals = explore(market_maker(), INPUTS, schedules)
    assert {f.outputs["result"] for f in finals} == OUTCOMES
    [paper] = [f for f in finals if f.outputs["result"] == (SALE,)]
    assert paper.variables == {"$lastAsk": ("IBM", 119), "$cnt": 1}


def test_the_example_gives_the_papers_result():
    graph = load(EXAMPLE, {})
    quote = type(graph.variables[0].initial())
    inputs = {name: [quote(0.0, *values) for values in items] for name, items in INPUTS.items()}
    finals = explore(lower(graph), inputs, "all")
    assert {f.outputs["result"] for f in finals} == OUTCOMES


def test_configurations_that_differ_in_a_variable_alone_are_both_followed():
    def Note(item, port, seen):
        return [], [(*seen, item)]

    def Tell(item, port, seen):
        return [[seen]], []
    text = """input a, b, c; ($seen) <- Note(a, $seen); ($seen) <- Note(b, $seen);
              (d) <- Tell(c, $seen); output d;"""
    program = lower(parse(text, {"Note": Note, "Tell": Tell}, {"seen": ()}))
    finals = explore(program, {"a": "a", "b": "b", "c": "c"}, "all")
    assert {"".join(f.outputs["d"][0]) for f in finals} == {"", "a", "b", "ab", "ba"}


def Same(item, port):
    return [[item]], []


def Sum(item, port, total):
    return [[total + item]], [total + item]


PIPELINE = "input a; (b) <- Same(a); (c, $sum) <- Sum(b, $sum); output c;"


def pipeline(text: str = PIPELINE, **functions):
    return lower(parse(text, {"Same": Same, "Sum": Sum, **functions}, {"sum": 0}))


@pytest.mark.parametrize("schedules", [30, "all"])
def test_a_pipeline_has_one_outcome(schedules):
    [final] = explore(pipeline(), {"a": [1, 2, 3]}, schedules)
    assert final.outputs == {"c": (1, 3, 6)} and final.variables == {"$sum": 6}


def test_all_interleavings_of_an_arrival_union_are_found():
    program = pipeline("input a; input b; (c) <- both(a, b); output c;", both=Union(2))
    finals = explore(program, {"a": [1, 2], "b": ["x", "y"]}, "all")
    assert len(finals) == 6
    many = explore(program, {"a": [1, 2], "b": ["x", "y"]}, 200)
    assert {f.outputs["c"] for f in many} == {f.outputs["c"] for f in finals}


def test_a_barrier_makes_interleaving_invisible():
    pairs = Barrier(2, Function(lambda a, b: (a, b), "pair"))
    program = pipeline("input a; input b; (c) <- pairs(a, b); output c;", pairs=pairs)
    [final] = explore(program, {"a": [1, 2], "b": ["x", "y"]}, "all")
    assert final.outputs == {"c": ((1, "x"), (2, "y"))}


class Held(State):
    items: list = []


def hold(state, item):
    state.items.append(item)
    return []


def release(state):
    return [tuple(state.items)]


@pytest.mark.parametrize("schedules", [20, "all"])
def test_what_is_emitted_at_the_end_runs_through_the_rest(schedules):
    held = Apply(Function(hold, "hold"), Held, (), Function(release, "release"))
    text = "input a; (b) <- held(a); (c) <- held2(b); (d) <- Same(c); output d;"
    program = pipeline(text, held=held, held2=held)
    [final] = explore(program, {"a": [1, 2]}, schedules)
    assert final.outputs == {"d": (((1, 2),),)}


def test_loops_run_to_their_end():
    def Down(item, port):
        return [[item], [item - 1] if item else []], []
    text = "input a; (b) <- both(a, back); (out, back) <- Down(b); output out;"
    [final] = explore(pipeline(text, both=Union(2), Down=Down), {"a": [3]}, "all")
    assert final.outputs == {"out": (3, 2, 1, 0)}


def test_too_many_configurations_are_refused():
    with pytest.raises(UsageError) as raised:
        explore(market_maker(), INPUTS, "all", limit=10)
    assert raised.value.what == "the program has more than 10 configurations"


def test_iterators_are_read_once_for_all_schedules():
    [final] = explore(pipeline(), {"a": iter([1, 2])}, 5)
    assert final.outputs == {"c": (1, 3)}


@pytest.mark.parametrize("schedules", [30, "all"])
def test_a_right_rewrite_is_equivalent(schedules):
    text = "input a; (c, $sum) <- Sum(a, $sum); output c;"
    assert equivalent(pipeline(), pipeline(text), {"a": [1, 2, 3]}, schedules) is None
    select = Filter(Function(lambda quote: quote[0] == "IBM", "ibm"))
    assert equivalent(market_maker(), market_maker(SelectIBM=select), INPUTS, schedules) is None


@pytest.mark.parametrize("schedules", [30, "all"])
def test_a_wrong_rewrite_is_shown(schedules):
    def Wrong(item, port, total):
        return [[total + item if total + item != 6 else 7]], [total + item]
    difference = equivalent(pipeline(), pipeline(Sum=Wrong), {"a": [1, 2, 3, 4]}, schedules)
    assert difference.place() == ("c", 2)
    assert str(difference) == (
        "only the first program can give this: item 3 of 'c' is 6\n"
        "the closest that the second program gives: item 3 of 'c' is 7")


def test_a_lost_outcome_and_a_new_one_are_shown():
    def Blind(ask, port):
        return [], [("IBM", float("inf"))]
    difference = equivalent(market_maker(), market_maker(Window=Blind), INPUTS, "all")
    assert (difference.only_in, difference.place()) == ("first", ("result", 0))
    difference = equivalent(market_maker(Window=Blind), market_maker(), INPUTS, "all")
    assert difference.only_in == "second"
    assert str(difference).endswith("gives: item 1 of 'result' is not there")


def test_a_missing_sink_is_a_difference():
    text = "input a; (b) <- Same(a); (c, $sum) <- Sum(b, $sum); output c as d;"
    assert "there is no such sink" in str(equivalent(pipeline(), pipeline(text), {"a": [1]}, 5))


def test_outcomes_with_items_that_have_no_hash_are_compared():
    listed = pipeline("input a; (b) <- Listed(a); output b;",
                      Listed=lambda item, port: ([[{"x": [item]}]], []))
    [final] = explore(listed, {"a": [1]}, 10)
    assert final.outputs == {"b": ({"x": [1]},)}


class Plain:
    def __init__(self, value):
        self.value = value


@pytest.mark.parametrize("one, other, same", [
    (Plain([1]), Plain([1]), True), (Plain(1), Plain(2), False), (0.0, -0.0, False),
    (1, True, False), (float("nan"), float("nan"), True), ([1], (1,), False),
    (deque([{1, 2}]), deque([{2, 1}]), True), (Held(items=[1]), Held(items=[1]), True),
    (Held(), Held(items=[1]), False), (SelectIBM, SelectIBM, True), (bytearray(b"a"),
                                                                     bytearray(b"a"), True)])
def test_canonical_forms(one, other, same):
    assert (canonical(one) == canonical(other)) is same
    assert isinstance(hash(canonical(one)), int)
