"""Facts put to the test: declared or inferred, against what operators did on a sample.

Depends on ir, analysis.facts and the sequential engine, which it only watches; `report` borrows
from explain.
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
