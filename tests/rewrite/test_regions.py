"""The regions, joints and strategies of Schneider et al., and each extension beyond them."""


import pytest

from anabranch.analysis.fact import Interval
from anabranch.ir.graph import Annotation, Builder
from anabranch.ir.operators import Modelled, Sink, Union
from anabranch.ir.types import ANY
from anabranch.ir.windows import Keep, WindowJoin
from anabranch.plan.logical.plan import JointKind, Ordering, Routing
from anabranch.plan.logical.regions import form
from anabranch.plan.logical.safety import ALL, PAPER, Extensions
from rewrite.models import STATELESS_MARK as STATELESS
from rewrite.models import declared_facts, forwards, fuse, keys, model, selectivity

ONE, AT_MOST_ONE, MANY = selectivity(1, 1), selectivity(0, 1), selectivity(0, None)
UNKNOWN = ()


def plan_of(builder, extensions=PAPER):
    graph = builder.graph()
    return form(graph, declared_facts(graph), extensions)


def chain(*operators, source=UNKNOWN):
    """A source, these operators (each a tuple of annotations) called o1, o2, ..., and a sink."""
    builder = Builder()
    [queue] = model(builder, "source", (), *source)
    for number, annotations in enumerate(operators, 1):
        [queue] = model(builder, f"o{number}", [queue], *annotations)
    builder.add("sink", Sink(), [queue])
    return builder


def operators_of(plan):
    return [region.operators for region in plan.regions]


def joints_of(plan):
    return [(j.kind.name, j.at, str(j.routing), j.ordering.name) for j in plan.joints]


def figure_5():
    """Fourteen operators; o3 and o7 are not parallelisable."""
    plain = (STATELESS, ONE, forwards("k", "l"))
    own = {"o3": (), "o7": (), "o6": (keys("k"), *plain[1:]), "o9": (keys("k"), *plain[1:]),
           "o10": (keys("k", "l"), *plain[1:]), "o11": (keys("l"), *plain[1:]),
           "o12": (keys("l"), *plain[1:], fuse("a")), "o14": (*plain, fuse("a"))}
    inputs = {"o1": [], "o2": [], "o3": ["o2"], "o4": ["o3"], "o5": ["o4"], "o6": ["o5"],
              "o7": ["o4"], "o8": ["o1", "o7"], "o9": ["o8"], "o10": ["o9"], "o11": ["o10"],
              "o12": ["o11"], "o13": ["o6", "o12"], "o14": ["o13"]}
    builder = Builder()
    for name, queues in inputs.items():
        model(builder, name, queues, *own.get(name, plain), outputs=int(name != "o14"))
    return builder


def test_figure_5():
    plan = plan_of(figure_5())
    assert operators_of(plan) == [("o1",), ("o2",), ("o5", "o6"), ("o9", "o10"), ("o11",)]
    assert [r.key for r in plan.regions] == [(), (), ("k",), ("k",), ("l",)]
    assert {name: reason.text for name, reason in plan.sequential.items()} == {
        "o3": "state is unknown: declared",
        "o4": "its output is read by 2 operators",
        "o7": "state is unknown: declared",
        "o8": "has 2 inputs",
        "o12": "must be fused with o14, which cannot be in the same region (o13 has 2 inputs)",
        "o13": "has 2 inputs",
        "o14": "must be fused with o12, which cannot be in the same region (o13 has 2 inputs)"}
    assert joints_of(plan) == [
        ("PARALLEL_SOURCE", "o1", "round-robin", "ROUND_ROBIN"),
        ("MERGE", "o1", "None", "ROUND_ROBIN"),
        ("PARALLEL_SOURCE", "o2", "round-robin", "ROUND_ROBIN"),
        ("MERGE", "o2", "None", "ROUND_ROBIN"),
        ("SPLIT", "o4", "hash(k)", "SEQNO"),
        ("MERGE", "o6", "None", "SEQNO"),
        ("SPLIT", "o8", "hash(k)", "SEQNO_PULSES"),
        ("SHUFFLE", "o10", "hash(l)", "SEQNO_PULSES"),
        ("MERGE", "o11", "None", "SEQNO_PULSES")]


def network_monitor():
    builder = Builder()
    [entries] = model(builder, "ParSrc", (), keys("server"), ONE)
    [totals] = model(builder, "Aggregate", [entries], keys("uid"), AT_MOST_ONE, forwards("uid"))
    [suspects] = model(builder, "Filter", [totals], STATELESS, AT_MOST_ONE, forwards("uid"))
    builder.add("FileSink", Sink(), [suspects])
    return builder


def test_network_monitor():
    plan = plan_of(network_monitor())
    assert operators_of(plan) == [("ParSrc",), ("Aggregate", "Filter")]
    assert joints_of(plan) == [
        ("PARALLEL_SOURCE", "ParSrc", "hash(server)", "SEQNO_PULSES"),
        ("SHUFFLE", "ParSrc", "hash(uid)", "SEQNO_PULSES"),
        ("MERGE", "Filter", "None", "SEQNO_PULSES")]
    assert list(plan.sequential) == ["FileSink"]


@pytest.mark.parametrize(("state", "count", "expected"), [
    ((STATELESS,), ONE, Ordering.ROUND_ROBIN),
    ((STATELESS,), AT_MOST_ONE, Ordering.SEQNO_PULSES),
    ((STATELESS,), MANY, None),
    ((keys("k"),), ONE, Ordering.SEQNO),
    ((keys("k"),), AT_MOST_ONE, Ordering.SEQNO_PULSES),
    ((keys("k"),), MANY, None),
    (UNKNOWN, ONE, None),
    (UNKNOWN, AT_MOST_ONE, None),
    (UNKNOWN, MANY, None)])
def test_table_1(state, count, expected):
    plan = plan_of(chain((*state, count)))
    assert [r.ordering for r in plan.regions] == ([expected] if expected else [])
    assert ("o1" in plan.sequential) == (expected is None)


def test_the_key_is_traced_through_renames():
    plan = plan_of(chain((STATELESS, ONE, forwards("user=uid", "day")),
                         (STATELESS, ONE, forwards("who=user", "day")),
                         (keys("who", "hour"), ONE)))
    assert [(r.operators, r.key) for r in plan.regions] == [(("o1", "o2", "o3"), ("uid",))]


def test_a_key_that_is_not_forwarded_begins_a_region():
    plan = plan_of(chain((STATELESS, ONE, forwards("day")), (keys("uid"), ONE)))
    assert operators_of(plan) == [("o1",), ("o2",)]
    assert plan.regions[0].ended == (
        "o2 is partitioned by uid, which the region's key does not share")
    assert [j.kind for j in plan.joints] == [JointKind.SPLIT, JointKind.SHUFFLE, JointKind.MERGE]


def test_the_region_key_is_the_intersection():
    plan = plan_of(chain((keys("a", "b"), ONE, forwards("a", "b", "c")),
                         (keys("b", "c"), ONE, forwards("a", "b", "c")), (keys("a"), ONE)))
    assert [(r.operators, r.key) for r in plan.regions] == [(("o1", "o2"), ("b",)),
                                                            (("o3",), ("a",))]


def test_a_stateless_source_cannot_route_for_an_operator_with_state():
    plan = plan_of(chain((keys("k"), ONE), source=(STATELESS,)))
    assert operators_of(plan) == [("source",), ("o1",)]
    assert joints_of(plan)[1] == ("SHUFFLE", "source", "hash(k)", "SEQNO_PULSES")


def test_a_partitioned_source_routes_for_an_operator_with_its_key():
    plan = plan_of(chain((keys("k", "l"), ONE), source=(keys("k"),)))
    assert [(r.operators, r.key) for r in plan.regions] == [(("source", "o1"), ("k",))]


def test_an_unordered_sink_ends_a_region():
    builder = Builder()
    [queue] = model(builder, "source")
    [queue] = model(builder, "o1", [queue], keys("k"), AT_MOST_ONE, Annotation("Commutative"))
    builder.add("sink", Sink(ordered=False), [queue])
    plan = plan_of(builder)
    assert operators_of(plan) == [("o1", "sink")]
    assert joints_of(plan) == [("SPLIT", "source", "hash(k)", "NONE"),
                               ("PARALLEL_SINK", "sink", "None", "NONE")]


def test_order_is_not_kept_where_nobody_observes_it():
    plan = plan_of(chain((keys("k"), ONE, Annotation("Commutative"))))
    assert [r.ordering for r in plan.regions] == [Ordering.NONE]


def test_a_chain_of_shuffles_keeps_the_strongest_order():
    """The middle region alone would need none, the first only numbers."""
    plan = plan_of(chain((keys("a"), ONE, forwards("a", "b", "c")),
                         (keys("b"), ONE, forwards("a", "b", "c"), Annotation("Commutative")),
                         (keys("c"), AT_MOST_ONE)))
    assert [r.ordering for r in plan.regions] == [Ordering.SEQNO_PULSES] * 3


def test_operators_on_a_loop_are_sequential():
    builder = Builder()
    [queue] = model(builder, "source")
    builder.place("enter", Union(2), [queue, "back"], ["enter"], [ANY], [STATELESS, ONE])
    builder.place("again", Modelled(), ["enter"], ["back"], [ANY], [STATELESS, ONE])
    [after] = model(builder, "after", ["enter"], STATELESS, ONE)
    builder.add("sink", Sink(), [after])
    plan = plan_of(builder, ALL)
    assert operators_of(plan) == [("after",)]
    assert plan.sequential["enter"].text == plan.sequential["again"].text == "part of a loop"


def test_operators_that_share_a_variable_are_sequential():
    graph = chain((STATELESS, ONE), (STATELESS, ONE)).graph()
    shared = [op if op.name not in ("o1", "o2") else type(op)(
        op.name, op.kind, op.inputs, op.outputs, ("$v",), ("$v",), op.annotations)
        for op in graph]
    graph = graph.with_operators(shared)
    plan = form(graph, declared_facts(graph), ALL)
    assert not plan.regions
    assert plan.sequential["o1"].text == "shares the variable `$v` with another operator"


def test_prolific_operators_are_parallel_by_extension():
    built = chain((STATELESS, selectivity(0, 3)), (keys("k"), MANY))
    assert not plan_of(built).regions
    assert plan_of(built).sequential["o1"].text == "selectivity is <= 3: declared"
    plan = plan_of(built, Extensions(prolific=True))
    assert [r.ordering for r in plan.regions] == [Ordering.SEQNO_PULSES] * 2
    assert plan.regions[0].selectivity == Interval(0, 3)


def joined():
    builder = Builder()
    [left] = model(builder, "left")
    [right] = model(builder, "right")
    join = WindowJoin(("id",), ("user",), (Keep(1), Keep(1)), None)
    [pairs] = model(builder, "join", [left, right], AT_MOST_ONE, kind=join)
    builder.add("sink", Sink(), [pairs])
    return builder


def test_an_operator_with_several_inputs_begins_a_region_by_extension():
    assert plan_of(joined()).sequential["join"].text == "has 2 inputs"
    plan = plan_of(joined(), Extensions(fan_in=True))
    assert [(j.at, j.port, j.routing) for j in plan.joints[:2]] == [
        ("left", 0, Routing(("id",))), ("right", 1, Routing(("user",)))]
    assert plan.regions[0].ordering is Ordering.SEQNO_PULSES
    assert plan.regions[0].key == ("id",)


def test_a_union_takes_a_key_that_all_its_inputs_forward():
    builder = Builder()
    queues = [*model(builder, "a"), *model(builder, "b")]
    [both] = model(builder, "union", queues, ONE, kind=Union(2))
    [kept] = model(builder, "state", [both], keys("k"), ONE)
    builder.add("sink", Sink(), [kept])
    plan = plan_of(builder, ALL)
    assert operators_of(plan) == [("union", "state")]
    assert [j.routing for j in plan.joints[:2]] == [Routing(("k",))] * 2


def test_an_operator_with_several_readers_ends_a_region_by_extension():
    builder = Builder()
    [queue] = model(builder, "source")
    [shared] = model(builder, "o1", [queue], keys("a"), ONE)
    [left] = model(builder, "o2", [shared], keys("b"), ONE)
    builder.add("plain", Sink(), [shared])
    builder.add("sink", Sink(), [left])
    assert plan_of(builder).sequential["o1"].text == "its output is read by 2 operators"
    plan = plan_of(builder, Extensions(fan_out=True))
    assert operators_of(plan) == [("o1",), ("o2",)]
    assert {(j.kind, j.at, j.left, j.right) for j in plan.joints} == {
        (JointKind.SPLIT, "source", None, 0), (JointKind.MERGE, "o1", 0, None),
        (JointKind.SHUFFLE, "o1", 0, 1), (JointKind.MERGE, "o2", 1, None)}
