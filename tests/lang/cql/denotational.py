"""The meaning of CQL, computed the slow way: at every tick of the clock, every relation anew.

It reads the same syntax as the language does, and shares nothing else with it: no types, no
algebra, no changes. A result is a list of bags, one for each instant, or of lists for a stream.
"""

from __future__ import annotations

import math
import operator
import re
import statistics
from collections import Counter
from dataclasses import dataclass, is_dataclass
from fractions import Fraction

from anabranch.lang.common.syntax import Call, Choice, Literal, Name, Operation
from anabranch.lang.cql import syntax
from anabranch.lang.cql.parser import read

CALCULATED = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
AGGREGATES = ("count", "sum", "avg", "min", "max", "median", "stddev", "stddev_pop", "var_samp",
              "var_pop")


@dataclass
class Value:
    """A stream (lists of rows) or a relation (bags of rows), with one entry for each instant, and
    whether rows came then from an input that it is made of."""

    columns: list[str]
    at: list
    is_stream: bool
    came: list[bool]
    grows: bool = False
    order: list[tuple[int, bool]] = ()


def outputs(text: str, inputs: dict[str, list[tuple]]) -> list[list[tuple]]:
    """What each query without a name writes. The rows of an input begin with their timestamp; of
    a relation's, `+` or `-` comes next."""
    statements = read(text, "oracle.cql")
    times = {row[0] for rows in inputs.values() for row in rows}
    instants = range(min(times), max(times) + 1) if times else range(0)
    names: dict[str, Value] = {}
    written, functions = [], {}
    for statement in statements:
        if isinstance(statement, syntax.FunctionDefinition):
            names_of = [str(name) for name, _ in statement.parameters]
            functions[str(statement.name)] = names_of, called_in(statement.body, functions)
            continue
        statement = called_in(statement, functions)
        if isinstance(statement, syntax.Declaration):
            names[str(statement.name)] = declared(statement, inputs, instants)
            continue
        value = finished(Query(names, instants).of(statement.query))
        if isinstance(statement, syntax.Definition):
            names[str(statement.name)] = value
        else:
            written.append(shown(value, instants))
    return written


def declared(statement, inputs, instants) -> Value:
    rows = inputs[str(statement.name)]
    came = [any(row[0] == t for row in rows) for t in instants]
    columns = [str(kind if statement.type_first else name) for name, kind in statement.fields]
    if statement.kind == "stream":
        at = [[row[1:] for row in rows if row[0] == t] for t in instants]
        return Value(columns, at, True, came, True)
    at = []
    for t in instants:
        bag = Counter()
        for row in rows:
            if row[0] <= t:
                bag[row[2:]] += 1 if row[1] == "+" else -1
        at.append(+bag)
    return Value(columns, at, False, came)


def finished(value: Value) -> Value:
    return value if value.is_stream or not value.grows else to_stream(value, "istream")


def shown(value: Value, instants: list) -> list[tuple]:
    out, before = [], Counter()
    for t, now in zip(instants, value.at):
        if value.is_stream:
            out += [(t, *row) for row in now]
        else:
            out += [(t, "-", *row) for row in in_order(before - now, value.order)]
            out += [(t, "+", *row) for row in in_order(now - before, value.order)]
            before = now
    return out


def in_order(bag: Counter, order=()) -> list[tuple]:
    rows = sorted(bag.elements(), key=lambda row: [(v is not None, v) for v in row])
    for position, descending in reversed(order):
        rows = sorted(rows, key=lambda row: (row[position] is not None, row[position]),
                      reverse=descending) if not descending else turned(rows, position)
    return rows


def turned(rows: list[tuple], position: int) -> list[tuple]:
    """Stable, and descending: rows of one value stay as they were."""
    values = sorted({(row[position] is not None, row[position]) for row in rows}, reverse=True)
    return [row for value in values for row in rows
            if (row[position] is not None, row[position]) == value]


def to_stream(value: Value, operator: str) -> Value:
    """By its definition `rstream` would write at every tick; it does when something has come that
    its relation is made of, or has changed."""
    at, before = [], Counter()
    for now, came in zip(value.at, value.came):
        whole = now if came or now != before else Counter()
        chosen = {"istream": now - before, "dstream": before - now, "rstream": whole}[operator]
        at.append(in_order(chosen, value.order))
        before = now
    return Value(value.columns, at, True, value.came, True)


class Query:
    """Evaluates queries; `outer` has the tables of the queries around."""

    def __init__(self, names, instants, outer=(), index=None):
        self.names, self.instants, self.outer, self.index = names, instants, outer, index

    def of(self, query) -> Value:
        return getattr(self, type(query).__name__.lower())(query)

    def came(self, query) -> list[bool]:
        used = [self.names[str(each.name)].came for each in references(query)]
        return [any(each[i] for each in used) for i in range(len(self.instants))]

    def reference(self, query):
        return self.names[str(query.name)]

    def tostream(self, query):
        return to_stream(self.of(query.query), query.operator)

    def setoperation(self, query):
        left, right = self.relation(query.left), self.relation(query.right)
        at = [self.combined(query, a, b) for a, b in zip(left.at, right.at)]
        grows = left.grows and right.grows and query.operator != "except"
        return Value(left.columns, at, False, self.came(query), grows)

    @staticmethod
    def combined(query, a: Counter, b: Counter) -> Counter:
        if not query.every and query.operator != "union":
            a, b = Counter(set(a)), Counter(set(b))
        result = {"union": a + b, "except": a - b, "intersect": a & b}[query.operator]
        return result if query.every else Counter(set(result))

    def relation(self, query) -> Value:
        value = self.of(query)
        return window(value, None, self.instants) if value.is_stream else value

    def calculation(self, query):
        left, right = self.relation(query.left), self.relation(query.right)
        at = []
        for (a,), (b,) in zip(*([next(iter(bag)) for bag in side.at] for side in (left, right))):
            none = a is None or b is None or (query.operator == "/" and b == 0)
            at.append(Counter([(None if none else CALCULATED[query.operator](a, b),)]))
        return Value(["column1"], at, False, self.came(query))

    def table(self, table, number) -> tuple[str, Value]:
        value = self.of(table.source)
        if value.is_stream:
            value = window(value, table.window, self.instants)
        own = table.source.name if isinstance(table.source, syntax.Reference) else number
        return str(table.alias or own), value

    def tables(self, item, number) -> list[tuple[str, Value]]:
        if isinstance(item, syntax.Joined):
            return [*self.tables(item.left, number), self.table(item.right, number)]
        return [self.table(item, number)]

    def rows(self, item, number, index) -> list[tuple]:
        """The rows of an item of `from`: for each table its name, its columns and its cells."""
        if not isinstance(item, syntax.Joined):
            alias, value = self.table(item, number)
            return [((alias, value.columns, r),) for r in value.at[index].elements()]
        left, right = self.rows(item.left, number, index), self.rows(item.right, number, index)
        a, b = self.tables(item.left, number), [self.table(item.right, number)]
        names = [str(name) for name in item.using]
        if item.kind.endswith("natural"):
            names = [c for c in b[0][1].columns if any(c in v.columns for _, v in a)]

        def meet(x, y) -> bool:
            same = all(lookup(Name(None, (n,)), x, ()) == lookup(Name(None, (n,)), y, ())
                       for n in names)
            return same and (item.on is None or self.value(item.on, (*x, *y), index) is True)
        met = [(*x, *y) for x in left for y in right if meet(x, y)]
        kind = item.kind.split()[0]
        if kind in ("left", "full"):
            met += [(*x, *nulls(b)) for x in left if not any(meet(x, y) for y in right)]
        if kind in ("right", "full"):
            met += [(*nulls(a), *y) for y in right if not any(meet(x, y) for x in left)]
        return met

    def select(self, query):
        tables = [each for n, item in enumerate(query.tables) for each in self.tables(item, n)]
        grouped = bool(query.group or query.having) or any(
            has_aggregate(i.expression) for i in query.items if isinstance(i, syntax.Item))
        which = range(len(self.instants)) if self.index is None else [self.index]
        at = [self.selected(query, tables, i, grouped) if i in which else Counter()
              for i in range(len(self.instants))]
        columns = [name for i in query.items for name in column_names(i, tables)]
        order = [(position(each.expression, query.items, columns), each.descending)
                 for each in query.order]
        if query.limit is not None:
            at = [Counter(in_order(bag, order)[:query.limit]) for bag in at]
        joins = any(isinstance(item, syntax.Joined) and outer(item) for item in query.tables)
        grows = (not grouped and not joins and query.limit is None
                 and all(v.grows for _, v in tables)
                 and all(map(self.only_adds, conjuncts(query.where))))
        grows = grows and not any(correlated(i) for i in query.items)
        value = Value(columns, at, False, self.came(query), grows, order)
        return to_stream(value, query.to_stream) if query.to_stream else value

    def only_adds(self, condition) -> bool:
        """Whether rows that meet a condition go on to meet it."""
        if not isinstance(condition, syntax.Exists | syntax.InQuery | syntax.Compared):
            return not has_query(condition)
        inner = condition.query
        return isinstance(inner, syntax.Select) and all(
            t.window is None or t.window.kind == "unbounded" for t in inner.tables)

    def selected(self, query, tables, index, grouped) -> Counter:
        rows = [()]
        for number, item in enumerate(query.tables):
            rows = [(*row, *more) for row in rows for more in self.rows(item, number, index)]
        where = [row for row in rows if query.where is None
                 or self.value(query.where, row, index) is True]
        results = Counter(self.groups(query, where, index) if grouped else
                          [self.row(query, row, index) for row in where])
        return Counter(set(results)) if query.distinct else results

    def row(self, query, row, index, group=None) -> tuple:
        values = []
        for item in query.items:
            if isinstance(item, syntax.AllColumns):
                values += [v for _, _, cells in row for v in cells]
            else:
                values.append(self.value(item.expression, row, index, group))
        return tuple(values)

    def groups(self, query, rows, index) -> list[tuple]:
        groups: dict[tuple, list] = {} if query.group else {(): []}
        for row in rows:
            groups.setdefault(tuple(self.value(g, row, index) for g in query.group), []).append(row)
        return [self.row(query, group[0] if group else (), index, group)
                for group in groups.values()
                if query.having is None
                or self.value(query.having, group[0] if group else (), index, group) is True]

    def value(self, node, row, index, group=None):
        """The value of an expression for a row; `group` has the rows of its group."""
        def at(part):
            return self.value(part, row, index, group)
        match node:
            case Literal():
                return node.value
            case Name():
                return lookup(node, row, self.outer)
            case Choice():
                return next((at(v) for c, v in node.branches if at(c) is True),
                            None if node.otherwise is None else at(node.otherwise))
            case syntax.Exists():
                return bool(self.nested(node.query, row, index))
            case syntax.InQuery():
                return (at(node.operand),) in self.nested(node.query, row, index)
            case syntax.Compared():
                rows = self.nested(node.query, row, index)
                return any(compared(node.operator, at(node.operand), value) for value, in rows)
            case syntax.Scalar():
                [(value,)] = self.nested(node.query, row, index)
                return value
            case syntax.Aggregation():
                some = group if node.condition is None else [
                    each for each in group if self.value(node.condition, each, index) is True]
                return self.aggregate(called(node), node.argument, node.distinct, some, index)
            case syntax.Together():
                values = tuple(map(at, node.parts))
                return None if None in values else values
            case Call() if called(node) in AGGREGATES:
                return self.aggregate(called(node), node.arguments[0], False, group, index)
        return operation(node, at)

    def nested(self, query, row, index) -> Counter:
        inner = Query(self.names, self.instants, (*row, *self.outer), index)
        return inner.relation(query).at[index]

    def aggregate(self, name, argument, distinct, group, index):
        values = [True if argument is None else self.value(argument, row, index) for row in group]
        values = [v for v in values if v is not None]
        if distinct:
            values = list(set(values))
        if name == "count":
            return len(values)
        if not values:
            return None
        if name in ("min", "max"):
            return min(values) if name == "min" else max(values)
        exact = sum(map(Fraction, values))
        if name == "median":
            return float(statistics.median(map(Fraction, values)))
        if name.startswith(("var", "stddev")):
            return spread(name, [Fraction(v) for v in values])
        if name == "avg":
            return float(exact / len(values))
        return int(exact) if all(isinstance(v, int) for v in values) else float(exact)


def spread(name, values) -> float | None:
    count = len(values) - (not name.endswith("_pop"))
    if not count:
        return None
    mean = sum(values) / len(values)
    variance = float(sum((v - mean) ** 2 for v in values) / count)
    return math.sqrt(variance) if name.startswith("stddev") else variance


def nulls(tables) -> list[tuple]:
    return [(alias, value.columns, (None,) * len(value.columns)) for alias, value in tables]


def outer(item) -> bool:
    return item.kind.split()[0] in ("left", "right", "full") or (
        isinstance(item.left, syntax.Joined) and outer(item.left))


def position(expression, items, columns) -> int:
    """Which column a result is ordered by."""
    if isinstance(expression, Literal):
        return expression.value - 1
    of_items = [getattr(item, "expression", None) for item in items]
    return (of_items if expression in of_items else columns).index(
        expression if expression in of_items else str(expression))


def correlated(item) -> bool:
    """Whether a select list has a query in it: we take it that it may change."""
    return has_query(getattr(item, "expression", None))


def called_in(node, functions):
    """A piece of syntax with the bodies of the program's functions in place of their calls."""
    if isinstance(node, tuple):
        return tuple(called_in(each, functions) for each in node)
    if not is_dataclass(node) or not functions:
        return node
    parts = {name: called_in(part, functions) for name, part in vars(node).items()}
    if isinstance(node, Call) and str(node.function) in functions:
        names, body = functions[str(node.function)]
        return in_place(body, dict(zip(names, parts["arguments"])))
    return type(node)(**parts)


def in_place(node, values):
    if isinstance(node, tuple):
        return tuple(in_place(each, values) for each in node)
    if isinstance(node, Name):
        return values.get(str(node), node)
    if not is_dataclass(node):
        return node
    return type(node)(**{name: part if name == "function" else in_place(part, values)
                         for name, part in vars(node).items()})


def references(node) -> list[syntax.Reference]:
    """All inputs and queries that a query names, also in queries inside of it."""
    if isinstance(node, syntax.Reference):
        return [node]
    parts = node if isinstance(node, tuple) else vars(node).values() if is_dataclass(node) else ()
    return [found for part in parts for found in references(part)]


def operation(node, at):
    match node:
        case Operation(operator="and"):
            return three(at, node.operands, False)
        case Operation(operator="or"):
            return three(at, node.operands, True)
        case Operation(operator="is null"):
            return at(node.operands[0]) is None
    if isinstance(node, Call) and called(node) == "coalesce":
        return next((v for v in map(at, node.arguments) if v is not None), None)
    operands = [at(o) for o in (node.operands if isinstance(node, Operation) else node.arguments)]
    if None in operands:
        return None
    name = node.operator if isinstance(node, Operation) else str(node.function)
    if name in FUNCTIONS:
        return FUNCTIONS[name](*operands)
    if len(operands) == 1:
        return {"not": lambda a: not a, "-": lambda a: -a, "abs": abs}[name](*operands)
    a, b = operands
    if name in "+-*":
        return {"+": a + b, "-": a - b, "*": a * b}[name]
    return compared(name, a, b)


def found_by(text: str, pattern: str, group: int = 0) -> str | None:
    match = re.search(pattern, text)
    return match and match[group]


def part(text: str, separator: str, number: int) -> str | None:
    return dict(enumerate(text.split(separator))).get(number)


def divided(a, b):
    """Towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


FUNCTIONS = {
    "/": divided, "mod": lambda a, b: a - b * divided(a, b), "lower": str.lower, "length": len,
    "replace": str.replace, "regexp_extract": found_by, "split_index": part,
    "split_part": lambda text, separator, n: part(text, separator, n - 1) or "",
    "position": lambda piece, text: text.find(piece) + 1,
}


def compared(operator: str, a, b) -> bool:
    return {"=": a == b, "<>": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[operator]


def three(at, operands, decisive: bool):
    values = [at(o) for o in operands]
    if decisive in values:
        return decisive
    return None if None in values else not decisive


def lookup(name: Name, row, outer):
    *table, column = name.parts
    for tables in (row, outer):
        for alias, columns, cells in tables:
            if column in columns and (not table or table[0] == alias):
                return cells[columns.index(column)]
    raise KeyError(str(name))


def has_aggregate(node) -> bool:
    if isinstance(node, syntax.Aggregation):
        return True
    if isinstance(node, Call):
        return called(node) in AGGREGATES
    return isinstance(node, Operation) and any(map(has_aggregate, node.operands))


def called(node) -> str:
    return str(node.function).lower()


def conjuncts(node) -> list:
    if isinstance(node, Operation) and node.operator == "and":
        return [c for operand in node.operands for c in conjuncts(operand)]
    return [] if node is None else [node]


def has_query(node) -> bool:
    if isinstance(node, Operation):
        return any(map(has_query, node.operands))
    return isinstance(node, syntax.Exists | syntax.InQuery | syntax.Compared | syntax.Scalar)


def column_names(item, tables) -> list[str]:
    if isinstance(item, syntax.AllColumns):
        return [c for _, value in tables for c in value.columns]
    named = item.expression.parts[-1] if isinstance(item.expression, Name) else item.expression
    return [str(item.alias or named)]


def window(value: Value, spec, instants) -> Value:
    """The relation of a window at each instant, from all of the stream up to it."""
    at = [Counter(windowed(value, spec, instants, i)) for i in range(len(instants))]
    return Value(value.columns, at, False, value.came, spec is None or spec.kind == "unbounded")


def windowed(value: Value, spec, instants, index) -> list[tuple]:
    past = [(instants[i], row) for i in range(index + 1) for row in value.at[i]]
    now = instants[index]
    if spec is None or spec.kind == "unbounded":
        return [row for _, row in past]
    if spec.kind == "now":
        return [row for t, row in past if t == now]
    if spec.kind == "range":
        as_of = now if spec.slide is None else now // spec.slide * spec.slide
        return [row for t, row in past if as_of - spec.length <= t <= as_of]
    if spec.kind == "hop":
        return [row for t, row in past if now - spec.length <= t < now and now % spec.slide == 0]
    if spec.kind == "session":
        return ended(past, [value.columns.index(name.parts[-1]) for name in spec.by], spec, now)
    if spec.kind == "rows":
        seen = len(past) if spec.slide is None else int(len(past) // spec.slide * spec.slide)
        return [row for _, row in past[:seen][-spec.rows:]]
    positions = [value.columns.index(name.parts[-1]) for name in spec.by]
    groups: dict[tuple, list] = {}
    for t, row in past:
        groups.setdefault(tuple(row[p] for p in positions), []).append((t, row))
    return [row for rows in groups.values() for t, row in rows[-spec.rows:]
            if spec.length is None or now - spec.length <= t]


def ended(past: list, positions: list[int], spec, now) -> list[tuple]:
    """The rows of the sessions that end now."""
    sessions: dict[tuple, list] = {}
    for t, row in past:
        key = tuple(row[p] for p in positions)
        own = sessions.setdefault(key, [])
        if t == now and own and own[-1][0] < now:
            continue
        if own and t - own[-1][0] >= spec.length:
            own.clear()
        own.append((t, row))
    return [row for own in sessions.values() if own[-1][0] + spec.length == now for _, row in own]
