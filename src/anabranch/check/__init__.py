"""Facts put to the test: declared or inferred, against what operators did on a sample.

Depends on ir, analysis.facts and the sequential engine, which it only watches; `report` borrows
from explain.

    claims.py       Which facts of an operator can be tested, and by which test
    commutative.py  The same tuples in another order give the same outputs, whatever their order
    consistency.py  Functions of synchronized operators: symmetric dependence, and equations
    outputs.py      Outputs as declared: how many there are, and which attributes are forwarded
    purity.py       Nothing but outputs leaves a firing; only its tuple and its state go in
    replay.py       A sequential run that is watched, and its operators fired again on their own
    report.py       The verdicts as a table, with a line that sums them up
    state.py        State that is not there, or that one key does not share with another
    verdict.py      What a test of a fact says: it holds on so many tuples, or one breaks it
    synchronized/   Equations between a synchronized operator's functions, tried on reached states
"""

from __future__ import annotations

from contextlib import closing

from anabranch.check.claims import Claim, claims_of
from anabranch.check.consistency import consistency
from anabranch.check.replay import Apart, Subject, observe
from anabranch.check.verdict import Verdict, Violation
from anabranch.ir.graph import Graph
from anabranch.ir.synchronization import Synchronized

__all__ = ["Verdict", "Violation", "check", "verdicts"]


def check(graph: Graph, facts: dict, sample: dict[str, list]) -> list[Violation]:
    """The facts that do not hold on the sample, each with the tuple that breaks it."""
    return [v.violation for v in verdicts(graph, facts, sample) if v.violation]


def verdicts(graph: Graph, facts: dict, sample: dict[str, list]) -> list[Verdict]:
    """Every fact that can be tested, in the graph's order, with what the sample says of it."""
    with closing(Apart(graph)) as apart:
        logs = observe(graph, sample)
        subjects = [Subject(graph, graph[name], log, apart.fired) for name, log in logs.items()]
        return [claim.judged(subject) for subject in subjects
                for claim in _claims(subject, facts)]


def _claims(subject: Subject, facts: dict) -> list[Claim]:
    synchronized = consistency(subject) if isinstance(subject.op.kind, Synchronized) else ()
    return [*claims_of(subject.op, facts[subject.op.name]), *synchronized]
