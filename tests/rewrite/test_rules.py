"""Each rewrite rule: what it changes, what its guard refuses, and that the output stays."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.analysis.fact import Fact
from anabranch.analysis.facts.live_fields import attributes_read
from anabranch.core.errors import ProgramError
from anabranch.ir.function import Function
from anabranch.ir.graph import Annotation, Builder, Operator
from anabranch.ir.operators import Filter, FlatMap, Map, Routine, Sink, Source
from anabranch.ir.verify import verify
from anabranch.plan.logical import fuse as fusing
from anabranch.plan.logical.hoist import hoist
from anabranch.plan.logical.machines import machines_of
from anabranch.plan.logical.rules import RULES, rewrite
from oracles.replication.replicate import replicate
from rewrite.models import PURE, declared_facts, forwards, fuse, model, selectivity
from rewrite.programs import (
    ONE,
    STEPS,
    TYPE,
    Item,
    built,
    items,
    planned,
    programs,
    scheduled,
    sequentially,
    step,
)

GIVEN = [Item(n % 3, n % 2, n) for n in range(9)]
fusions = st.text("aab.", min_size=5, max_size=5)


def names(graph):
    return [op.name for op in graph]


def line(*steps):
    """A source, these steps as operators o1, o2, ..., and a sink."""
    builder = Builder()
    [queue] = builder.add("source", Source(), (), [TYPE])
    for number, one in enumerate(steps, 1):
        queue = one(builder, f"o{number}", queue)
    builder.add("sink", Sink(), [queue])
    return builder.graph()


def hoisted(*steps):
    graph = line(*steps)
    return hoist(graph, declared_facts(graph))


def predicate(text):
    return step(Filter(Function.from_source(text, {})), selectivity(0, 1))


@settings(max_examples=60, deadline=None)
@given(programs(), items, fusions, st.sets(st.sampled_from(RULES)))
def test_any_subset_of_the_rules_preserves_the_output(names, given, letters, chosen):
    graph = built(names, letters)
    rules = tuple(rule for rule in RULES if rule in chosen)
    assert sequentially(verify(rewrite(graph, declared_facts, rules)), given) == sequentially(
        graph, given)


@settings(max_examples=60, deadline=None)
@given(programs(sorted(STEPS.keys() - {"second_source"})), items, fusions, st.integers(1, 3),
       st.integers(0, 1000))
def test_a_rewritten_graph_is_replicated_with_the_same_output(names, given, letters, degree, seed):
    graph = built(names, letters)
    expanded = replicate(planned(rewrite(graph, declared_facts)), degree, 2)
    assert scheduled(expanded, given, seed) == sequentially(graph, given)


def test_a_filter_goes_before_an_operator_that_leaves_its_attributes_alone():
    assert names(hoisted(STEPS["double"], STEPS["add_one"], predicate("lambda t: t.k < 2"))) == [
        "source", "o3", "o1", "o2", "sink"]


@pytest.mark.parametrize(("before", "text"), [
    ("add_one", "lambda t: t.v > 3"),       # v is changed
    ("swap", "lambda t: t.k > 0"),          # k has another name before
    ("add_one", "lambda t: sum(t) > 3"),    # looks at the whole item
    ("repeat", "lambda t: t.k > 0"),        # may give nothing: the predicate would see new tuples
    ("running_k", "lambda t: t.k > 0"),     # has state
])
def test_a_filter_stays(before, text):
    assert names(hoisted(STEPS[before], predicate(text))) == ["source", "o1", "o2", "sink"]


def test_a_filter_stays_behind_an_operator_with_effects():
    noisy = step(Map(Function.of(print)), ONE, forwards("k"))
    assert names(hoisted(lambda b, name, q: model(
        b, name, [q], ONE, forwards("k"), kind=noisy.kind)[0],
        predicate("lambda t: t.k > 0"))) == ["source", "o1", "o2", "sink"]


@pytest.mark.parametrize("which", [0, 1])
def test_a_filter_stays_where_one_of_the_two_may_fail(which):
    steps = [STEPS["add_one"], predicate("lambda t: t.k < 2")]
    graph = line(*steps)
    known = declared_facts(graph)
    known[f"o{which + 1}"] = replace(known[f"o{which + 1}"], total=Fact(False, "it divides"))
    assert hoist(graph, known) == graph


def test_a_filter_stays_when_others_read_what_it_reads():
    graph = line(STEPS["add_one"], STEPS["tap"], predicate("lambda t: t.k > 0"))
    assert hoist(graph, declared_facts(graph)) == graph


def test_attributes_read():
    def of(text):
        return attributes_read(Function.from_source(text, {}))
    assert of("lambda t: t.a.b + len(t.c)") == {"a", "c"}
    assert of("lambda t: True") == frozenset()
    assert of("lambda t: [u.a for u in [t]]") is None
    assert attributes_read(Function.of(len)) is None


def fused(graph):
    return fusing.fuse(graph, declared_facts(graph))


def test_a_pipeline_becomes_one_operator_that_keeps_all_variables():
    graph = built(["odd", "running_k", "windows_l"], ".aa")
    result = fused(graph)
    whole = result["running_k_1+windows_l_2"]
    assert names(result) == ["source", "odd_0", whole.name, "sink"]
    assert whole.variables == ("$running_k_1", "$windows_l_2")
    assert sequentially(result, GIVEN) == sequentially(graph, GIVEN)


def test_what_is_known_of_the_parts_is_known_of_the_whole():
    known = fused(built(["swap", "running_k"], "aa")).operators[1].kind.known
    assert [str(known.state.value), str(known.selectivity.value),
            str(known.forwarding[0].value), known.purity.value] == ["by l", "= 1", "k=l, l=k", ()]
    known = fused(built(["running_k", "running_l"], "aa")).operators[1].kind.known
    assert str(known.state.value) == "unpartitioned"


@pytest.mark.parametrize(("steps", "letters"), [
    (["odd", "swap", "odd"], "a.a"),                # something stands between
    (["odd", "tap", "swap"], "a.a"),                # a side exit
    (["odd"], "a"),
])
def test_what_is_no_pipeline_is_not_fused(steps, letters):
    graph = built(steps, letters)
    assert fused(graph) == graph


def test_two_operators_with_effects_are_not_fused():
    """Apart, each does all its work on a source tuple before the next; fused, they take turns."""
    builder = Builder()
    [queue] = model(builder, "source")
    for name in ("o1", "o2"):
        [queue] = model(builder, name, [queue], ONE, fuse("a"), kind=Map(Function.of(print)))
    builder.add("sink", Sink(), [queue])
    assert fused(builder.graph()) == builder.graph()


def test_the_order_of_last_outputs_forbids_a_fusion():
    """Between the two parts an unrelated operator emits at the end; a union sees in which order."""
    builder = Builder()
    [queue] = builder.add("source", Source(), (), [TYPE])
    last = STEPS["at_end"]
    parts = type(last)(last.kind, (*last.annotations, fuse("a")))
    first = parts(builder, "first", queue)
    other = last(builder, "other", queue)
    second = parts(builder, "second", first)
    graph_queue = STEPS["odd"](builder, "odd", second)
    builder.add("one", Sink(), [graph_queue])
    builder.add("two", Sink(), [other])
    assert fused(builder.graph()) == builder.graph()


def test_place_keeps_groups_and_shared_variables_together():
    routine = Routine(Function.of(print), 1, (0,))
    graph = built(["odd", "swap", "add_one", "double"], "..ff")
    at = {"odd_0": "$v", "swap_1": "$v"}
    graph = graph.with_operators(
        Operator(op.name, routine, op.inputs, op.outputs, (at[op.name],), (at[op.name],),
                 (Annotation("Group", ("east",)),) if op.name == "odd_0" else ())
        if op.name in at else op for op in graph)
    assert machines_of(graph) == {"odd_0": "east", "swap_1": "east", "add_one_2": "add_one_2",
                            "double_3": "add_one_2"}


def test_place_refuses_to_part_operators_that_share_a_variable():
    graph = built(["odd", "swap"])
    graph = graph.with_operators(
        Operator(op.name, op.kind, op.inputs, op.outputs, ("$v",), ("$v",),
                 (Annotation("Group", (op.name,)),)) if op.name in ("odd_0", "swap_1") else op
        for op in graph)
    with pytest.raises(ProgramError) as error:
        machines_of(graph)
    assert error.value.what == "odd_0 and swap_1 share the variable $v but are placed apart"
    assert error.value.expected == "@Group(odd_0), as odd_0 has"


def test_rules_run_in_order_on_fresh_facts():
    seen = []

    def analyse(graph):
        seen.append(names(graph))
        return declared_facts(graph)
    graph = line(STEPS["double"], predicate("lambda t: t.k > 0"))
    assert names(rewrite(graph, analyse)) == ["source", "o2", "o1", "sink"]
    assert seen == [["source", "o1", "o2", "sink"], ["source", "o2", "o1", "sink"]]


def test_a_flat_map_is_passed_by_its_filter_once_per_input():
    """Two outputs each: the predicate is asked once instead of twice, with the same answer."""
    asked = []

    def keep(t):
        asked.append(t.k)
        return t.k > 0
    watched = step(Filter(Function.of(keep)), selectivity(0, 1))
    graph = line(STEPS["double"], watched)
    before = sequentially(graph, GIVEN)
    twice = len(asked)
    after = sequentially(hoist(graph, declared_facts(graph)), GIVEN)
    assert isinstance(graph["o1"].kind, FlatMap)
    assert after == before
    assert len(asked) == twice + twice // 2
    assert PURE in watched.annotations
