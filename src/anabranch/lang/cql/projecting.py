"""The select list, with groups and aggregates, and the names of its columns."""

from __future__ import annotations

import keyword
from collections.abc import Iterator
from copy import copy

from anabranch.errors import ProgramError
from anabranch.lang.common.syntax import Call, Name
from anabranch.lang.common.syntax import Node as Syntax
from anabranch.lang.common.terms import Term, Variable, rewritten, walk
from anabranch.lang.cql import sra, syntax
from anabranch.lang.cql.builtins import AGGREGATES
from anabranch.lang.cql.checking import Aggregated, Checker
from anabranch.lang.cql.names import Rows
from anabranch.lang.cql.sra import AggregateCall, Node
from anabranch.lang.cql.syntax import Aggregation


def projected(query: syntax.Select, node: Node, rows: Rows) -> Node:
    """The rows of a select list over the rows of its tables."""
    if is_grouped(query):
        return _grouped(query, node, rows)
    checker, terms, names = Checker(rows), [], []
    for item in query.items:
        if isinstance(item, syntax.AllColumns):
            for position in _star(item, rows):
                terms.append(Variable(rows.columns[position].type, item.span, position))
                names.append(rows.columns[position].name)
        else:
            terms.append(checker.check(item.expression))
            names.append(_name(item, names))
    return sra.Project(query.span, node, tuple(terms), numbered(names))


def is_grouped(query: syntax.Select) -> bool:
    """Whether it has groups: by `group by`, by `having`, or by an aggregate in its list."""
    items = [i.expression for i in query.items if isinstance(i, syntax.Item)]
    return bool(query.group or query.having) or any(map(_has_aggregate, items))


def _has_aggregate(node: Syntax) -> bool:
    if isinstance(node, Aggregation):
        return True
    if isinstance(node, Call) and str(node.function).lower() in AGGREGATES:
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


def _star(item: syntax.AllColumns, rows: Rows) -> list[int]:
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


def _grouped(query: syntax.Select, node: Node, rows: Rows) -> Node:
    for item in query.items:
        if isinstance(item, syntax.AllColumns):
            raise ProgramError("'*' cannot stand in the list of a query with groups", item.span,
                               help="name the attributes that the groups are made by")
    keys = tuple(_with_aliases(Checker(rows, "'group by'"), query, rows).check(g)
                 for g in query.group)
    checker, names = Checker(rows, grouped=bool(keys)), []
    terms = [checker.check(item.expression) for item in query.items]
    having = None if query.having is None else _with_aliases(
        checker, query, rows).condition(query.having)
    calls = tuple(dict.fromkeys(part.call for term in (*terms, *([having] if having else []))
                                for part in walk(term) if isinstance(part, Aggregated)))
    grouped: Node = sra.Group(query.span, node, keys, calls)
    if having is not None:
        grouped = sra.Filter(query.having.span, grouped, _over_groups(having, keys, calls))
    for item in query.items:
        names.append(_name(item, names))
    return sra.Project(query.span, grouped, tuple(_over_groups(t, keys, calls) for t in terms),
                       numbered(names))


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


def _over_groups(term: Term, keys: tuple[Term, ...], calls: tuple[AggregateCall, ...]) -> Term:
    """The term over the rows of the groups: its keys and aggregates are columns of these."""
    def column(part: Term) -> Term | None:
        if part in keys:
            return Variable(part.type, part.span, keys.index(part))
        if isinstance(part, Aggregated):
            return Variable(part.type, part.span, len(keys) + calls.index(part.call))
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
        inner = arguments[0] if len(arguments) == 1 and function in AGGREGATES else None
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
