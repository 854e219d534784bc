"""A hand-made plan to explain: two regions, a loop, a declared fact and a sequential operator."""

from __future__ import annotations

import pytest

from anabranch.analysis.facts import (
    AT_MOST_ONE,
    EXACTLY_ONE,
    STATELESS,
    UNPARTITIONED,
    Fact,
    Forwarding,
    OperatorFacts,
    StateKind,
    StateOf,
)
from anabranch.ir.builder import Builder
from anabranch.ir.function import Function
from anabranch.ir.operators import Filter, Map, Sink, Source
from anabranch.ir.types import ANY
from anabranch.plan import Joint, JointKind, Ordering, Plan, Reason, Region, Routing
from anabranch.source import Span

NOTHING = Forwarding()
LINES = Span("monitor.py", 7, 4, 7, 20)


def facts(state=STATELESS, selectivity=EXACTLY_ONE, forwarding=NOTHING, declared=False):
    return OperatorFacts(
        Fact(state, "its source shows it", LINES), Fact(selectivity, "one yield", LINES, declared),
        (Fact(forwarding, "copied", LINES),), Fact((), "nothing else is touched"),
        Fact(True, "a sink is ordered"))


@pytest.fixture
def monitor() -> Plan:
    """entries -> clean -> running -> total -> alerts, the first two in region 1."""
    b, identity = Builder(), Function.of(lambda t: t, LINES)
    entries = b.add("entries", Source(), (), [ANY], span=LINES)
    clean = b.add("clean", Filter(identity), entries, [ANY], span=LINES)
    running = b.add("running", Map(identity), clean, [ANY], span=LINES)
    total = b.add("total", Map(identity), running, [ANY], span=LINES)
    b.add("alerts", Sink(), total)
    by_uid = StateOf(StateKind.PARTITIONED, (("uid",),))
    many = Forwarding(tuple((f"attribute_{i}", f"attribute_{i}") for i in range(20)))
    known = {
        "entries": facts(), "clean": facts(selectivity=AT_MOST_ONE,
                                           forwarding=Forwarding(everything=True)),
        "running": facts(by_uid, AT_MOST_ONE, Forwarding((("uid", "user"),)), declared=True),
        "total": facts(UNPARTITIONED, forwarding=many), "alerts": facts(),
    }
    region = Region(1, ("clean", "running"), ("uid",), AT_MOST_ONE, Ordering.SEQNO_PULSES)
    joints = (Joint(JointKind.SPLIT, "entries", None, 1, Routing(("uid",)), Ordering.SEQNO_PULSES),
              Joint(JointKind.MERGE, "running", 1, None, None, Ordering.SEQNO_PULSES))
    graph = b.graph()
    return Plan(graph, known, (region,), joints,
                {"total": Reason("one state is shared by all of its input", LINES)}, {})
