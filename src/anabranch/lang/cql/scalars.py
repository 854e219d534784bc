"""Queries as values: `x > (select avg(y) from S)`, and quotients of queries.

A query that is a value always has one row, so it stands beside the rows of the query around as one
more column. If it names columns of that query, it becomes a relation of groups, joined to these
rows; a row that meets no group has what its aggregates give for no rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from anabranch.core.errors import ProgramError
from anabranch.core.source import Span
from anabranch.ir.types import BOOL, FLOAT, INT, NONE, OptionalOf
from anabranch.lang.common.check import applied
from anabranch.lang.common.terms import Builtin, Constant, Term, Variable, rewritten, walk
from anabranch.lang.cql import algebra, syntax
from anabranch.lang.cql.algebra import AggregateCall, Node
from anabranch.lang.cql.check import (
    OPERATORS,
    OUTER,
    Aggregated,
    Checker,
    Rows,
    aggregate_type,
    no_nulls,
    slots,
)
from anabranch.lang.cql.clauses import (
    is_grouped,
    joined,
    key_pair,
    numbered,
    of_own,
    over_groups,
    shifted,
)

SCALAR = "scalar"
"""The first part of the slot of a query that is a value: the second is its number."""


@dataclass(frozen=True)
class ScalarQuery:
    """A query that is a value. One that names the query around has the conditions by which it does,
    over the rows of `node`, and the value over what `calls` give for these."""

    node: Node
    span: Span
    correlated: tuple[Term, ...] = ()
    calls: tuple[AggregateCall, ...] = ()
    value: Term | None = None


@dataclass
class Scalars:
    """The queries that are values in one query, whose rows these are."""

    translator: object
    rows: Rows
    tables: list[Node] | None = None
    found: list[ScalarQuery] = field(default_factory=list)

    def term(self, query: syntax.Select) -> Term:
        """The value of a query. One that does not name the query around becomes one more of its
        tables, where these are still to be joined."""
        scalar = _scalar(self.translator, self.rows, query)
        if self.tables is not None and not scalar.correlated:
            slot: object = sum(len(table.schema) for table in self.tables)
            self.tables.append(scalar.node)
            return Variable(scalar.node.schema[0].type, query.span, slot)
        self.found.append(scalar)
        kind = scalar.value.type if scalar.correlated else scalar.node.schema[0].type
        return Variable(kind, query.span, (SCALAR, len(self.found) - 1))

    def beside(self, node: Node) -> tuple[Node, Callable[[Term], Term]]:
        """The rows with a column for each value, and the terms over these."""
        width = len(node.schema)
        for scalar in self.found:
            node = _beside(node, scalar)

        def placed(term: Term) -> Term:
            return rewritten(term, lambda t: Variable(t.type, t.span, width + t.slot[1])
                             if is_scalar(t) else None)
        return node, placed

    def refuse_correlated(self) -> None:
        """Among groups there are no rows for a query to name."""
        for scalar in self.found:
            if scalar.correlated:
                raise ProgramError("a query that is a value cannot name a query with groups",
                                   scalar.span, help="define the groups as a view, and ask that")


def is_scalar(term: Term) -> bool:
    return isinstance(term, Variable) and isinstance(term.slot, tuple) and term.slot[0] == SCALAR


def has_scalar(term: Term) -> bool:
    return any(map(is_scalar, walk(term)))


def check_one_row(query: object) -> None:
    """Refuses a query that may have no row, or several."""
    if isinstance(query, syntax.Calculation):
        return
    if not isinstance(query, syntax.Select) or query.group or query.having or (
            query.to_stream or query.order or query.limit is not None or not is_grouped(query)):
        raise ProgramError("a query that is a value must always have one row", query.span,
                           expected="an aggregate, without 'group by' and 'having'",
                           help="or use `in`, `any`, or a join")


def _scalar(translator, rows: Rows, query: syntax.Select) -> ScalarQuery:
    check_one_row(query)
    block = translator.block(query, rows)
    if len(query.items) != 1 or isinstance(query.items[0], syntax.AllColumns):
        raise ProgramError("a query that is a value must have one column", query.span,
                           got=f"{len(query.items)} columns")
    if not block.correlated:
        return ScalarQuery(translator.relation(query), query.span)
    if any(isinstance(slot, tuple) and slot[0] != OUTER
           for c in block.correlated for slot in slots(c)):
        raise ProgramError("a condition with a query in it cannot name the query around",
                           query.span)
    term = Checker(block.rows).check(query.items[0].expression)
    calls = tuple(dict.fromkeys(p.call for p in walk(term) if isinstance(p, Aggregated)))
    return ScalarQuery(block.node, query.span, block.correlated, calls,
                       over_groups(term, (), calls))


def _beside(left: Node, scalar: ScalarQuery) -> Node:
    if not scalar.correlated:
        return algebra.Join(scalar.span, left, scalar.node)
    keys, groups = _groups(left, scalar)
    width, own = len(left.schema), tuple(algebra.column_term(left, n)
                                         for n in range(len(left.schema)))
    of_groups = tuple(algebra.column_term(groups, n) for n in range(len(keys)))
    met = algebra.Join(scalar.span, left, groups, keys, of_groups)
    called = tuple(Variable(c.type, scalar.span, width + len(keys) + n)
                   for n, c in enumerate(scalar.calls))
    marked = algebra.Mark(scalar.span, left, groups, keys, of_groups)
    alone = algebra.Filter(scalar.span, marked, _not(algebra.column_term(marked, width)))
    both = algebra.UnionAll(scalar.span, _row(met, *own, *called),
                            _row(alone, *own, *(_of_no_rows(c, scalar.span) for c in scalar.calls)))
    return _row(both, *own, shifted(scalar.value, -width))


def _groups(left: Node, scalar: ScalarQuery) -> tuple[tuple[Term, ...], Node]:
    """The terms of the query around that a group belongs to, and the groups: their keys, then what
    the calls give."""
    pairs = [key_pair(c) for c in scalar.correlated]
    if all(pairs):
        outer, inner = zip(*pairs)
        return tuple(map(of_own, outer)), _grouped(scalar, scalar.node, inner, scalar.calls)
    named = tuple(dict.fromkeys(
        no_nulls(part, "what this query names of the query around it")
        for c in scalar.correlated for part in walk(c)
        if isinstance(part, Variable) and isinstance(part.slot, tuple)))
    outer = tuple(map(of_own, named))
    values = algebra.Distinct(scalar.span, _row(left, *outer))

    def beside(term: Term) -> Term | None:
        if not isinstance(term, Variable):
            return None
        if isinstance(term.slot, tuple):
            return Variable(term.type, term.span, named.index(term))
        return Variable(term.type, term.span, term.slot + len(named))
    rows = joined([values, scalar.node], [rewritten(c, beside) for c in scalar.correlated])
    calls = tuple(c if c.argument is None else replace(c, argument=rewritten(c.argument, beside))
                  for c in scalar.calls)
    keys = tuple(algebra.column_term(values, n) for n in range(len(named)))
    return outer, _grouped(scalar, rows, keys, calls)


def _grouped(scalar: ScalarQuery, rows: Node, keys: tuple[Term, ...],
             calls: tuple[AggregateCall, ...]) -> Node:
    """The groups, each of which has a row at least."""
    def certain(call: AggregateCall) -> AggregateCall:
        value = BOOL if call.argument is None else call.argument.type
        return replace(call, type=aggregate_type(call.function, value, grouped=True))
    return algebra.Group(scalar.span, rows, keys, tuple(map(certain, calls)))


def _row(node: Node, *terms: Term) -> Node:
    return algebra.Project(node.span, node, terms, numbered(["c"] * len(terms)))


def _not(term: Term) -> Term:
    return applied(OPERATORS["not"], (term,), term.span, "not")


def _of_no_rows(call: AggregateCall, span: Span) -> Term:
    """What an aggregate gives for no rows."""
    count = call.function == "count"
    return Constant(INT, span, 0) if count else Constant(call.type, span, None)


FRACTION = Builtin("fraction", (FLOAT, FLOAT), OptionalOf(FLOAT), "fraction({}, {})")
"""Of two queries: a part of a whole, and null as long as there is no whole."""


def calculated(translator, query: syntax.Calculation) -> Node:
    """One row, of a value of the values of two queries."""
    sides = []
    for each in (query.left, query.right):
        check_one_row(each)
        node = translator.relation(each)
        if len(node.schema) != 1:
            raise ProgramError("a query that is a value must have one column", each.span,
                               got=f"{len(node.schema)} columns")
        sides.append(node)
    left, right = (Variable(node.schema[0].type, node.span, n) for n, node in enumerate(sides))
    candidates = [FRACTION] if query.operator == "/" else OPERATORS[query.operator]
    term = applied(candidates, (left, right), query.span, f"'{query.operator}'")
    if term.type == NONE:
        raise ProgramError("this is always null", query.span)
    return algebra.Project(query.span, algebra.Join(query.span, *sides), (term,), ("column1",))
