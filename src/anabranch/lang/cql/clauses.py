"""The clauses of a query: tables and joins, the select list, conditions with queries.

`exists`, `in` and `any` become marks on the rows of their query.

The tables of a query: their windows, and their joins by what `where` says.

A condition is used as early as it can be: on one table, as the key of a join, or behind the join
that has all its columns. One that may fail waits until all other conditions have been met.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterator
from copy import copy
from functools import reduce

from anabranch.core.errors import ProgramError
from anabranch.ir.types import BOOL, AnyOf, meet
from anabranch.lang.common.check import applied, shown
from anabranch.lang.common.syntax import Call, Literal, Name
from anabranch.lang.common.syntax import Node as Syntax
from anabranch.lang.common.terms import Applied, Term, Variable, is_partial, rewritten, walk
from anabranch.lang.cql import algebra, syntax
from anabranch.lang.cql.algebra import AggregateCall, Filter, Join, Node
from anabranch.lang.cql.check import (
    AGGREGATE_NAMES,
    MARK,
    OPERATORS,
    OUTER,
    Aggregated,
    Checker,
    Marked,
    Rows,
    is_correlated,
    no_nulls,
    own_slots,
    slots,
)
from anabranch.lang.cql.syntax import Aggregation


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
        node, waiting = (table, waiting) if node is None else join_of(node, table, width, waiting)
        ready, waiting = _parted(waiting, 0, end)
        node, width = filtered(node, ready), end
    return filtered(node, waiting + late)


def join_of(left: Node, right: Node, width: int, waiting: list[Term]) -> tuple[Node, list[Term]]:
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


def projected(query: syntax.Select, node: Node, rows: Rows, scalars) -> Node:
    """The rows of a select list over the rows of its tables; `scalars` has the queries in it that
    are values."""
    if is_grouped(query):
        return _grouped(query, node, rows, scalars)
    checker, terms, names = Checker(rows), [], []
    checker.scalar = scalars.term
    for item in query.items:
        if isinstance(item, syntax.AllColumns):
            for position in star(item, rows):
                terms.append(Variable(rows.columns[position].type, item.span, position))
                names.append(rows.columns[position].name)
        else:
            terms.append(checker.check(item.expression))
            names.append(_name(item, names))
    node, placed = scalars.beside(node)
    return algebra.Project(query.span, node, tuple(map(placed, terms)), numbered(names))


def is_grouped(query: syntax.Select) -> bool:
    """Whether it has groups: by `group by`, by `having`, or by an aggregate in its list."""
    items = [i.expression for i in query.items if isinstance(i, syntax.Item)]
    return bool(query.group or query.having) or any(map(_has_aggregate, items))


def _has_aggregate(node: Syntax) -> bool:
    if isinstance(node, Aggregation):
        return True
    if isinstance(node, Call) and str(node.function).lower() in AGGREGATE_NAMES:
        return True
    return any(map(_has_aggregate, _parts(node)))


def _parts(node: object) -> Iterator[Syntax]:
    """The expressions right inside of an expression."""
    for value in vars(node).values():
        yield from _expressions(value)


def _expressions(value: object) -> Iterator[Syntax]:
    if isinstance(value, tuple):
        for each in value:
            yield from _expressions(each)
    elif isinstance(value, Syntax) and not isinstance(value, syntax.Select | syntax.SetOperation):
        yield value


def star(item: syntax.AllColumns, rows: Rows) -> list[int]:
    """The columns of `*`: those of one name that `where` equates stand once."""
    if item.of is not None:
        positions = rows.positions_of(str(item.of))
        if positions is None:
            raise ProgramError(f"there is no table '{item.of}'", item.of.span)
        return list(positions)
    kept: list[int] = []
    for position, column in enumerate(rows.columns):
        if not any(rows.columns[k].name.lower() == column.name.lower()
                   and rows.equated(k, position) for k in kept):
            kept.append(position)
    return kept


def _grouped(query: syntax.Select, node: Node, rows: Rows, scalars) -> Node:
    for item in query.items:
        if isinstance(item, syntax.AllColumns):
            raise ProgramError("'*' cannot stand in the list of a query with groups", item.span,
                               help="name the attributes that the groups are made by")
    keys = tuple(_with_aliases(Checker(rows, "'group by'"), query, rows).check(
        _numbered_item(g, query)) for g in query.group)
    checker, names = Checker(rows, grouped=bool(keys)), []
    checker.scalar = scalars.term
    terms = [checker.check(item.expression) for item in query.items]
    having = None if query.having is None else _with_aliases(
        checker, query, rows).condition(query.having)
    scalars.refuse_correlated()
    calls = tuple(dict.fromkeys(part.call for term in (*terms, *([having] if having else []))
                                for part in walk(term) if isinstance(part, Aggregated)))
    grouped, placed = scalars.beside(algebra.Group(query.span, node, keys, calls))
    if having is not None:
        grouped = algebra.Filter(query.having.span, grouped,
                                 placed(over_groups(having, keys, calls)))
    for item in query.items:
        names.append(_name(item, names))
    return algebra.Project(query.span, grouped,
                           tuple(placed(over_groups(t, keys, calls)) for t in terms),
                           numbered(names))


def _numbered_item(node: Syntax, query: syntax.Select) -> Syntax:
    """What a number in `group by` stands for: an item of the list, counted from 1."""
    if not isinstance(node, Literal) or type(node.value) is not int:
        return node
    if not 1 <= node.value <= len(query.items):
        raise ProgramError(f"the list has no item {node.value}", node.span,
                           expected=f"a number from 1 to {len(query.items)}")
    return query.items[node.value - 1].expression


def _with_aliases(checker: Checker, query: syntax.Select, rows: Rows) -> Checker:
    """A checker to which an alias is the expression that it is of, if no attribute has the name."""
    aliased = {str(i.alias).lower(): i.expression for i in query.items
               if isinstance(i, syntax.Item) and i.alias is not None}

    def variable(name: Name) -> Term:
        expression = None if rows.has(name) else aliased.get(str(name).lower())
        return rows.variable(name) if expression is None else checker.check(expression)

    wider = copy(checker)
    wider.variable = variable
    return wider


def over_groups(term: Term, keys: tuple[Term, ...], calls: tuple[AggregateCall, ...]) -> Term:
    """The term over the rows of the groups: its keys and aggregates are columns of these."""
    def column(part: Term) -> Term | None:
        if part in keys:
            return Variable(part.type, part.span, keys.index(part))
        if isinstance(part, Aggregated):
            return Variable(part.type, part.span, len(keys) + calls.index(part.call))
        if isinstance(part, Variable) and isinstance(part.slot, tuple) and part.slot[0] != OUTER:
            return part
        if isinstance(part, Variable):
            raise ProgramError("this is not the same for all rows of a group", part.span,
                               help="add it to 'group by', or put it into an aggregate")
        return None
    return rewritten(term, column)


def _name(item: syntax.Item, taken: list[str]) -> str:
    """A column's name: its alias, its attribute's name, or that of an aggregate's attribute."""
    if item.alias is not None:
        return str(possible(item.alias))
    node = item.expression
    if isinstance(node, Name):
        return node.parts[-1]
    if isinstance(node, Call | Aggregation):
        arguments = node.arguments if isinstance(node, Call) else (node.argument,)
        function = str(node.function).lower()
        inner = arguments[0] if len(arguments) == 1 and function in AGGREGATE_NAMES else None
        if isinstance(inner, Name) and inner.parts[-1] not in taken:
            return inner.parts[-1]
        return function
    return f"column{len(taken) + 1}"


def possible(name: Name) -> Name:
    """The name itself, if a record can have it."""
    if keyword.iskeyword(str(name)) or str(name).startswith("_"):
        raise ProgramError(f"nothing can be called '{name}'", name.span,
                           help="a word of Python, or a name that begins with '_', is kept apart")
    return name


def numbered(names: list[str], reserved: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The names with a number behind each that was there before.

    >>> numbered(["a", "b", "A"], reserved=("b",))
    ('a', 'b_2', 'A_2')
    """
    taken = {name.lower() for name in reserved}
    unique = []
    for name in names:
        fresh, count = name, 1
        while fresh.lower() in taken:
            count += 1
            fresh = f"{name}_{count}"
        taken.add(fresh.lower())
        unique.append(fresh)
    return tuple(unique)


def marked_rows(translator, node: Node, rows: Rows, conditions: list[Term],
                marked: list[Marked]) -> Node:
    """The rows with a mark for each condition with a query, filtered by the conditions at last."""
    width = len(node.schema)
    for number, mark in enumerate(marked):
        # A mark that is a condition by itself can only add rows; any other use may take some away.
        positive = all(isinstance(c, Variable) or number not in marks_in(c) for c in conditions)
        node = _mark(translator, node, rows, mark, positive)
    return filtered(node, [rewritten(c, lambda t: _in_row(t, width)) for c in conditions])


def marks_in(term: Term) -> set[int]:
    """The numbers of the conditions with queries that a term has in it."""
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
    return algebra.Mark(span, left, right, *_membership(mark, values), _comparison(mark, values),
                    positive)


def _correlated(left: Node, block, mark: Marked, positive: bool) -> Node:
    """A mark by the conditions that name both queries: equalities are keys, the rest is tested."""
    _refuse(mark.node.query)
    values = _selected(mark.node.query, block.rows)
    left_keys, right_keys = map(list, _membership(mark, values))
    rest = [c for c in [_comparison(mark, values)] if c is not None]
    for condition in block.correlated:
        if any(isinstance(slot, tuple) and slot[0] != OUTER for slot in slots(condition)):
            raise ProgramError("a condition with a query in it cannot name the query around",
                               condition.span)
        pair = key_pair(condition)
        if pair is None:
            rest.append(condition)
        else:
            left_keys.append(of_own(pair[0]))
            right_keys.append(pair[1])
    return algebra.Mark(mark.node.span, left, block.node, tuple(left_keys), tuple(right_keys),
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


def key_pair(condition: Term) -> tuple[Term, Term] | None:
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


def of_own(term: Term) -> Term:
    """A term of the query around, over its own rows."""
    return rewritten(term, _as_own)


def _as_own(term: Term) -> Term | None:
    if isinstance(term, Variable) and isinstance(term.slot, tuple) and term.slot[0] == OUTER:
        return Variable(term.type, term.span, term.slot[1])
    return None
