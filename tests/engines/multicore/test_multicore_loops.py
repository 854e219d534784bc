"""Loops whose firings are computed ahead give what the sequential engine gives, failures too."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.core.errors import RunError
from anabranch.engine import multicore
from anabranch.engine.run import engine as engine_called
from anabranch.engine.sequential import run as sequential
from anabranch.plan.logical.plan import Plan
from anabranch.plan.logical.unfused import unfused
from anabranch.plan.physical.rounds import way_to
from anabranch.plan.physical.stages import formed
from anabranch.runtime.processes import pool as processes
from anabranch.runtime.stage import ahead
from anabranch.runtime.stage.ahead import Errands
from interpreting import with_costs


class Token(ab.Record):
    key: int
    left: int
    seen: int = 0


class Count(ab.State):
    n: int = 0


class Log(ab.State):
    sum: int = 0


def children(t: Token) -> list[Token]:
    """Some tokens for one, so that several wait at the same time."""
    return [t.replace(key=t.key * 3 + n, left=t.left - 1) for n in range(t.key % 3 + 1)]


@ab.operator(by="key")
def counted(count: Count, t: Token):
    count.n += 1
    if (t.left, t.seen % 11) == (1, 10):
        raise ValueError(f"{t.key} is unlucky")
    yield t.replace(key=t.key % 7, seen=t.seen + count.n)


@ab.operator
def logged(log: Log, t: Token):
    log.sum = (log.sum * 31 + t.key) % 1009
    yield t.replace(seen=t.seen + log.sum % 5)


BODIES = {
    "one after another": lambda s: s.apply(counted).flat_map(children).apply(logged),
    "before a filter": lambda s: s.filter(lambda t: t.key % 5 != 4).apply(counted)
    .flat_map(children),
    "without state": lambda s: s.map(lambda t: t.replace(seen=t.seen * t.key % 101))
    .flat_map(children).apply(logged),
}


def looping(tokens: list[Token], body: str) -> Plan:
    def round_(s: ab.Stream) -> tuple[ab.Stream, ab.Stream]:
        return BODIES[body](s).split(lambda t: t.left <= 0)
    source = ab.from_iterable(tokens, Token, name="tokens")
    return compile_graph(source.loop(round_).graph())


def outputs(run, plan: Plan, tokens: list[Token], **knobs) -> tuple[list, str | None]:
    out = []
    try:
        run(plan, {"tokens": iter(tokens)}, lambda op, item: out.append(item), **knobs)
    except RunError as error:
        return out, error.what
    return out, None


def in_sequence(plan: Plan, tokens: list[Token]) -> tuple[list, str | None]:
    return outputs(lambda p, items, emit: sequential.run(p.program, items, emit), plan, tokens)


TOKENS = st.lists(st.builds(Token, st.integers(0, 9), st.integers(1, 4), st.integers(0, 20)),
                  max_size=6)


@pytest.mark.parametrize("body", BODIES)
@settings(max_examples=8, deadline=None)
@given(tokens=TOKENS)
def test_processes_give_the_sequential_items(body, tokens):
    plan = looping(tokens, body)
    expected, failure = in_sequence(plan, tokens)
    out, error = outputs(multicore.run, plan, tokens, workers=2, processes="always")
    assert error == failure
    assert out == expected if failure is None else out == expected[:len(out)]


UNLUCKY = [Token(key, 3, 1) for key in range(6)]


def test_a_firing_fails_in_its_turn():
    plan = looping(UNLUCKY, "one after another")
    expected, failure = in_sequence(plan, UNLUCKY)
    assert len(expected) > 10 and "7 is unlucky" in failure
    out, error = outputs(multicore.run, plan, UNLUCKY, workers=2, processes="always",
                         slice_size=1)
    assert error == failure and out and out == expected[:len(out)]


FINE = [Token(key, 4) for key in (8, 5, 2, 8)]


def test_states_leave_home_in_the_middle_of_a_round(monkeypatch):
    monkeypatch.setattr(ahead, "LONGER_THAN_TRAVEL", -1)
    with_costs(monkeypatch, trial_work=0.0, item_worth_moving=0.0)
    # However short a firing is, it took some time.
    monkeypatch.setattr("anabranch.runtime.stage.runners.COST_OF_A_CALL", -1.0)
    plan, adopted, sent = looping(FINE, "one after another"), [], set()
    adopt, send = Errands.adopt, Errands.send

    def adopting(errands, operator, states, process):
        adopted.extend(states[0][0][0] if states[0][0] else ())
        adopt(errands, operator, states, process)

    def sending(errands, operator, item, process):
        sent.add(process)
        return send(errands, operator, item, process)
    monkeypatch.setattr(Errands, "adopt", adopting)
    monkeypatch.setattr(Errands, "send", sending)
    assert outputs(multicore.run, plan, FINE, workers=2) == in_sequence(plan, FINE)
    assert adopted and sent == {0, 1}


def test_several_firings_are_begun_at_a_time(monkeypatch):
    most = []
    begin = ahead.Ahead._begin

    def beginning(one, item):
        begin(one, item)
        most.append(len(one.begun))
    monkeypatch.setattr(ahead.Ahead, "_begin", beginning)
    plan = looping(FINE, "before a filter")
    assert outputs(multicore.run, plan, FINE, workers=2, processes="always") == \
        in_sequence(plan, FINE)
    assert max(most) > 2


def ways(plan: Plan) -> dict[str, list[str] | None]:
    plan = unfused(plan)
    loop = next(stage for stage in formed(plan) if "loop" in stage)
    found = {op.name: way_to(op, loop, plan.graph, plan.facts) for op in loop.operators
             if op.kind.label in ("apply", "map", "flat_map")}
    return {name: None if way is None else [step.op.name for step in way]
            for name, way in found.items()}


def test_the_way_leads_back_to_what_makes_new_items():
    assert ways(looping(FINE, "before a filter")) == {
        "counted": ["filter", "loop", "split"], "children": []}


def test_nothing_is_known_where_items_overtake_each_other():
    def round_(s: ab.Stream) -> tuple[ab.Stream, ab.Stream]:
        odd, even = s.split(lambda t: t.key % 2 == 1)
        both = odd.flat_map(children).union(even, arrival=True)
        return both.apply(counted).split(lambda t: t.left <= 0)
    plan = compile_graph(ab.from_iterable(FINE, Token).loop(round_).graph())
    assert ways(plan)["counted"] is None


def test_explain_names_what_is_computed_ahead():
    plan = looping(FINE, "before a filter")
    notes = [stage.arrival for stage in engine_called("multicore").execution(plan).stages]
    assert "computed ahead in processes where it pays: counted, children" in notes


def test_processes_of_several_loops_end_when_they_are_told_to(monkeypatch):
    """A process that is forked later must not hold the wire to an earlier one."""
    def twice(s: ab.Stream) -> tuple[ab.Stream, ab.Stream]:
        return BODIES["without state"](s).split(lambda t: t.left <= 1)
    signals, send = [], processes.Process.signal

    def noted(process, number):
        signals.append(number)
        send(process, number)
    monkeypatch.setattr(processes.Process, "signal", noted)
    plan = compile_graph(ab.from_iterable(FINE, Token, name="tokens").loop(twice).loop(twice)
                         .graph())
    wanted = in_sequence(plan, FINE)
    assert outputs(multicore.run, plan, FINE, workers=2, processes="always") == wanted
    assert signals == [] and set() == processes.OPEN
