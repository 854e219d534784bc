"""Which facts of an operator can be tested, and by which test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from anabranch.analysis.fact import UNBOUNDED, OperatorFacts, StateKind
from anabranch.analysis.facts.declarations import is_commutative, is_sorted
from anabranch.check.commutative import commutative
from anabranch.check.outputs import forwards, selectivity
from anabranch.check.purity import pure
from anabranch.check.replay import Subject
from anabranch.check.state import partitioned, stateless
from anabranch.check.verdict import Counterexample, Verdict, Violation
from anabranch.ir.graph import Operator

Test = Callable[[Subject], Counterexample | None]


@dataclass(frozen=True)
class Claim:
    """A fact in words, with its test; `port` is there when it speaks of one input port alone."""

    fact: str
    declared: bool
    test: Test
    port: int | None = None

    def judged(self, subject: Subject) -> Verdict:
        op, found = subject.op, self.test(subject)
        tuples = sum(self.port in (None, f.port) for f in subject.log.firings)
        violation = found and self._violated(op, found)
        return Verdict(op.name, self.fact, self.declared, tuples, violation)

    def _violated(self, op: Operator, found: Counterexample) -> Violation:
        where = [function.span for function in found.functions] or [op.span]
        beside = ", ".join(f"{other.name}, {other.span}" for other in found.functions[1:])
        return Violation(op.name, where[0], self.fact, self.declared, found.subject,
                         found.expected, found.came, beside)


def claims_of(op: Operator, facts: OperatorFacts) -> list[Claim]:
    """All that is declared; of the rest, what a repeated firing can show without doing harm."""
    return [*_state(facts), *_selectivity(facts), *_forwards(facts), *_purity(op, facts)]


def _state(facts: OperatorFacts) -> Iterator[Claim]:
    fact, pure_enough = facts.state, not facts.purity.value
    # An inferred state means the operator's own; what an effect adds to it is the effect's fault.
    if fact.declared or pure_enough:
        # What is declared to be pure remembers nothing but its state.
        declared = fact.declared or facts.purity.declared
        if fact.value.kind is StateKind.STATELESS:
            yield Claim("stateless", declared, stateless)
        if fact.value.kind is StateKind.PARTITIONED:
            test = partial(partitioned, keys=fact.value.keys)
            yield Claim(f"partitioned {fact.value}", declared, test)


def _selectivity(facts: OperatorFacts) -> Iterator[Claim]:
    fact = facts.selectivity
    if fact.declared or fact.value != UNBOUNDED:
        test = partial(selectivity, interval=fact.value)
        yield Claim(f"selectivity {fact.value}", fact.declared, test)


def _forwards(facts: OperatorFacts) -> Iterator[Claim]:
    for port, fact in enumerate(facts.forwarding):
        if fact.value.pairs or fact.value.everything:
            of_port = f" of input {port + 1}" if len(facts.forwarding) > 1 else ""
            test = partial(forwards, forwarding=fact.value, port=port)
            yield Claim(f"forwards {fact.value}{of_port}", fact.declared, test, port)


def _purity(op: Operator, facts: OperatorFacts) -> Iterator[Claim]:
    if not facts.purity.value:
        yield Claim("pure", facts.purity.declared, pure)
    if is_commutative(op):
        test = partial(commutative, in_order=is_sorted(op))
        yield Claim("commutative, sorted" if is_sorted(op) else "commutative", True, test)
