"""Properties of random programs, and mutants that these properties must catch."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anabranch.analysis.fact import EXACTLY_ONE, STATELESS, Fact, Forwarding
from anabranch.analysis.facts.summary import Findings, analyse
from anabranch.check import check
from anabranch.compile import compile_graph
from anabranch.engine import multicore
from anabranch.ir.text import functions_of, parse, show
from anabranch.ir.verify import verify
from anabranch.plan.logical.regions import form
from anabranch.plan.logical.rules import RULES, rewrite, rules_named
from oracles import brooklet
from oracles.replication.replicate import replicate
from random_programs import (
    Item,
    build,
    fusions,
    graph_and_items,
    items,
    outputs,
    programs,
    with_fusions,
)

thorough = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


@thorough
@given(programs, items, fusions, st.lists(st.sampled_from(RULES), max_size=3), st.booleans())
def test_rewrites_in_any_order_preserve_the_output(steps, source, letters, chosen, processes):
    graph, sources = graph_and_items(steps, source)
    graph, expected = with_fusions(graph, letters), outputs(graph, sources)
    rules = rules_named([rule.__name__ for rule in chosen])
    assert outputs(verify(rewrite(graph, analyse, rules)), sources) == expected
    out = []
    multicore.run(compile_graph(graph, rules), sources,
                  lambda op, item: out.append((op.name, item)), workers=2, slice_size=3,
                  kernels="never", processes="always" if processes else "never")
    assert out == expected


@thorough
@given(programs, items, st.integers(1, 4), st.integers(1, 3))
def test_any_degree_of_parallelism_equals_sequential(steps, source, degree, epoch):
    graph, sources = graph_and_items(steps, source)
    # A loop sees when its items arrive, which longer epochs change.
    epoch = 1 if graph.looping else epoch
    assert outputs(replicate(compile_graph(graph), degree, epoch), sources) == \
        outputs(graph, sources)


@settings(thorough, max_examples=25)
@given(programs, items, st.integers(2, 3), st.integers(0, 5))
def test_a_linear_program_gives_the_same_under_any_schedule(steps, source, degree, seed):
    graph, sources = graph_and_items(steps, source)
    if len(graph.sources) > 1 or any(len(op.inputs) > 1 for op in graph):
        return  # the order between several inputs is the schedule's own
    expanded = replicate(compile_graph(graph), degree)
    assert _result(expanded, sources, seed) == [item for _, item in outputs(graph, sources)]


@thorough
@given(programs, items)
def test_facts_hold_for_what_was_observed(steps, source):
    graph, sources = graph_and_items(steps, source)
    assert check(graph, analyse(graph), sources) == []


@thorough
@given(programs)
def test_what_was_found_before_a_rewrite_still_holds_behind_it(steps):
    """Operators are looked at once, whatever the rules do to the graph around them."""
    graph, findings = build(steps, []).graph(), Findings()
    for rules in ((), RULES[:1], RULES):
        graph = rewrite(graph, analyse, rules)
        assert analyse(graph, findings) == analyse(graph)


@thorough
@given(programs)
def test_the_text_form_round_trips(steps):
    graph = build(steps, []).graph()
    text = show(graph)
    again = parse(text, functions_of(graph))
    assert again == graph
    assert show(again) == text


def everything_stateless(facts):
    return {name: replace(f, state=Fact(STATELESS, "mutant")) for name, f in facts.items()}


def everything_exactly_one(facts):
    return {name: replace(f, selectivity=Fact(EXACTLY_ONE, "mutant")) for name, f in facts.items()}


def everything_forwarded(facts):
    whole = Fact(Forwarding(everything=True), "mutant")
    return {name: replace(f, forwarding=tuple(whole for _ in f.forwarding))
            for name, f in facts.items()}


def nothing_ordered(facts):
    return {name: replace(f, ordered=Fact(False, "mutant")) for name, f in facts.items()}


MUTANTS = {
    # The program on which each wrong analysis must show in the output.
    everything_stateless: ["running_overall"],
    everything_exactly_one: ["running_overall", "drop", "add_one"],
    everything_forwarded: ["running_overall", "overwrite_key", "running_by_k"],
    nothing_ordered: ["odd", "repeat"],
}


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.__name__)
def test_mutant_analyses_are_caught(mutant):
    assert _survives(lambda facts: facts, MUTANTS[mutant])
    assert not _survives(mutant, MUTANTS[mutant])


def _survives(mutate, steps) -> bool:
    """Whether every degree and schedule gives the sequential output under tampered facts."""
    source = [Item(i % 4, i % 3, (i * 7) % 11) for i in range(24)]
    graph, sources = graph_and_items(steps, source)
    expected = [item for _, item in outputs(graph, sources)]
    plan = form(graph, mutate(analyse(graph)))
    return all(_result(replicate(plan, degree, 2), sources, seed) == expected
               for degree in (2, 3) for seed in range(5))


def _result(graph, sources, seed) -> list:
    final = brooklet.run(brooklet.lower(graph), sources, seed)
    return [item for sink in final.outputs.values() for item in sink]
