"""When it pays to share a state: heavy rows, and enough of them at once."""

from __future__ import annotations

import pytest

import anabranch as ab
from anabranch.batch.items import Columns
from anabranch.batch.record_batch import batch_of
from anabranch.engine import multicore
from anabranch.engine.multicore.gangs.mail import Posted
from anabranch.ir.types import RecordOf
from anabranch.plan.sync.optimizers import Costs
from anabranch.plan.tuning import costs
from anabranch.runtime.gang.plans import Planning, Worth
from anabranch.runtime.gang.tagging import tagging
from interpreting import with_costs
from sync.running import in_sequence, outputs, plan_of

HEAVY = 20e-6


class Event(ab.Record):
    kind: str
    amount: int


class Sum(ab.State):
    total: int = 0


def program(events):
    @ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: "told" in (a, b), pure=True)
    def summed(state: Sum, e: Event):
        state.total += sum([e.amount] * 2000) // 2000
        if e.kind == "told":
            yield e.replace(amount=state.total)

    summed.fork(lambda state, left, right: (state, Sum()))
    summed.join(lambda one, other: Sum(one.total + other.total))
    return plan_of(ab.from_iterable(events, Event).apply(summed))


def planning(workers: int = 2) -> Planning:
    graph = program([]).graph
    op = next(op for op in graph.operators if op.name == "summed")
    return Planning(op, 0, workers, tagging(graph, op, native=False), False,
                    Worth(costs().row_worth_moving, costs().object_travel), Costs())


@pytest.mark.parametrize(("rows", "seconds", "pays"), [
    (1000, HEAVY, True), (10, HEAVY, False), (1000, 1e-6, False), (1, 0.01, True)])
def test_it_pays_for_heavy_rows_that_come_together(rows, seconds, pays):
    plan = planning()
    for _ in range(200):
        plan.judge([Event("value", 1)] * rows, rows * seconds)
        assert not plan.pays or pays
        if plan.pays:
            return
    assert not pays and plan.worth.has_judged


@pytest.mark.parametrize(("seconds", "workers", "in_columns", "pays"), [
    (6e-6, 2, False, False), (6e-6, 2, True, True), (6e-6, 8, False, True), (9e-6, 2, False, True),
    (3e-6, 8, True, False)])
def test_objects_must_be_heavier_than_columns_where_workers_are_few(seconds, workers, in_columns,
                                                                    pays):
    plan, events = planning(workers), [Event("value", 1)] * 2000
    kind = RecordOf(Event)
    plan.judge(Columns(batch_of(events, kind), kind) if in_columns else events, 2000 * seconds)
    assert plan.pays == pays and plan.is_settled


def test_heavy_rows_in_small_slices_leave_it_open():
    """The slices of the beginning are small on purpose: to go on with full ones then, as if the
    rows were light, would have one worker do the first of them."""
    plan = planning()
    for _ in range(20):
        plan.judge([Event("value", 1)] * 30, 30 * HEAVY)
    assert plan.worth.has_judged and not plan.pays and not plan.is_settled
    plan.judge([Event("value", 1)] * 80, 80 * HEAVY)
    assert plan.pays and plan.is_settled


def test_light_rows_settle_it():
    plan = planning()
    for _ in range(200):
        plan.judge([Event("value", 1)] * 1000, 1000 * 1e-6)
    assert plan.is_settled and not plan.pays


@pytest.mark.parametrize(("worth", "shared"), [(1000.0, False), (0.0, True)])
def test_slices_that_are_too_light_stay_in_one_place(worth, shared, monkeypatch):
    begun, begin = [], Posted.__init__
    with_costs(monkeypatch, slice_worth_dealing=worth)
    monkeypatch.setattr(Posted, "__init__", lambda posted, *given, **more: (
        begun.append(posted), begin(posted, *given, **more))[1])
    events = [Event("told" if n % 300 == 299 else "value", n) for n in range(3000)]
    plan = program(events)
    found = outputs(lambda *given: multicore.run(*given, workers=2, kernels="never",
                                                 slice_size=50), plan, events)
    assert found == outputs(in_sequence, plan, events)
    assert bool(begun) == shared
