"""A hand-made plan to explain, and a program to give to the command line."""

from __future__ import annotations

import pytest
from click.testing import CliRunner, Result

from anabranch.analysis.fact import (
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
from anabranch.cli import commands
from anabranch.core.source import Span
from anabranch.ir.function import Function
from anabranch.ir.graph import Builder
from anabranch.ir.operators import Filter, Map, Sink, Source
from anabranch.ir.types import ANY
from anabranch.plan.logical.plan import Joint, JointKind, Ordering, Plan, Reason, Region, Routing

NOTHING = Forwarding()
LINES = Span("monitor.py", 7, 4, 7, 20)


def facts(state=STATELESS, selectivity=EXACTLY_ONE, forwarding=NOTHING, declared=False):
    return OperatorFacts(
        Fact(state, "its source shows it", LINES), Fact(selectivity, "one yield", LINES, declared),
        (Fact(forwarding, "copied", LINES),), Fact((), "nothing else is touched"),
        Fact(True, "a sink is ordered"))


@pytest.fixture
def monitor() -> Plan:
    """entries -> clean -> running -> total -> alerts, the first two operators in region 0."""
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
    region = Region(0, ("clean", "running"), ("uid",), AT_MOST_ONE, Ordering.SEQNO_PULSES,
                    "total's state is unpartitioned")
    joints = (Joint(JointKind.SPLIT, "entries", None, 0, Routing(("uid",)), Ordering.SEQNO_PULSES),
              Joint(JointKind.MERGE, "running", 0, None, None, Ordering.SEQNO_PULSES))
    graph = b.graph()
    return Plan(graph, known, (region,), joints,
                {"total": Reason("one state is shared by all of its input", LINES),
                 "alerts": Reason("writes in order", LINES)}, {})


PROGRAM = """\
import anabranch as ab

class Entry(ab.Record):
    uid: int
    amount: float

class Balance(ab.State):
    total: float = 0.0

threshold = ab.param("threshold", 25.0)

@ab.operator(by="uid", selectivity=(0, 1))
def running(state: Balance, t: Entry):
    state.total += t.amount
    if state.total > threshold:
        yield t.replace(amount=state.total)

entries = ab.read_csv("entries.csv", Entry)
entries.filter(lambda t: t.amount > 0).apply(running).write_stdout(name="alerts")
"""

ROWS = "uid,amount\n1,10.0\n2,20.0\n1,30.0\n2,-5.0\n2,6.0\n"
ALERTS = "uid,amount\n1,40.0\n2,26.0\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to work in, with the program alerts.py and its entries.csv."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    (tmp_path / "alerts.py").write_text(PROGRAM)
    (tmp_path / "entries.csv").write_text(ROWS)
    return tmp_path


@pytest.fixture
def anabranch(folder):
    """The command: `anabranch("run", "alerts.py")` gives its exit code and what it wrote."""

    def command(*arguments: str) -> Result:
        return CliRunner().invoke(commands, arguments)
    return command


@pytest.fixture
def run(anabranch):
    """`run("alerts.py")`: the command `run`, where the engine is not what is tested."""
    return lambda *arguments: anabranch("run", *arguments, "--engine", "sequential")
