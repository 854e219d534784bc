"""Joins that are written as such: outer and natural ones, and those with `using`.

An outer join is an inner one, and the rows that meet none, which a mark tells, with nulls.
"""

from __future__ import annotations

from collections.abc import Callable

from anabranch.core.errors import ProgramError
from anabranch.ir.types import NONE, OptionalOf, Type
from anabranch.lang.common.check import applied
from anabranch.lang.common.syntax import Name
from anabranch.lang.common.terms import Constant, Term, Variable, rewritten
from anabranch.lang.cql import algebra, syntax
from anabranch.lang.cql.algebra import Column, Node, Schema
from anabranch.lang.cql.check import OPERATORS, OUTER, Checker, Rows
from anabranch.lang.cql.clauses import (
    conjunction,
    conjuncts,
    filtered,
    join_of,
    numbered,
    shifted,
)

Tables = tuple[tuple[Name | None, Schema], ...]
Pairs = frozenset[frozenset[int]]
"""The columns that `using` says are the same."""


def rows_of(tables: Tables, outer: Rows | None = None, same: Pairs = frozenset()) -> Rows:
    """The columns of some tables; one without a name has its number."""
    return Rows(tuple((str(alias or f"table {number}"), schema)
                      for number, (alias, schema) in enumerate(tables, 1)), outer, same)


def join(node: syntax.Joined, left: tuple[Tables, Node, Pairs], right: tuple[Tables, Node]
         ) -> tuple[Tables, Node, Pairs]:
    """Both sides as one: the tables with their columns, the rows, and which columns are one."""
    tables, width = left[0] + right[0], len(left[1].schema)
    kind = node.kind.partition(" ")[0]
    rows = rows_of(tables)
    pairs = [_pair(name, rows_of(left[0]), rows_of(right[0]), width)
             for name in _shared(node, left[0], right[0])]
    if pairs and kind in ("right", "full"):
        raise ProgramError(f"a {kind} join has two columns of a name, either of which may be null",
                           node.span, help="use `on`, with a condition")
    conditions = [applied(OPERATORS["="], pair, node.span, "'='") for pair in pairs]
    if node.on is not None:
        conditions += conjuncts(Checker(rows, "'on'").condition(node.on))
    made = _outer(node, kind, left[1], right[1], conditions)
    same = left[2] | {frozenset(term.slot for term in pair) for pair in pairs}
    return _renamed(tables, made.schema), made, same


def _shared(node: syntax.Joined, left: Tables, right: Tables) -> tuple[Name, ...]:
    """The names that both sides have, if that is what they are joined by."""
    if not node.kind.endswith("natural"):
        return node.using
    of_left = {column.name.lower() for _, schema in left for column in schema}
    shared = [c.name for _, schema in right for c in schema if c.name.lower() in of_left]
    if not shared:
        raise ProgramError("a natural join is by the attributes of the same names, and there are "
                           "none", node.span, help="use `join ... on`, with a condition")
    return tuple(Name(node.span, (name,)) for name in shared)


def _pair(name: Name, left: Rows, right: Rows, width: int) -> tuple[Term, Term]:
    return left.variable(name), shifted(right.variable(name), -width)


def _renamed(tables: Tables, schema: Schema) -> Tables:
    """The tables with the types that their columns have now."""
    types = iter(column.type for column in schema)
    return tuple((alias, tuple(Column(c.name, next(types)) for c in columns))
                 for alias, columns in tables)


def _outer(node: syntax.Joined, kind: str, left: Node, right: Node, conditions: list[Term]
           ) -> Node:
    width = len(left.schema)
    met, rest = join_of(left, right, width, conditions)
    keys = met.left_keys, met.right_keys
    rows = filtered(met, rest)
    if kind in ("inner", "cross", "natural"):
        return rows
    types = [column.type if keeps else _nullable(column.type)
             for side, keeps in ((left, kind == "left"), (right, kind == "right"))
             for column in side.schema]
    parts = [_as(rows, types, lambda slot: slot)]
    if kind in ("left", "full"):
        alone = _alone(node, left, right, keys, _over(rest, lambda s: s < width, 0, width))
        parts.append(_as(alone, types, lambda slot: slot if slot < width else None))
    if kind in ("right", "full"):
        alone = _alone(node, right, left, keys[::-1], _over(rest, lambda s: s >= width, width, 0))
        parts.append(_as(alone, types, lambda slot: slot - width if slot >= width else None))
    made = parts[0]
    for part in parts[1:]:
        made = algebra.UnionAll(node.span, made, part)
    return made


def _nullable(kind: Type) -> Type:
    return kind if isinstance(kind, OptionalOf) or kind == NONE else OptionalOf(kind)


def _over(conditions: list[Term], of_left: Callable[[int], bool], left: int, right: int
          ) -> Term | None:
    """Conditions over both sides, where the left one is the query around."""
    def placed(term: Term) -> Term | None:
        if not isinstance(term, Variable):
            return None
        slot = (OUTER, term.slot - left) if of_left(term.slot) else term.slot - right
        return Variable(term.type, term.span, slot)
    return conjunction([rewritten(c, placed) for c in conditions]) if conditions else None


def _alone(node: syntax.Joined, left: Node, right: Node, keys: tuple, condition: Term | None
           ) -> Node:
    """The rows of the left that meet none of the right."""
    marked = algebra.Mark(node.span, left, right, *keys, condition)
    mark = algebra.column_term(marked, len(left.schema))
    return algebra.Filter(node.span, marked,
                          applied(OPERATORS["not"], (mark,), node.span, "not"))


def _as(node: Node, types: list[Type], place: Callable[[int], int | None]) -> Node:
    """The rows as those of the join; a column that they have not is null."""
    terms = [Constant(kind, node.span, None) if place(slot) is None else
             Variable(kind, node.span, place(slot)) for slot, kind in enumerate(types)]
    return algebra.Project(node.span, node, tuple(terms), numbered(["c"] * len(terms)))
