"""State, declared facts and observed order of whole graphs."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import pytest

from anabranch.analysis.effects.purity import purity
from anabranch.analysis.fact import STATELESS, UNKNOWN_STATE, Interval, StateKind
from anabranch.analysis.facts.forwarding import forwarding
from anabranch.analysis.facts.order import order
from anabranch.analysis.facts.selectivity import emits_at_end, selectivity
from anabranch.analysis.facts.state import state
from anabranch.analysis.facts.summary import analyse
from anabranch.io.python.objects import GeneratorSource
from anabranch.ir.aggregates import Sum
from anabranch.ir.ends import SourceSpec
from anabranch.ir.function import Function
from anabranch.ir.graph import Annotation, Builder, Graph, Operator, Queue, Variable
from anabranch.ir.operators import (
    Apply,
    Barrier,
    Filter,
    FlatMap,
    Kind,
    Map,
    Modelled,
    Routine,
    Sink,
    Source,
    Split,
    Union,
)
from anabranch.ir.records import State
from anabranch.ir.types import ANY, INT
from anabranch.ir.windows import AggregateWindow, Keep, Window, WindowJoin
from analysis.support import ENTRY, Balance, Out, compiled, facts, function, single

IDENTITY = function("f = lambda t: t")
COUNT = function("def f(s, t):\n    s.count += 1\n    yield t")
ROUTINE = function("def f(item, port, n):\n    return [[item]], [n + 1]")


@dataclass(frozen=True)
class Spec(SourceSpec):
    replayable: bool = False
    type: object = ANY
    time: str | None = None


def aggregate(window: Window, by=("uid",)) -> AggregateWindow:
    return AggregateWindow(window, by, (("total", Sum.of("amount")),), Out, by)


def join(keeps=None, outer=False) -> WindowJoin:
    keeps = keeps or (Keep(2), Keep(3))
    return WindowJoin(("uid",), ("name",), keeps, function("f = lambda a, b: a"), outer)


@pytest.mark.parametrize(("kind", "ports", "expected", "reason"), [
    (Map(IDENTITY), 1, "stateless", "a map sees one item at a time"),
    (Filter(IDENTITY), 1, "stateless", "a filter sees one item at a time"),
    (FlatMap(function("f = lambda t: [t]")), 1, "stateless", "a flat_map sees one item at a time"),
    (Apply(function("def f(t):\n    yield t")), 1, "stateless", "it has no state parameter"),
    (Apply(COUNT, Balance, ("uid",)), 1, "by uid", "one Balance for each value of uid"),
    (Apply(COUNT, Balance), 1, "unpartitioned",
     "one Balance is shared by all tuples: give by=..."),
    (aggregate(Window(2, 2)), 1, "by uid", "windows for each value of uid"),
    (aggregate(Window(2, 2), ()), 1, "unpartitioned", "all tuples share its windows: give by=..."),
    (join(), 2, "by uid / name", "keeps items for each value of their key"),
    (Union(2), 2, "stateless", "passes items on as they come"),
    (Union(2, "ts"), 2, "unpartitioned", "holds items back to merge them by ts"),
    (Barrier(2, function("f = lambda a, b: a")), 2, "unpartitioned",
     "pairs items by their position"),
    (Modelled(), 1, "unknown", "nothing is declared"),
    (Routine(function("def f(item, port):\n    return [[item]], []")), 1, "stateless",
     "it has no variable"),
    (Routine(ROUTINE, 1, (0,)), 1, "unpartitioned",
     "all tuples share the variable $op: declare @Keys"),
    (Map(Function.of(eval("lambda t: t"))), 1, "unknown",
     "its source cannot be found: there is no text of <string>"),
])
def test_state_of_each_kind(kind, ports, expected, reason):
    fact = facts(kind, [ENTRY] * ports).state
    assert (str(fact.value), fact.reason, fact.declared) == (expected, reason, False)


@pytest.mark.parametrize("remember", [
    "s.names = [t.name]", "s.names = s.names + [t.name]", "s.names = [*s.names, t.name][-3:]",
    "s.names = sorted(set(s.names) | {t.name})", "s.names = [x for x in s.names if x != t.name]",
    "s.names.append(t.name)", "s.by_name = {**s.by_name, t.name: [t.uid]}",
])
def test_lists_and_dicts_in_a_state_fall_apart_by_its_key(remember):
    """Texts and numbers of an item that a state keeps are not parts of the item that may change."""
    text = f"def f(s, t):\n    {remember}\n    s.by_name[t.name] = t.uid\n    yield t"
    assert str(facts(Apply(function(text), Balance, ("uid",))).state.value) == "by uid"


class Counts(State):
    kinds: dict[str, int] = {}
    lists: dict[str, list[float]] = {}
    latest: deque = deque()
    other: dict = {}


@pytest.mark.parametrize(("remember", "given"), [
    ("s.kinds[t.name] = s.kinds.get(t.name, 0) + 1", "s.kinds[t.name]"),
    ("s.other[t.name] = s.other.get(t.name, 0) + 1", "s.other[t.name]"),
    ("s.kinds[t.name] = t.uid", "max(s.kinds, key=s.kinds.get)"),
    ("s.kinds[t.name] = t.uid", "sorted(s.kinds.items())"),
    ("s.lists.setdefault(t.name, []).append(t.amount)", "max(s.lists[t.name])"),
    ("s.lists.setdefault(t.name, []).append(t.amount)", "[sum(v) for v in s.lists.values()]"),
    ("s.latest.append(t.amount)", "max(s.latest)"),
])
def test_numbers_and_texts_of_a_collection_are_given_out(remember, given):
    text = f"def f(s, t):\n    {remember}\n    yield (t.uid, {given})"
    assert str(facts(Apply(function(text), Counts, ("uid",))).state.value) == "by uid"


@pytest.mark.parametrize("given", [
    "s.lists", "s.lists[t.name]", "s.lists.get(t.name)", "max(s.lists.values())", "[s.latest] * 2",
    "max(*s.lists.values())", "dict(s.lists)", "s.lists.setdefault(t.name, [])",
])
def test_a_collection_that_changes_is_not_given_out(given):
    text = ("def f(s, t):\n    s.lists.setdefault(t.name, []).append(t.amount)\n"
            f"    s.latest.append(t.uid)\n    yield (t.uid, {given})")
    fact = facts(Apply(function(text), Counts, ("uid",))).state
    assert fact.value == UNKNOWN_STATE and "can still change" in fact.reason


def test_a_list_of_an_item_in_a_state_stays_a_part_of_the_item():
    text = "def f(s, t):\n    s.last = [t.tags]\n    s.last[0].append('seen')\n    yield t"
    assert facts(Apply(function(text), Balance, ("uid",))).state.value == UNKNOWN_STATE


def test_sources_and_sinks():
    b = Builder()
    queues = [b.add(f"s{i}", Source(spec), (), [ENTRY])[0]
              for i, spec in enumerate((None, Spec(True), Spec(False)))]
    for i, queue in enumerate(queues):
        b.add(f"out{i}", Sink(ordered=i > 0), [queue])
    found = analyse(b.graph())
    assert [str(found[f"s{i}"].state.value) for i in range(3)] == \
        ["unknown", "stateless", "unpartitioned"]
    assert [str(found[f"out{i}"].state.value) for i in range(2)] == ["stateless", "unpartitioned"]
    assert [found[f"s{i}"].ordered.value for i in range(3)] == [False, True, True]
    assert found["s1"].ordered.reason == "out1 writes in order"
    assert found["s1"].state.reason == "rows can be read from any position"


@pytest.mark.parametrize(("kind", "ports", "expected"), [
    (Map(IDENTITY), 1, "= 1"), (Filter(IDENTITY), 1, "<= 1"), (Union(2), 2, "= 1"),
    (Union(2, "ts"), 2, "unbounded"), (Barrier(2, function("f = lambda a, b: a")), 2, "<= 1"),
    (aggregate(Window(1, 1)), 1, "= 1"), (aggregate(Window(5, 5)), 1, "<= 1"),
    (aggregate(Window(5, 2)), 1, "<= 1"), (aggregate(Window(60, 60, "ts")), 1, "<= 1"),
    (aggregate(Window(60, 20, "ts")), 1, "unbounded"),
    (aggregate(Window(0.5, 0.5, "ts")), 1, "<= 1"),
    (aggregate(Window(0.1, 0.1, "ts")), 1, "unbounded"),
    (join(), 2, "<= 3"), (join((Keep(0), Keep(0)), True), 2, "<= 1"),
    (join((Keep(2), Keep(time=5, on="ts"))), 2, "unbounded"), (Modelled(), 1, "unbounded"),
    (Routine(ROUTINE, 1, (0,)), 1, "= 1"),
    (Routine(function("def f(i, p):\n    return ([[i], [i, i]], ())")), 1, "1..3"),
    (Routine(function("def f(i, p):\n    return g(i)")), 1, "unbounded"),
])
def test_selectivity_of_each_kind(kind, ports, expected):
    assert str(facts(kind, [ENTRY] * ports).selectivity.value) == expected


def test_a_split_gives_at_most_one_on_each_output():
    fact = facts(Split((IDENTITY,)), None, [ENTRY, ENTRY]).selectivity
    assert fact.value == Interval(0, 1)


def test_what_is_emitted_at_the_end():
    end = function("def f(s):\n    yield s.count")

    def ends(kind: Kind) -> bool:
        return emits_at_end(Operator("op", kind))
    assert [ends(k) for k in (Apply(COUNT, Balance), Apply(COUNT, Balance, (), end), Union(2),
                              Union(2, "ts"), aggregate(Window(2, 2)),
                              aggregate(Window(2, 2, partial=False)), Map(IDENTITY))] == \
        [False, True, False, True, True, False, False]


def test_effects_make_the_state_unknown():
    fact = facts(Map(function("def f(t):\n    seen.append(t)\n    return t", {"seen": []}))).state
    assert fact.value.kind is StateKind.UNKNOWN
    assert fact.reason == "appends to the global list `seen`"
    assert (fact.span.line, fact.span.column) == (2, 4)


def reader_and(other: str) -> str:
    names = compiled(f"""
        seen, same = [], []
        same = seen
        reads = lambda t: t.uid in seen
        {other}
    """)
    b = Builder()
    [source] = b.add("source", Source(), (), [ENTRY])
    [read] = b.add("reads", Filter(Function.of(names["reads"])), [source], [ENTRY])
    [then] = b.add("then", Map(Function.of(names["f"])), [read], [ANY])
    b.add("out", Sink(), [then])
    return str(analyse(b.graph())["reads"].state.value)


def test_a_shared_object_matters_when_another_operator_changes_it():
    assert reader_and("f = lambda t: len(seen)") == "stateless"
    assert reader_and("f = lambda t: seen.append(t)") == "unknown"
    assert reader_and("f = lambda t: same.append(t)") == "unknown"
    assert reader_and("f = lambda t: nowhere(seen)") == "unknown"


def shared_graph(*annotations: Annotation) -> Graph:
    kind = Routine(ROUTINE, 1, (0,))
    ops = (Operator("in", Source(), (), ("a",)),
           Operator("one", kind, ("a",), ("b",), ("n",), ("n",), annotations),
           Operator("two", kind, ("b",), ("c",), ("n",), ("n",)), Operator("out", Sink(), ("c",)))
    return Graph(ops, (Queue("a"), Queue("b"), Queue("c")), (Variable("n", int),))


def test_a_shared_variable_cannot_be_partitioned():
    for graph in (shared_graph(), shared_graph(Annotation("Keys", ("uid",)))):
        fact = analyse(graph)["one"].state
        assert (str(fact.value), fact.reason) == \
            ("unpartitioned", "shares the variable n with two")


def declared(*annotations: Annotation, kind: Kind = Modelled(), ports: int = 1):  # noqa: B008
    return facts(kind, [ENTRY] * ports, None, annotations)


@pytest.mark.parametrize(("annotation", "expected"), [
    (Annotation("Stateless"), "stateless"), (Annotation("Unpartitioned"), "unpartitioned"),
    (Annotation("Keys", ("uid", "name")), "by uid, name"),
])
def test_declared_state(annotation, expected):
    fact = declared(annotation).state
    assert (str(fact.value), fact.reason, fact.declared) == (expected, "declared", True)


def test_declared_keys_count_for_every_port():
    fact = declared(Annotation("Keys", ("uid",)), ports=2).state
    assert fact.value.keys == (("uid",), ("uid",))


def test_declared_selectivity_forwarding_and_purity():
    found = declared(Annotation("Selectivity", (0, None)), Annotation("Pure"),
                     Annotation("Forwards", ("uid", "total=amount")))
    assert (found.selectivity.value, found.selectivity.declared) == (Interval(0, None), True)
    assert str(found.forwarding[0].value) == "uid, total=amount"
    assert found.forwarding[0].declared
    assert found.purity.declared
    assert declared(Annotation("Selectivity", ("1", "*"))).selectivity.value == Interval(1, None)


def test_a_declared_pure_function_leaves_the_state_to_its_kind():
    noisy = Map(function("f = lambda t: print(t) or t"))
    assert str(facts(noisy).state.value) == "unknown"
    assert str(declared(Annotation("Pure"), kind=noisy).state.value) == "stateless"


def test_a_keyed_source():
    b = Builder()
    [source] = b.add("source", Source(), (), [ENTRY], [Annotation("Keys", ("uid",))])
    b.add("out", Sink(), [source])
    assert analyse(b.graph())["source"].state.value.keys == (("uid",),)


def chain(*kinds: Kind, ordered: bool = False, notes: dict | None = None):
    b = Builder()
    [queue] = b.add("source", Source(), (), [ENTRY])
    for i, kind in enumerate(kinds):
        [queue] = b.add(f"op{i}", kind, [queue], [ENTRY], (notes or {}).get(i, ()))
    b.add("out", Sink(ordered=ordered), [queue])
    return {name: f.ordered for name, f in analyse(b.graph()).items()}


def test_order_is_observed_by_state_and_by_ordered_sinks():
    plain, stateful = Map(IDENTITY), Apply(COUNT, Balance, ("uid",))
    assert not chain(plain, plain)["source"].value
    found = chain(plain, plain, ordered=True)
    assert (found["source"].value, found["source"].reason) == (True, "out writes in order")
    found = chain(plain, stateful, plain)
    assert [found[n].value for n in ("source", "op0", "op1", "op2")] == [True, True, False, False]
    assert found["op0"].reason == "op1 has state that depends on the order"


def test_a_commutative_operator_does_not_observe_order():
    stateful, notes = Apply(COUNT, Balance, ("uid",)), {0: (Annotation("Commutative"),)}
    assert not chain(stateful, notes=notes)["source"].value
    assert chain(stateful, ordered=True, notes=notes)["source"].reason == "out writes in order"


def test_only_what_is_sorted_at_the_end_hides_the_order_before():
    silent = function("def f(s, t):\n    s.count += 1\n    return ()")
    rest = function("f = lambda s: [s.count]")
    gathered, keyed = Apply(silent, Balance, (), rest), Apply(silent, Balance, ("uid",), rest)
    is_sorted = {0: (Annotation("Commutative", ("sorted",)),)}
    assert not chain(gathered, ordered=True, notes=is_sorted)["source"].value
    for kind, note in ((keyed, "sorted"), (gathered, None), (Apply(COUNT, Balance, (), rest),
                                                            "sorted")):
        notes = {0: (Annotation("Commutative", (note,) if note else ()),)}
        assert chain(kind, ordered=True, notes=notes)["source"].reason == "out writes in order"


def test_an_operator_of_unknown_state_observes_order():
    found = chain(Map(function("f = lambda t: print(t)")))
    assert found["source"].reason.startswith("op0 may depend on the order: calls `print`")


def test_facts_one_by_one_agree_with_all_at_once():
    graph = single(Apply(COUNT, Balance, ("uid",)))
    found, op = analyse(graph), graph["op"]
    states = {name: f.state for name, f in found.items()}
    assert (state(graph, op), selectivity(graph, op), forwarding(graph, op), purity(graph, op),
            order(graph, op, states)) == (
        found["op"].state, found["op"].selectivity, found["op"].forwarding, found["op"].purity,
        found["op"].ordered)


def test_an_unknown_kind_fails_by_name():
    class Strange(Kind):
        label = "strange"
    with pytest.raises(TypeError, match=r"op: .* strange"):
        facts(Strange())


def test_a_generator_that_is_not_a_function_of_the_position_cannot_be_read_in_parallel():
    names = compiled("import random\nsteady = lambda i: i * 2\nloose = lambda i: random.random()")
    found = {}
    for name in ("steady", "loose"):
        b = Builder()
        [queue] = b.add("source", Source(GeneratorSource(names[name], 3, INT)), (), [INT])
        b.add("out", Sink(), [queue])
        found[name] = analyse(b.graph())["source"].state
    assert found["steady"].value is STATELESS
    assert found["loose"].value is UNKNOWN_STATE
    assert "random" in found["loose"].reason
