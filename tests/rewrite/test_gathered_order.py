"""Where all is gathered and sorted at the end, no order is kept before; elsewhere it is."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.analysis.facts.summary import analyse
from anabranch.ir.function import Function
from anabranch.ir.graph import Annotation, Builder, Graph
from anabranch.ir.operators import Apply, Sink, Source
from anabranch.ir.records import State
from anabranch.plan.logical.plan import Ordering, Plan
from anabranch.plan.logical.regions import form
from anabranch.plan.logical.safety import ALL
from oracles.replication.replicate import replicate
from rewrite.programs import STEPS, TYPE, Item, items, scheduled, sequentially


class Sum(State):
    key: int = 0
    total: int = 0


class Kept(State):
    all: list = []


def added(state: Sum, t):
    state.key, state.total = t.l, state.total + t.v
    yield from ()


def summed(state: Sum):
    yield Item(state.key, 0, state.total)


def kept(state: Kept, t):
    state.all.append(t)
    yield from ()


def in_order(state: Kept):
    yield from sorted(state.all, key=lambda t: (t.k, t.l, t.v))


def as_they_came(state: Kept):
    yield from state.all


COMMUTATIVE = Annotation("Commutative")
SORTED = Annotation("Commutative", ("sorted",))


def gathering(names: list[str], tapped: bool, at_end, claim: Annotation) -> Graph:
    """Steps, sums for each `l` at the end, and all of these gathered; maybe a sink before."""
    builder = Builder()
    [queue] = builder.add("source", Source(), (), [TYPE])
    for number, name in enumerate(names):
        queue = STEPS[name](builder, f"{name}_{number}", queue)
    if tapped:
        builder.add("tap", Sink(), [queue])
    sums = Apply(Function.of(added), Sum, ("l",), Function.of(summed))
    [queue] = builder.add("sums", sums, [queue], [TYPE], [COMMUTATIVE])
    rows = Apply(Function.of(kept), Kept, (), Function.of(at_end))
    [queue] = builder.add("rows", rows, [queue], [TYPE], [claim])
    builder.add("sink", Sink(), [queue])
    return builder.graph()


def planned(graph: Graph) -> Plan:
    return form(graph, analyse(graph), ALL)


def ordering(plan: Plan, name: str) -> Ordering:
    return next(r.ordering for r in plan.regions if name in r.operators)


before = st.lists(st.sampled_from(["odd", "add_one", "swap", "double", "running_k"]), max_size=3)


@settings(max_examples=60, deadline=None)
@given(before, st.booleans(), items, st.integers(1, 4), st.sampled_from([1, 2]), st.integers(0, 99))
def test_what_is_sorted_at_the_end_needs_no_order_before(names, tapped, given, degree, epoch, seed):
    graph = gathering(names, tapped, in_order, SORTED)
    plan = planned(graph)
    assert ordering(plan, "sums") is Ordering.NONE
    assert scheduled(replicate(plan, degree, epoch), given, seed) == sequentially(graph, given)


@settings(max_examples=40, deadline=None)
@given(before, st.booleans(), items, st.integers(1, 4), st.integers(0, 99))
def test_what_comes_as_it_came_needs_order(names, tapped, given, degree, seed):
    graph = gathering(names, tapped, as_they_came, COMMUTATIVE)
    plan = planned(graph)
    assert ordering(plan, "sums") is not Ordering.NONE
    assert scheduled(replicate(plan, degree, 2), given, seed) == sequentially(graph, given)


def test_a_shuffle_without_order_leaves_what_is_before_it_in_order():
    plan = planned(gathering(["running_k"], True, in_order, SORTED))
    assert ordering(plan, "running_k_0") is not Ordering.NONE
    facts = analyse(plan.graph)
    assert facts["running_k_0"].ordered.reason == "tap writes in order"
    assert facts["sums"].ordered.reason == "nothing behind it can tell"
