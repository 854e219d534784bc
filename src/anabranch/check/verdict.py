"""What a test of a fact says: it holds on so many tuples, or one breaks it."""

from __future__ import annotations

from dataclasses import dataclass

from anabranch.batch.failure import shortened
from anabranch.core.errors import RunError
from anabranch.core.source import Span
from anabranch.ir.function import Function


@dataclass(frozen=True)
class Counterexample:
    """What was expected, what came, and for which tuple (or for what else). `functions` are those
    of the user's that may be wrong, the likeliest first; there are none if it is the operator."""

    subject: str
    expected: str
    came: str
    functions: tuple[Function, ...] = ()


class BrokenFact(RunError):
    """A violation as an error: at the line of the operator or of its function, with the tuple."""

    def __init__(self, violation: Violation):
        how = "declared" if violation.declared else "inferred"
        super().__init__(f"{violation.operator} is {how} to be '{violation.fact}', and is not",
                         violation.where, expected=violation.expected, got=violation.came,
                         help=None if violation.declared else "this is a fault of the analysis")
        self.subject, self.beside = violation.subject, violation.beside

    def _details(self) -> list[str]:
        beside = [f"  = see also: {self.beside}"] if self.beside else []
        return [f"  = broken by: {self.subject}", *super()._details(), *beside]


@dataclass(frozen=True)
class Violation:
    """A fact that does not hold, with its counterexample; shown like an error at its operator, or
    at the function that is wrong, with those `beside` it that may be."""

    operator: str
    where: Span | None
    fact: str
    declared: bool
    subject: str
    expected: str
    came: str
    beside: str = ""

    def __str__(self) -> str:
        return str(BrokenFact(self))


@dataclass(frozen=True)
class Verdict:
    """A tested fact of an operator, and on how many tuples it was tested."""

    operator: str
    fact: str
    declared: bool
    tuples: int
    violation: Violation | None = None

    def __str__(self) -> str:
        if self.violation:
            return f"broken by {self.violation.subject}"
        if self.tuples == 0:
            return "not tested: no tuple came here"
        return f"holds on {self.tuples:,} tuple{'' if self.tuples == 1 else 's'}"


def the_tuple(item: object) -> str:
    return shortened(repr(item))
