"""The tables of a query: their windows, and their joins by what `where` says.

A condition is used as early as it can be: on one table, as the key of a join, or behind the join
that has all its columns. One that may fail waits until all other conditions have been met.
"""

from __future__ import annotations

from functools import reduce

from anabranch.lang.common.checking import applied
from anabranch.lang.common.terms import Applied, Term, Variable, is_partial, rewritten
from anabranch.lang.cql.builtins import OPERATORS
from anabranch.lang.cql.names import own_slots
from anabranch.lang.cql.sra import Filter, Join, Node


def conjuncts(term: Term) -> list[Term]:
    """The conditions that must all hold."""
    if isinstance(term, Applied) and term.builtin.name == "and":
        return [c for argument in term.arguments for c in conjuncts(argument)]
    return [term]


def conjunction(conditions: list[Term]) -> Term:
    return reduce(lambda a, b: applied(OPERATORS["and"], (a, b), a.span, "and"), conditions)


def equality(term: Term) -> tuple[Term, Term] | None:
    """The two sides of `a = b`."""
    if isinstance(term, Applied) and term.builtin.name == "=":
        return term.arguments
    return None


def equated(conditions: list[Term]) -> frozenset[frozenset[int]]:
    """The pairs of columns that are said to be the same."""
    sides = [equality(c) for c in conditions]
    return frozenset(frozenset(s.slot for s in pair) for pair in sides
                     if pair and all(isinstance(s, Variable) and isinstance(s.slot, int)
                                     for s in pair))


def shifted(term: Term, by: int) -> Term:
    """The term over rows that begin `by` columns later."""
    return rewritten(term, lambda t: Variable(t.type, t.span, t.slot - by)
                     if isinstance(t, Variable) else None)


def joined(tables: list[Node], conditions: list[Term]) -> Node:
    """All tables as one relation, filtered by all conditions."""
    waiting = [c for c in conditions if not is_partial(c)]
    late = [c for c in conditions if is_partial(c)]
    node, width = None, 0
    for table in tables:
        end = width + len(table.schema)
        alone, waiting = _parted(waiting, width, end)
        table = filtered(table, [shifted(c, width) for c in alone])
        node, waiting = (table, waiting) if node is None else _join(node, table, width, waiting)
        ready, waiting = _parted(waiting, 0, end)
        node, width = filtered(node, ready), end
    return filtered(node, waiting + late)


def _join(left: Node, right: Node, width: int, waiting: list[Term]) -> tuple[Node, list[Term]]:
    """A join by the conditions that equate a term of one side with one of the other."""
    keys, rest = [], []
    for condition in waiting:
        pair = _sides(condition, width, width + len(right.schema))
        (keys if pair else rest).append(pair or condition)
    return Join(right.span, left, right, tuple(a for a, _ in keys),
                tuple(shifted(b, width) for _, b in keys)), rest


def _sides(condition: Term, width: int, end: int) -> tuple[Term, Term] | None:
    pair = equality(condition)
    if pair is None:
        return None
    for a, b in (pair, pair[::-1]):
        left, right = own_slots(a), own_slots(b)
        if left and right and max(left) < width <= min(right) and max(right) < end:
            return a, b
    return None


def filtered(node: Node, conditions: list[Term]) -> Node:
    if not conditions:
        return node
    term = conjunction(conditions)
    return Filter(term.span or node.span, node, term)


def _parted(conditions: list[Term], start: int, end: int) -> tuple[list[Term], list[Term]]:
    """Those that need columns from `start` to `end` and no others, and the rest."""
    inside = [c for c in conditions if own_slots(c) and own_slots(c) <= set(range(start, end))]
    return inside, [c for c in conditions if c not in inside]
