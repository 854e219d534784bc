"""The rules of the calculus, step by step, on the worked example of the paper."""

from __future__ import annotations

from math import inf

import pytest

from anabranch.core.errors import RunError, UsageError
from anabranch.ir.graph import Builder
from anabranch.ir.operators import Sink, Source, Union
from anabranch.ir.text import parse
from anabranch.ir.types import ANY
from brooklet.market import INPUTS, market_maker
from oracles.brooklet import Configuration, eligible, lower, run, start, step

EMPTY = {"bids": (), "asks": (), "ibmBids": (), "ibmAsks": (), "ibmSales": (), "result": ()}


def test_the_first_configuration():
    configuration = start(market_maker(), INPUTS)
    assert configuration.variables == {"$lastAsk": ("IBM", inf), "$cnt": 0}
    assert configuration.queues == {
        **EMPTY, "bids": tuple(INPUTS["bids"]), "asks": tuple(INPUTS["asks"])}


def test_one_firing_of_the_paper():
    program = market_maker()
    before = Configuration({"$lastAsk": ("IBM", 119), "$cnt": 0},
                           {**EMPTY, "ibmBids": (("IBM", 119), ("IBM", 124))})
    assert eligible(program, before) == ["ibmBids"]
    after = step(program, before, "ibmBids")
    assert after.variables == {"$lastAsk": ("IBM", 119), "$cnt": 0}
    assert after.queues == {
        **EMPTY, "ibmBids": (("IBM", 124),), "ibmSales": (("IBM", 119, 119),)}


def test_a_firing_updates_variables():
    program = market_maker()
    before = Configuration({"$lastAsk": ("IBM", inf), "$cnt": 0},
                           {**EMPTY, "ibmAsks": (("IBM", 119),)})
    after = step(program, before, "ibmAsks")
    assert after.variables == {"$lastAsk": ("IBM", 119), "$cnt": 0}
    assert after.queues == EMPTY


def test_an_operator_that_reads_and_writes_a_variable():
    program = market_maker()
    before = Configuration({"$lastAsk": ("IBM", 119), "$cnt": 0},
                           {**EMPTY, "ibmSales": (("IBM", 119, 119),)})
    after = step(program, before, "ibmSales")
    assert after.variables["$cnt"] == 1
    assert after.queues == {**EMPTY, "result": ((1, "IBM", 119),)}


def test_a_whole_execution_ends_with_the_papers_output():
    program, configuration = market_maker(), start(market_maker(), INPUTS)
    # The first bid is served before the ask is known, the last one after it.
    for queue in ("bids", "ibmBids", "asks", "asks", "ibmAsks", "bids", "bids", "ibmBids",
                  "ibmSales"):
        configuration = step(program, configuration, queue)
    assert eligible(program, configuration) == []
    assert configuration.variables == {"$lastAsk": ("IBM", 119), "$cnt": 1}
    assert configuration.queues == {**EMPTY, "result": ((1, "IBM", 119),)}


def test_an_output_queue_is_never_eligible():
    configuration = Configuration({}, {**EMPTY, "result": (1,)})
    assert eligible(market_maker(), configuration) == []


def test_a_step_leaves_the_old_configuration_alone():
    def Keep(item, port, seen):
        seen.append(item)
        return [[len(seen)]], [seen]
    program = lower(parse("input a; (b, $seen) <- Keep(a, $seen); output b;", {"Keep": Keep},
                          {"seen": []}))
    before = start(program, {"a": [7]})
    after = step(program, before, "a")
    assert before.variables["$seen"] == [] and after.variables["$seen"] == [7]


def test_a_queue_with_several_readers_becomes_several():
    b = Builder()
    [a] = b.add("a", Source(), (), [ANY])
    [both] = b.add("both", Union(2), [a, a], [ANY])
    b.add("one", Sink(), [both])
    b.add("two", Sink(), [both])
    b.add("all", Sink(), [a])
    program = lower(b.graph())
    assert program.inputs == {"a": ("a@1", "a@2", "a@3")}
    assert program.clauses[0].inputs == ("a@1", "a@2")
    assert program.clauses[0].outputs == (("both@1", "both@2"),)
    assert program.outputs == {"one": "both@1", "two": "both@2", "all": "a@3"}
    final = run(program, {"a": [1, 2]})
    assert sorted(final.outputs["one"]) == [1, 1, 2, 2]
    assert final.outputs["one"] == final.outputs["two"]
    assert final.outputs["all"] == (1, 2)


def test_a_seed_decides_the_schedule():
    runs = [run(market_maker(), INPUTS, seed) for seed in range(20)]
    assert runs == [run(market_maker(), INPUTS, seed) for seed in range(20)]
    assert len({r.outputs["result"] for r in runs}) > 1


@pytest.mark.parametrize("inputs, what", [
    ({"bids": []}, "no items are given for 'asks'"),
    ({"bids": [], "asks": [], "bid": []}, "no source is called 'bid'")])
def test_inputs_must_be_those_of_the_program(inputs, what):
    with pytest.raises(UsageError) as raised:
        start(market_maker(), inputs)
    assert raised.value.what == what


def test_a_function_that_raises_names_its_operator_and_the_item():
    def SelectIBM(quote, port):
        raise ValueError("no")
    with pytest.raises(RunError) as raised:
        run(market_maker(SelectIBM=SelectIBM), {"bids": [("IBM", 1)], "asks": []})
    assert raised.value.what == "SelectIBM raised ValueError while handling a tuple: no"
    assert raised.value.got == "('IBM', 1)"
