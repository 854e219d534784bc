"""Replicated regions give the sequential sequence, on the sequential engine and any schedule."""

from dataclasses import replace

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from anabranch.analysis.fact import STATELESS
from anabranch.core.errors import UsageError
from anabranch.ir.operators import Sink
from anabranch.ir.verify import verify
from anabranch.plan.logical.plan import JointKind, Ordering, Routing
from anabranch.plan.logical.regions import form
from anabranch.plan.logical.safety import ALL, PAPER, Extensions
from anabranch.runtime.machine import Machine
from oracles.replication.fission import add, drop, fission, rotate
from oracles.replication.replicate import replicate
from rewrite.loops import looping
from rewrite.models import STATELESS_MARK, declared_facts, keys
from rewrite.programs import (
    ONE_SOURCE,
    Item,
    built,
    items,
    planned,
    programs,
    scheduled,
    sequentially,
)

degrees, epochs, seeds = st.integers(1, 4), st.sampled_from([1, 2, 5]), st.integers(0, 1000)
extensions = st.builds(Extensions, st.booleans(), st.booleans(), st.booleans())


@settings(max_examples=100, deadline=None)
@given(programs(), items, degrees, epochs, extensions)
def test_replicas_give_the_sequential_output(names, given, degree, epoch, allowed):
    graph = built(names)
    expanded = verify(replicate(planned(graph, allowed), degree, epoch))
    assert sequentially(expanded, given) == sequentially(graph, given)


@settings(max_examples=100, deadline=None)
@given(programs(ONE_SOURCE), items, degrees, epochs, seeds)
def test_replicas_give_the_sequential_output_in_any_schedule(names, given, degree, epoch, seed):
    graph = built(names)
    expanded = replicate(planned(graph), degree, epoch)
    assert scheduled(expanded, given, seed) == sequentially(graph, given)


@settings(max_examples=60, deadline=None)
@given(programs(ONE_SOURCE), items, degrees, seeds)
def test_every_step_of_fission_preserves_the_output(names, given, degree, seed):
    graph = built(names)
    plan, expected = planned(graph), sequentially(graph, given)
    added = add(plan)
    dropped = drop(plan, added)
    for unexpanded in (added, dropped, rotate(plan, dropped)):
        assert sequentially(verify(unexpanded), given) == expected
        assert scheduled(replicate(unexpanded, degree, 2), given, seed) == expected


def unordered(plan):
    """Every joint lets items go as they arrive."""
    return replace(plan, joints=tuple(replace(j, ordering=Ordering.NONE) for j in plan.joints),
                   regions=tuple(replace(r, ordering=Ordering.NONE) for r in plan.regions))


def in_turns(plan):
    """Every item goes to the next channel, whatever its key."""
    return replace(plan, joints=tuple(replace(j, routing=j.routing and Routing())
                                      for j in plan.joints))


def all_stateless(graph):
    facts = declared_facts(graph)
    wrong = {name: replace(fact, state=replace(fact.state, value=STATELESS))
             for name, fact in facts.items()}
    return form(graph, wrong, ALL)


MUTANTS = {"nothing is wrong": planned, "merge without order": lambda g: unordered(planned(g)),
           "route round-robin": lambda g: in_turns(planned(g)),
           "everything is stateless": all_stateless}


def counterexample(mutant):
    """A program, items and a schedule for which the plan of `mutant` gives another sequence."""
    linear = ("add_one", "double", "odd", "running_k", "rising", "windows_l")
    cases = st.tuples(programs(linear, most=3), items, st.integers(2, 4), seeds)

    def differs(case):
        names, given, degree, seed = case
        graph = built(names)
        expanded = replicate(mutant(graph), degree)
        return scheduled(expanded, given, seed) != sequentially(graph, given)
    return find(cases, differs, settings=settings(max_examples=300, deadline=None))


@pytest.mark.parametrize("name", [name for name in MUTANTS if name != "nothing is wrong"])
def test_the_property_catches(name):
    names, *_ = counterexample(MUTANTS[name])
    assert names


def test_the_property_holds_without_a_mutant():
    with pytest.raises(NoSuchExample):
        counterexample(MUTANTS["nothing is wrong"])


GIVEN = [Item(n % 3, n % 2, n) for n in range(9)]


def test_strategies_become_their_own_splitters_and_mergers():
    def kinds(names):
        expanded = replicate(planned(built(names), PAPER), 2)
        return [op.kind.label for op in expanded if op.name.endswith(("split", "merge"))]
    assert kinds(["add_one"]) == ["split", "round_robin_merge"]
    assert kinds(["running_k"]) == ["numbering_split", "numbered_merge"]
    assert kinds(["rising"]) == ["numbering_split", "merge_by_stamps"]


def test_a_shuffle_has_no_sequential_operator_between_its_regions():
    expanded = replicate(planned(built(["running_k", "running_l"]), PAPER), 3)
    assert [op.name for op in expanded if ".shuffle" in op.name] == [
        f"running_l_1.shuffle.{side}@{i}" for side in ("split", "merge") for i in range(3)]
    crossing = expanded["running_l_1.shuffle.merge@1"]
    assert [expanded.writer(q).name for q in crossing.inputs] == [
        f"running_l_1.shuffle.split@{i}" for i in range(3)]


def test_every_channel_has_variables_and_a_group_of_its_own():
    expanded = replicate(planned(built(["running_k"])), 2)
    replicas = [expanded[f"running_k_0@{i}"] for i in range(2)]
    assert not set(replicas[0].variables) & set(replicas[1].variables)
    assert [str(op.annotation("Group")) for op in replicas] == ["@Group(channel_0)",
                                                                "@Group(channel_1)"]


def test_all_channels_are_used():
    expanded = replicate(planned(built(["running_k"])), 3)
    machine = Machine(expanded, lambda op, item: None)
    for item in GIVEN:
        machine.push(expanded["source"], item)
    assert [len(machine.cells[f"$running_k_0@{i}"].value) for i in range(3)] == [1, 1, 1]


def test_a_loop_before_a_region_keeps_its_meaning():
    graph = looping()
    plan = planned(graph)
    assert [r.operators for r in plan.regions] == [("before",), ("after",)]
    assert sequentially(replicate(plan, 3), GIVEN) == sequentially(graph, GIVEN)


def with_ends(names, *source, ordered=True):
    """The graph with these annotations on its source, and perhaps with an unordered sink."""
    graph = built(names)
    ends = {"source": replace(graph["source"], annotations=source),
            "sink": replace(graph["sink"], kind=Sink(ordered=ordered))}
    return graph.with_operators(ends.get(op.name, op) for op in graph)


@pytest.mark.parametrize("names", [["odd"], ["running_l", "odd"], ["windows_l"], ["at_end"]])
@pytest.mark.parametrize("source", [STATELESS_MARK, keys("k")])
def test_a_parallel_source_keeps_the_order(names, source):
    graph = with_ends(names, source)
    plan = planned(graph)
    assert plan.joints[0].kind is JointKind.PARALLEL_SOURCE
    for unexpanded in (add(plan), fission(plan)):
        assert scheduled(replicate(unexpanded, 3, 2), GIVEN, 1) == sequentially(graph, GIVEN)


@pytest.mark.parametrize("names", [["odd"], ["running_l", "odd"], ["windows_l"]])
def test_an_unordered_sink_gets_the_same_items(names):
    graph = with_ends(names, STATELESS_MARK, ordered=False)
    plan = planned(graph)
    assert plan.joints[-1].kind is JointKind.PARALLEL_SINK
    for unexpanded in (add(plan), fission(plan)):
        got = scheduled(replicate(unexpanded, 3), GIVEN, 1)["sink"]
        assert sorted(got) == sorted(sequentially(graph, GIVEN)["sink"])


def test_an_unexpanded_graph_runs_as_it_is():
    graph = built(["running_k", "running_l", "odd"])
    assert sequentially(fission(planned(graph)), GIVEN) == sequentially(graph, GIVEN)


def test_a_region_needs_a_channel():
    with pytest.raises(UsageError, match="at least one channel"):
        replicate(planned(built(["odd"])), 0)
