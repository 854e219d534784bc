"""Conditions with queries in them: `exists`, `in`, `any` become marks on the rows of their query.
"""

from __future__ import annotations

from anabranch.errors import ProgramError
from anabranch.ir.types import BOOL, AnyOf, meet
from anabranch.lang.common.checking import applied, shown
from anabranch.lang.common.terms import Term, Variable, rewritten
from anabranch.lang.cql import sra, syntax
from anabranch.lang.cql.builtins import OPERATORS
from anabranch.lang.cql.checking import MARK, Checker, Marked, no_nulls
from anabranch.lang.cql.names import OUTER, Rows, is_correlated, own_slots, slots
from anabranch.lang.cql.projecting import is_grouped
from anabranch.lang.cql.sra import Node
from anabranch.lang.cql.tables import conjunction, equality, filtered, joined


def marked_rows(translator, tables: list[Node], rows: Rows, conditions: list[Term],
                marked: list[Marked]) -> Node:
    """The joined tables with a mark for each condition with a query, filtered by them at last."""
    plain = [c for c in conditions if not _marks(c)]
    others = [c for c in conditions if _marks(c)]
    node, width = joined(tables, plain), sum(len(table.schema) for table in tables)
    for number, mark in enumerate(marked):
        # A mark that is a condition by itself can only add rows; any other use may take some away.
        positive = all(isinstance(c, Variable) or number not in _marks(c) for c in others)
        node = _mark(translator, node, rows, mark, positive)
    return filtered(node, [rewritten(c, lambda t: _in_row(t, width)) for c in others])


def _marks(term: Term) -> set[int]:
    return {slot[1] for slot in slots(term) if isinstance(slot, tuple) and slot[0] == MARK}


def _in_row(term: Term, width: int) -> Term | None:
    if isinstance(term, Variable) and isinstance(term.slot, tuple) and term.slot[0] == MARK:
        return Variable(BOOL, term.span, width + term.slot[1])
    return None


def _mark(translator, left: Node, rows: Rows, mark: Marked, positive: bool) -> Node:
    query, span = mark.node.query, mark.node.span
    if isinstance(query, syntax.Select):
        block = translator.block(query, rows)
        if block.correlated:
            return _correlated(left, block, mark, positive)
    right = translator.relation(query)
    values = [Variable(c.type, query.span, i) for i, c in enumerate(right.schema)]
    return sra.Mark(span, left, right, *_membership(mark, values), _comparison(mark, values),
                    positive)


def _correlated(left: Node, block, mark: Marked, positive: bool) -> Node:
    """A mark by the conditions that name both queries: equalities are keys, the rest is tested."""
    _refuse(mark.node.query)
    values = _selected(mark.node.query, block.rows)
    left_keys, right_keys = map(list, _membership(mark, values))
    rest = [c for c in [_comparison(mark, values)] if c is not None]
    for condition in block.correlated:
        if _marks(condition):
            raise ProgramError("a condition with a query in it cannot name the query around",
                               condition.span)
        pair = _keys(condition)
        if pair is None:
            rest.append(condition)
        else:
            left_keys.append(rewritten(pair[0], _as_own))
            right_keys.append(pair[1])
    return sra.Mark(mark.node.span, left, block.node, tuple(left_keys), tuple(right_keys),
                    conjunction(rest) if rest else None, positive)


def _refuse(query: syntax.Select) -> None:
    """What a query that names the query around it cannot have."""
    if query.to_stream:
        raise ProgramError(f"{query.to_stream} cannot stand in a query that names the query "
                           "around it", query.span)
    if is_grouped(query):
        raise ProgramError("a query that names the query around it cannot have groups",
                           query.span, help="define it as a view, and join that")


def _selected(query: syntax.Select, rows: Rows) -> list[Term]:
    """The terms of its select list, as many as `in` needs."""
    checker, terms = Checker(rows, "this query"), []
    for item in query.items:
        if isinstance(item, syntax.AllColumns):
            terms += [Variable(c.type, item.span, i) for i, c in enumerate(rows.columns)]
        else:
            terms.append(checker.check(item.expression))
    return terms


def _membership(mark: Marked, values: list[Term]) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    """The keys of `operand in (query)`; none for others."""
    if not isinstance(mark.node, syntax.InQuery):
        return (), ()
    value = _one_value(mark, values)
    if isinstance(meet(mark.operand.type, value.type), AnyOf):
        raise ProgramError("'in' compares values of one type", mark.node.span,
                           expected=shown(mark.operand.type), got=shown(value.type))
    return (mark.operand,), (value,)


def _comparison(mark: Marked, values: list[Term]) -> Term | None:
    """The condition of `operand < any (query)`; None for others."""
    if not isinstance(mark.node, syntax.Compared):
        return None
    operator = mark.node.operator
    sides = (rewritten(mark.operand, _as_outer), _one_value(mark, values))
    return applied(OPERATORS[operator], sides, mark.node.span, f"'{operator}'")


def _one_value(mark: Marked, values: list[Term]) -> Term:
    """The column of a query that something is compared with."""
    if len(values) != 1:
        raise ProgramError("the query of a comparison must have one column",
                           mark.node.query.span, got=f"{len(values)} columns")
    value = values[0]
    if is_correlated(mark.operand) or is_correlated(value):
        raise ProgramError("this names the query around it", value.span or mark.operand.span,
                           help="use 'exists' with a condition")
    no_nulls(mark.operand, "what is compared with the query")
    return no_nulls(value, "the column of the query")


def _keys(condition: Term) -> tuple[Term, Term] | None:
    """An equality between a term of the query around and one of this query."""
    pair = equality(condition)
    for a, b in (pair, pair[::-1]) if pair else ():
        if is_correlated(a) and not own_slots(a) and not is_correlated(b):
            return a, b
    return None


def _as_outer(term: Term) -> Term | None:
    """The columns of the query around, as a condition of the query inside calls them."""
    is_column = isinstance(term, Variable)
    return Variable(term.type, term.span, (OUTER, term.slot)) if is_column else None


def _as_own(term: Term) -> Term | None:
    if isinstance(term, Variable) and isinstance(term.slot, tuple) and term.slot[0] == OUTER:
        return Variable(term.type, term.span, term.slot[1])
    return None
