"""Wrong declarations of every kind are found, each with the tuple that shows it."""

from __future__ import annotations

import random

import pytest

from anabranch.analysis.fact import (
    AT_MOST_ONE,
    EXACTLY_ONE,
    STATELESS,
    UNBOUNDED,
    UNKNOWN_STATE,
    Effect,
    EffectKind,
    Fact,
    Forwarding,
    Interval,
    OperatorFacts,
    StateKind,
    StateOf,
)
from anabranch.check import check, verdicts
from anabranch.core.errors import ProgramError, RunError
from anabranch.core.source import Span
from anabranch.ir.function import Function
from anabranch.ir.graph import Annotation, Builder, Graph, Operator, Queue, Variable
from anabranch.ir.operators import Apply, FlatMap, Map, Modelled, Routine, Sink, Source
from anabranch.ir.records import Record, State
from anabranch.ir.types import ANY

HERE = Span(__file__, 1)
IMPURE = (Effect(EffectKind.UNRESOLVED, "f", "it cannot be resolved"),)
BY_UID = StateOf(StateKind.PARTITIONED, (("uid",),))


class Entry(Record):
    uid: int
    amount: float


class Total(State):
    amount: float = 0.0


ENTRIES = [Entry(uid, amount) for uid, amount in [(1, 10.0), (2, 20.0), (1, 30.0), (2, 5.0)]]


def program(kind, *annotations: Annotation) -> Graph:
    b = Builder()
    entries = b.add("entries", Source(), (), [ANY])
    tested = b.add("tested", kind, entries, [ANY], annotations, HERE)
    b.add("out", Sink(), tested)
    return b.graph()


def declared(state=UNKNOWN_STATE, selectivity=UNBOUNDED, forwarding=(), pure=False) -> dict:
    """The facts of the tested operator: what is given is declared, the rest is unknown."""
    return {"tested": OperatorFacts(
        Fact(state, "", HERE, state is not UNKNOWN_STATE),
        Fact(selectivity, "", HERE, selectivity is not UNBOUNDED),
        (Fact(Forwarding(tuple(forwarding)), "", HERE, bool(forwarding)),),
        Fact(() if pure else IMPURE, "", HERE, pure), Fact(True, ""))}


def only_violation(graph: Graph, facts: dict, sample=ENTRIES):
    [violation] = check(graph, facts, {"entries": sample})
    assert violation.declared
    assert violation.operator == "tested"
    assert violation.where is HERE
    return violation


def test_a_selectivity_that_is_too_small_shows_the_tuple():
    graph = program(FlatMap(Function.of(lambda t: [t] * (2 if t.amount > 25 else 1))))
    violation = only_violation(graph, declared(selectivity=AT_MOST_ONE))
    assert violation.subject == "Entry(uid=1, amount=30.0)"
    assert violation.expected == "at most 1 output for each tuple"
    assert violation.came.startswith("2 outputs: [Entry(uid=1, amount=30.0)")


def test_a_selectivity_that_is_too_large_shows_the_tuple():
    graph = program(FlatMap(Function.of(lambda t: [t] if t.amount > 7 else [])))
    violation = only_violation(graph, declared(selectivity=EXACTLY_ONE))
    assert violation.subject == "Entry(uid=2, amount=5.0)"
    assert violation.came == "0 outputs: nothing"


def test_a_forwarded_attribute_that_changes_shows_the_tuple():
    graph = program(Map(Function.of(lambda t: t.replace(uid=t.uid % 2))))
    violation = only_violation(graph, declared(forwarding=[("uid", "uid")]))
    assert violation.subject == "Entry(uid=2, amount=20.0)"
    assert violation.expected == "uid = 2, the tuple's uid"
    assert "uid = 0" in violation.came


def test_a_forwarded_attribute_that_is_missing_is_found():
    graph = program(Map(Function.of(lambda t: t.amount)))
    assert "no such attribute" in only_violation(graph, declared(forwarding=[("id", "uid")])).came


def running(state, t):
    state.amount += t.amount
    yield t.replace(amount=state.amount)


def test_state_where_none_is_declared_shows_the_tuple_that_needs_it():
    graph = program(Apply(Function.of(running), Total, by=("uid",)))
    violation = only_violation(graph, declared(state=STATELESS))
    assert violation.subject == "Entry(uid=2, amount=5.0)"
    assert violation.expected == "[Entry(uid=2, amount=5.0)], as for it alone"
    assert violation.came.startswith("[Entry(uid=2, amount=25.0)]")


def test_state_hidden_in_a_closure_is_found():
    seen = set()

    def first_only(t):
        if t.uid not in seen:
            seen.add(t.uid)
            yield t

    graph = program(Apply(Function.of(first_only)))
    assert "Entry" in only_violation(graph, declared(state=STATELESS)).subject


def test_state_shared_between_keys_shows_the_tuple():
    graph = program(Apply(Function.of(running), Total))
    violation = only_violation(graph, declared(state=BY_UID))
    assert violation.subject == "Entry(uid=1, amount=30.0)"
    assert violation.expected.startswith("[Entry(uid=1, amount=40.0)]")
    assert violation.came.startswith("[Entry(uid=1, amount=60.0)]")


def test_one_ending_for_all_keys_is_not_partitioned():
    def adds(state, t):
        state.amount += t.amount
        yield from ()

    def ending(state):
        yield state.amount

    graph = program(Apply(Function.of(adds), Total, at_end=Function.of(ending)))
    violation = only_violation(graph, declared(state=BY_UID))
    assert violation.subject == "the end of the input"
    assert "40.0, 25.0" in violation.expected
    assert violation.came == "[65.0]"


def test_a_key_that_tuples_do_not_have_is_found():
    by_server = StateOf(StateKind.PARTITIONED, (("server",),))
    graph = program(Apply(Function.of(running), Total, by=("uid",)))
    assert "server" in only_violation(graph, declared(state=by_server)).came


def test_randomness_is_not_pure():
    graph = program(Map(Function.of(lambda t: random.random())))
    violation = only_violation(graph, declared(pure=True))
    assert violation.subject == "Entry(uid=1, amount=10.0)"
    assert violation.came.endswith("when it was fired again")


def test_a_write_outside_is_not_pure():
    written = []

    def notes(t):
        written.append(t.uid)
        return t

    violation = only_violation(program(Map(Function.of(notes))), declared(pure=True))
    assert "written = [1, 2, 1, 2" in violation.came


def test_a_write_to_its_own_object_is_not_pure():
    class Counting:
        def __init__(self):
            self.count = 0

        def __call__(self, t):
            self.count += 1
            return t

    violation = only_violation(program(Map(Function.of(Counting()))), declared(pure=True))
    assert "Counting.count" in violation.came


def test_printing_is_not_pure(capsys):
    def shows(t):
        print(t.uid)
        return t

    violation = only_violation(program(Map(Function.of(shows))), declared(pure=True))
    assert violation.expected == "nothing printed"


def test_a_change_of_the_tuple_is_not_pure():
    def grows(t):
        t.append(0)
        return len(t) > 100

    violation = only_violation(program(Map(Function.of(grows))), declared(pure=True), [[1]])
    assert violation.expected == "the tuple unchanged"


def test_an_order_that_matters_shows_two_tuples():
    graph = program(Apply(Function.of(running), Total), Annotation("Commutative"))
    violation = only_violation(graph, declared())
    assert violation.subject == "Entry(uid=1, amount=10.0) and Entry(uid=2, amount=20.0)"


def test_an_order_that_matters_late_shows_the_whole_sample():
    def fourth_only(state, t):
        state.amount += 1
        if state.amount == 4:
            yield t

    graph = program(Apply(Function.of(fourth_only), Total), Annotation("Commutative"))
    assert "all 4 tuples" in only_violation(graph, declared()).subject


def test_a_sum_at_the_end_commutes_although_floats_round():
    def adds(state, t):
        state.amount += t.amount
        yield from ()

    graph = program(Apply(Function.of(adds), Total, (), Function.of(lambda s: [s.amount])),
                    Annotation("Commutative"))
    sample = [Entry(i, 0.1 * i) for i in range(50)]
    [verdict] = verdicts(graph, declared(), {"entries": sample})
    assert str(verdict) == "holds on 50 tuples"


class Kept(State):
    entries: list = []


def keeps(state: Kept, t):
    state.entries.append(t.amount)
    yield from ()


@pytest.mark.parametrize(("at_end", "found"), [
    (lambda state: sorted(state.entries), []),
    (lambda state: state.entries, ["Entry(uid=1, amount=10.0) and Entry(uid=2, amount=20.0)"])])
def test_the_order_of_outputs_counts_where_they_are_said_to_be_sorted(at_end, found):
    kind = Apply(Function.of(keeps), Kept, (), Function.of(at_end))
    assert not check(program(kind, Annotation("Commutative")), declared(), {"entries": ENTRIES})
    graph = program(kind, Annotation("Commutative", ("sorted",)))
    violations = check(graph, declared(), {"entries": ENTRIES})
    assert [violation.subject for violation in violations] == found


def test_updates_of_a_shared_variable_that_do_not_commute_are_found():
    def last(item, port, value):
        return [[]], (item,)

    writes = Operator("tested", Routine(Function.of(last), 1, (0,)), ("q",), ("r",), ("v",), ("v",),
                      (Annotation("Commutative"),), HERE)
    reads = Operator("reads", Routine(Function.of(lambda item, port, value: ([], ())), 1), ("r",),
                     (), ("v",))
    graph = Graph((Operator("entries", Source(), (), ("q",)), writes, reads),
                  (Queue("q"), Queue("r")), (Variable("v", lambda: 0),))
    facts = {**declared(), "reads": declared()["tested"]}
    assert "variable v" in only_violation(graph, facts, [1, 2, 3]).came


def test_an_operator_that_reads_a_variable_of_another_may_be_pure():
    def remember(item, port):
        return [[item]], (item,)

    def against_last(item, port, last):
        return [[item - last]], ()

    writes = Operator("writes", Routine(Function.of(remember), 0, (0,)), ("q",), ("r",), (), ("v",))
    reads = Operator("tested", Routine(Function.of(against_last), 1), ("r",), ("s",), ("v",),
                     span=HERE)
    graph = Graph((Operator("entries", Source(), (), ("q",)), writes, reads),
                  (Queue("q"), Queue("r"), Queue("s")), (Variable("v", lambda: 0),))
    facts = {**declared(pure=True), "writes": declared()["tested"]}
    [verdict] = verdicts(graph, facts, {"entries": [1, 2, 3]})
    assert str(verdict) == "holds on 3 tuples"


@pytest.mark.parametrize("facts, said", [
    (declared(state=BY_UID), "partitioned by uid"),
    (declared(selectivity=Interval(1, 1)), "selectivity = 1"),
    (declared(forwarding=[("uid", "uid")]), "forwards uid"),
    (declared(pure=True), "pure"),
])
def test_right_declarations_hold(facts, said):
    graph = program(Apply(Function.of(running), Total, by=("uid",)))
    [verdict] = verdicts(graph, facts, {"entries": ENTRIES})
    assert (verdict.fact, str(verdict)) == (said, "holds on 4 tuples")


def test_without_tuples_nothing_is_claimed_to_hold():
    graph = program(Map(Function.of(lambda t: t)))
    [verdict] = verdicts(graph, declared(selectivity=EXACTLY_ONE), {"entries": []})
    assert str(verdict) == "not tested: no tuple came here"


def test_a_violation_reads_like_an_error_at_the_operator():
    graph = program(FlatMap(Function.of(lambda t: [])))
    lines = str(only_violation(graph, declared(selectivity=EXACTLY_ONE))).split("\n")
    assert lines[0] == "error: tested is declared to be 'selectivity = 1', and is not"
    assert "  = broken by: Entry(uid=1, amount=10.0)" in lines
    assert "  = came: 0 outputs: nothing" in lines


def test_nan_equals_itself_here():
    graph = program(Map(Function.of(lambda t: t.replace(amount=float("nan")))))
    assert check(graph, declared(state=STATELESS, pure=True), {"entries": ENTRIES}) == []


def test_a_function_that_raises_is_reported_as_in_a_run():
    graph = program(Map(Function.of(lambda t: 1 / 0)))
    with pytest.raises(RunError, match="ZeroDivisionError"):
        check(graph, declared(), {"entries": ENTRIES})


def test_a_model_cannot_be_checked():
    with pytest.raises(ProgramError, match="tested is a model"):
        check(program(Modelled()), declared(), {"entries": ENTRIES})
