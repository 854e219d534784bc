"""The expressions of CQL: aggregates, and conditions with queries in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from anabranch.errors import ProgramError
from anabranch.ir.types import BOOL, NONE, OptionalOf, without_none
from anabranch.lang.common import checking
from anabranch.lang.common.checking import applied, common_type, shown
from anabranch.lang.common.syntax import Call, Name, Node
from anabranch.lang.common.terms import Chosen, Term, Variable, walk
from anabranch.lang.cql.builtins import AGGREGATES, FUNCTIONS, OPERATORS, aggregate_type
from anabranch.lang.cql.names import Rows
from anabranch.lang.cql.sra import AggregateCall
from anabranch.lang.cql.syntax import Aggregation, Compared, Exists, InQuery, Scalar

MARK = "mark"
"""The first part of the slot of a condition with a query: the second is its number."""


@dataclass(frozen=True)
class Aggregated(Term):
    """The result of an aggregate, before it is known which column has it."""

    call: AggregateCall

    @property
    def parts(self):
        return (self.call.argument,) if self.call.argument is not None else ()

    def with_parts(self, parts):
        raise TypeError("an aggregate is replaced as a whole")


@dataclass(frozen=True)
class Marked:
    """A condition with a query: `operand in (query)`, a comparison with any row of a query, or
    `exists (query)` without an operand."""

    node: Exists | InQuery | Compared
    operand: Term | None = None


class Checker(checking.Checker):
    """Checks the expressions of one select; `clause` says why an aggregate may not stand there."""

    def __init__(self, rows: Rows, clause: str | None = None, grouped: bool = False):
        super().__init__(OPERATORS, FUNCTIONS, rows.variable)
        self.clause, self.grouped = clause, grouped
        self.marked: list[Marked] | None = None
        self.scalar: Callable[[Node], Term] | None = None

    def check_call(self, node: Call) -> Term:
        name = str(node.function).lower()
        if name in AGGREGATES:
            if len(node.arguments) != 1:
                raise ProgramError(f"{name} takes one argument", node.span,
                                   help="least(a, b) and greatest(a, b) choose among several"
                                   if node.arguments else "count(*) counts the rows")
            return self._aggregate(node.function, node.arguments[0], False, node)
        if name in ("coalesce", "nvl", "ifnull"):
            return self._coalesce(node)
        return super().check_call(node)

    def check_aggregation(self, node: Aggregation) -> Term:
        name = str(node.function).lower()
        if name not in AGGREGATES:
            raise ProgramError(f"there is no aggregate '{node.function}'", node.function.span,
                               expected=", ".join(AGGREGATES))
        if node.argument is None and name != "count":
            raise ProgramError(f"only count takes '*', {name} does not", node.span)
        return self._aggregate(node.function, node.argument, node.distinct, node)

    def _aggregate(self, name: Name, argument: Node | None, distinct: bool, node: Node) -> Term:
        if self.clause:
            raise ProgramError(f"an aggregate cannot stand in {self.clause}", node.span,
                               help="a condition on aggregates stands in 'having'")
        function = str(name).lower()
        term = None if argument is None else self.check(argument)
        if term is not None and any(isinstance(part, Aggregated) for part in walk(term)):
            raise ProgramError("an aggregate cannot stand inside of another", node.span)
        value = BOOL if term is None else term.type
        takes = AGGREGATES[function].takes
        if term is not None and without_none(value) not in takes:
            raise ProgramError(f"{function} cannot be applied to {shown(value)}", term.span,
                               expected=" or ".join(map(shown, takes)))
        kind = aggregate_type(function, value, self.grouped)
        return Aggregated(kind, node.span, AggregateCall(function, term, distinct, kind))

    def _coalesce(self, node: Call) -> Term:
        """The first of its arguments that is not null."""
        if len(node.arguments) < 2:
            raise ProgramError("coalesce takes two arguments or more", node.span)
        *firsts, last = map(self.check, node.arguments)
        for first in reversed(firsts):
            present = applied(OPERATORS["is null"], (first,), node.span, "coalesce")
            kind = common_type(without_none(first.type), last)
            absent = applied(OPERATORS["not"], (present,), node.span, "coalesce")
            last = Chosen(kind, node.span, (absent, first, last))
        return last

    def check_exists(self, node: Exists) -> Term:
        return self._mark(Marked(node), node)

    def check_inquery(self, node: InQuery) -> Term:
        return self._mark(Marked(node, self.check(node.operand)), node)

    check_compared = check_inquery

    def check_scalar(self, node: Scalar) -> Term:
        if self.scalar is None:
            raise ProgramError("a query can only be a value in 'where'", node.span,
                               help="define it as a view, and join that")
        return self.scalar(node.query)

    def _mark(self, marked: Marked, node: Node) -> Term:
        if self.marked is None:
            raise ProgramError("a condition with a query can only stand in 'where'", node.span)
        self.marked.append(marked)
        return Variable(BOOL, node.span, (MARK, len(self.marked) - 1))


def no_nulls(term: Term, what: str) -> Term:
    """The term itself; a `ProgramError` when it may be null, where that would be a trap."""
    if isinstance(term.type, OptionalOf) or term.type == NONE:
        raise ProgramError(f"{what} may be null here", term.span,
                           help="give it a value with coalesce(x, ...)")
    return term

