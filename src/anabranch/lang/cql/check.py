"""The expressions of CQL: names, built-ins, aggregates, conditions with queries."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from anabranch.core.errors import ProgramError, did_you_mean
from anabranch.ir.types import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    STR,
    TIMESTAMP,
    OptionalOf,
    Type,
    accepts,
    without_none,
)
from anabranch.lang.common import check as checking
from anabranch.lang.common import terms as common
from anabranch.lang.common.check import applied, common_type, shown, unknown
from anabranch.lang.common.codegen import generated
from anabranch.lang.common.syntax import Call, Name, Node
from anabranch.lang.common.terms import (
    ORDERED,
    Builtin,
    Chosen,
    Constant,
    Term,
    Variable,
    table,
    walk,
)
from anabranch.lang.cql.algebra import AggregateCall, Schema
from anabranch.lang.cql.syntax import (
    Aggregation,
    Compared,
    Exists,
    Given,
    InQuery,
    Quoted,
    Scalar,
    Together,
)

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
class Several(Term):
    """Several values as one, which is null when one of them is."""

    values: tuple[Term, ...]

    @property
    def parts(self):
        return self.values

    def with_parts(self, parts):
        return replace(self, values=parts)

    @property
    def optional(self):
        return any(value.optional for value in self.values)


@generated.register
def _several(term: Several, place: Callable[[object], str]) -> str:
    texts = [generated(value, place) for value in term.values]
    return f"lifted(lambda *values: values, {', '.join(texts)})"


def _where(condition: Term, value: Term | None, node: Node) -> Term:
    """What an aggregate is over, for the rows that meet a condition; null for the others."""
    if value is None:
        value = Constant(BOOL, node.span, True)
    kind = value.type if value.optional or value.type == NONE else OptionalOf(value.type)
    return Chosen(kind, node.span, (condition, value, Constant(NONE, node.span, None)))


def takes(wanted: Type, given: Type) -> bool:
    """Whether a value may stand where one of a type is wanted: null may, and an int for a float."""
    return accepts(OptionalOf(wanted), given) or (wanted, without_none(given)) == (FLOAT, INT)


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
        if name in AGGREGATE_NAMES:
            if len(node.arguments) != 1:
                raise ProgramError(f"{name} takes one argument", node.span,
                                   help="least(a, b) and greatest(a, b) choose among several"
                                   if node.arguments else "count(*) counts the rows")
            return self._aggregate(node.function, node.arguments[0], False, node)
        if name == "nullif":
            return self._nullif(node)
        if name in ("coalesce", "nvl", "ifnull"):
            return self._coalesce(node)
        term = super().check_call(node)
        if name.startswith("regexp_") and isinstance(pattern := term.arguments[1], Constant):
            _check_pattern(pattern)
        return term

    def check_aggregation(self, node: Aggregation) -> Term:
        name = str(node.function).lower()
        if name not in AGGREGATE_NAMES:
            raise ProgramError(f"there is no aggregate '{node.function}'", node.function.span,
                               expected=", ".join(AGGREGATES))
        if node.argument is None and name != "count":
            raise ProgramError(f"only count takes '*', {name} does not", node.span)
        if isinstance(node.argument, Together) and name != "count":
            raise ProgramError(f"only count takes several values, {name} does not", node.span)
        return self._aggregate(node.function, node.argument, node.distinct, node, node.condition)

    def _aggregate(self, name: Name, argument: Node | None, distinct: bool, node: Node,
                   condition: Node | None = None) -> Term:
        if self.clause:
            raise ProgramError(f"an aggregate cannot stand in {self.clause}", node.span,
                               help="a condition on aggregates stands in 'having'")
        function = str(name).lower()
        distinct = distinct or function in COUNTED
        function = "count" if function in COUNTED else OTHER_NAMES.get(function, function)
        term = None if argument is None else self.check(argument)
        if condition is not None:
            term = _where(self.condition(condition), term, node)
        if term is not None and any(isinstance(part, Aggregated) for part in walk(term)):
            raise ProgramError("an aggregate cannot stand inside of another", node.span)
        value = BOOL if term is None else term.type
        takes = AGGREGATES[function].takes
        if term is not None and without_none(value) not in takes:
            raise ProgramError(f"{function} cannot be applied to {shown(value)}", term.span,
                               expected=" or ".join(map(shown, takes)))
        kind = aggregate_type(function, value, self.grouped)
        return Aggregated(kind, node.span, AggregateCall(function, term, distinct, kind))

    def check_quoted(self, node: Quoted) -> Term:
        return self.check_name(node)

    def check_together(self, node: Together) -> Term:
        return Several(BOOL, node.span, tuple(map(self.check, node.parts)))

    def check_given(self, node: Given) -> Term:
        """The term of an argument or a result, which must be of the type that is declared; a whole
        number becomes a float where one is."""
        term = self.check(node.value)
        if not takes(node.type, term.type):
            raise ProgramError(f"{node.function} cannot be applied to {shown(term.type)}",
                               term.span, expected=shown(node.type))
        if (node.type, without_none(term.type)) == (FLOAT, INT):
            return applied(FUNCTIONS["float"], (term,), term.span, "float")
        return term

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

    def _nullif(self, node: Call) -> Term:
        """Its first argument, or null where that is as the second."""
        if len(node.arguments) != 2:
            raise ProgramError("nullif takes two arguments", node.span)
        first, second = map(self.check, node.arguments)
        same = applied(OPERATORS["="], (first, second), node.span, "nullif")
        kind = OptionalOf(without_none(first.type))
        return Chosen(kind, node.span, (same, Constant(NONE, node.span, None), first))

    def check_exists(self, node: Exists) -> Term:
        return self._mark(Marked(node), node)

    def check_inquery(self, node: InQuery) -> Term:
        return self._mark(Marked(node, self.check(node.operand)), node)

    check_compared = check_inquery

    def check_scalar(self, node: Scalar) -> Term:
        if self.scalar is None:
            raise ProgramError("a query cannot be a value here", node.span,
                               expected="one in 'where', in 'having', or in the select list",
                               help="define it as a view, and join that")
        return self.scalar(node.query)

    def _mark(self, marked: Marked, node: Node) -> Term:
        if self.marked is None:
            raise ProgramError("a condition with a query can only stand in 'where'", node.span)
        self.marked.append(marked)
        return Variable(BOOL, node.span, (MARK, len(self.marked) - 1))


def _check_pattern(term: Constant) -> None:
    try:
        re.compile(term.value or "")
    except re.error as error:
        raise ProgramError(f"this is no regular expression: {error}", term.span) from None


def no_nulls(term: Term, what: str) -> Term:
    """The term itself; a `ProgramError` when it may be null, where that would be a trap."""
    if isinstance(term.type, OptionalOf) or term.type == NONE:
        raise ProgramError(f"{what} may be null here", term.span,
                           help="give it a value with coalesce(x, ...)")
    return term


OUTER = "outer"
"""The first part of the slot of a column of the query around this one."""


@dataclass(frozen=True)
class Rows:
    """The columns that the terms of a query see: those of its tables, side by side.

    `same` has the positions that `where` equates: they may be called by their name alone.
    """

    tables: tuple[tuple[str, Schema], ...]
    outer: Rows | None = None
    same: frozenset[frozenset[int]] = field(default=frozenset())

    @property
    def columns(self) -> Schema:
        return tuple(c for _, schema in self.tables for c in schema)

    def positions_of(self, alias: str) -> range | None:
        """The positions of a table's columns; None when there is no such table."""
        start = 0
        for name, schema in self.tables:
            if name.lower() == alias.lower():
                return range(start, start + len(schema))
            start += len(schema)
        return None

    def variable(self, name: Name) -> Term:
        """The column of this name, here or in the query around."""
        found = self._found(name)
        if found is not None:
            return Variable(self.columns[found].type, name.span, found)
        if self.outer is not None and (found := self.outer._found(name)) is not None:
            return Variable(self.outer.columns[found].type, name.span, (OUTER, found))
        raise self._unknown(name)

    def has(self, name: Name) -> bool:
        """Whether one of the tables has a column of this name."""
        return self._found(name) is not None

    def _found(self, name: Name) -> int | None:
        *table, column = name.parts
        if len(table) > 1:
            raise ProgramError("an attribute has a name, or that of its table and its own",
                               name.span, expected="table.attribute")
        among = self.positions_of(table[0]) if table else range(len(self.columns))
        if among is None:
            return None
        found = [i for i in among if self.columns[i].name.lower() == column.lower()]
        if len(found) > 1 and not all(self.equated(found[0], i) for i in found[1:]):
            raise ProgramError(f"the attribute '{column}' is ambiguous", name.span,
                               help="put the name of its table before it: " + " or ".join(
                                   f"{self._table(i)}.{column}" for i in found))
        return found[0] if found else None

    def equated(self, a: int, b: int) -> bool:
        """Whether `where` says that two columns are the same, perhaps through others."""
        reached: frozenset[int] = frozenset()
        wider = frozenset((a,))
        while wider != reached:
            reached = wider
            wider = reached.union(*(pair for pair in self.same if pair & reached))
        return b in reached

    def _table(self, position: int) -> str:
        return next(name for name, _ in self.tables if position in self.positions_of(name))

    def _unknown(self, name: Name) -> ProgramError:
        *table, column = name.parts
        if table and self.positions_of(table[0]) is None:
            return unknown("table", table[0], name.span, [alias for alias, _ in self.tables])
        further = self.outer.outer if self.outer is not None else None
        if further is not None and further._found(name) is not None:
            return ProgramError("a query can refer to the query around it, no further out",
                                name.span)
        among = self.positions_of(table[0]) if table else range(len(self.columns))
        known = dict.fromkeys(self.columns[i].name for i in among)
        if column.lower() == "timestamp":
            return ProgramError(f"there is no attribute '{name}'", name.span,
                                help="declare it with the others to use the timestamp as one")
        return ProgramError(f"there is no attribute '{name}'", name.span,
                            help=did_you_mean(column, known))


def slots(term: Term) -> set[object]:
    """The slots of all variables in a term."""
    return {part.slot for part in walk(term) if isinstance(part, Variable)}


def own_slots(term: Term) -> set[int]:
    return {slot for slot in slots(term) if isinstance(slot, int)}


def is_correlated(term: Term) -> bool:
    """Whether it names a column of the query around."""
    return any(isinstance(slot, tuple) and slot[0] == OUTER for slot in slots(term))


TYPES = {
    **dict.fromkeys(("int", "integer", "bigint", "smallint", "long"), INT),
    **dict.fromkeys(("float", "real", "double"), FLOAT),
    **dict.fromkeys(("string", "char", "varchar", "text", "byte"), STR),
    **dict.fromkeys(("bool", "boolean"), BOOL),
    **dict.fromkeys(("time", "timestamp", "datetime"), TIMESTAMP),
}

OPERATORS = {
    **common.OPERATORS,
    **table([
        *(Builtin("is null", (t,), BOOL, "({} is None)", for_none="({} is None)") for t in ORDERED),
        Builtin("like", (STR, STR), BOOL, "like({}, {})"),
    ]),
}
# A conversion may be called by any name of its type: cast(x as integer).
FUNCTIONS = {
    **common.FUNCTIONS,
    **{name: common.FUNCTIONS[{INT: "int", FLOAT: "float", STR: "string"}[kind]]
       for name, kind in TYPES.items() if kind in (INT, FLOAT, STR)},
    "substr": common.FUNCTIONS["substring"], "pow": common.FUNCTIONS["power"],
    "ceiling": common.FUNCTIONS["ceil"], "log": common.FUNCTIONS["ln"],
    "char_length": common.FUNCTIONS["length"],
    **table([
        Builtin("regexp_like", (STR, STR), BOOL, "regexp_like({}, {})", True),
        Builtin("regexp_extract", (STR, STR), OptionalOf(STR), "regexp_extract({}, {})", True),
        Builtin("regexp_extract", (STR, STR, INT), OptionalOf(STR), "regexp_extract({}, {}, {})",
                True),
        Builtin("regexp_replace", (STR, STR, STR), STR, "regexp_replace({}, {}, {})", True),
        Builtin("split_part", (STR, STR, INT), STR, "split_part({}, {}, {})", True),
        Builtin("sign", (INT,), INT, "sign_of({})"),
        Builtin("sign", (FLOAT,), INT, "sign_of({})"),
        Builtin("trunc", (INT,), INT, "{}"), Builtin("trunc", (FLOAT,), INT, "truncated({})", True),
        *(Builtin(name, (FLOAT,), FLOAT, f"defined('{name}', math.{name}, {{}})", True)
          for name in ("log10", "log2", "sin", "cos", "tan", "asin", "acos", "atan", "degrees",
                       "radians")),
        Builtin("atan2", (FLOAT, FLOAT), FLOAT, "defined('atan2', math.atan2, {}, {})", True),
        Builtin("pi", (), FLOAT, "math.pi"),
        Builtin("ltrim", (STR,), STR, "{}.lstrip()"), Builtin("rtrim", (STR,), STR, "{}.rstrip()"),
        Builtin("reverse", (STR,), STR, "{}[::-1]"), Builtin("initcap", (STR,), STR, "{}.title()"),
        Builtin("repeat", (STR, INT), STR, "({} * {})"),
        Builtin("left", (STR, INT), STR, "left_of({}, {})"),
        Builtin("right", (STR, INT), STR, "right_of({}, {})"),
        Builtin("lpad", (STR, INT), STR, "padded({}, {}, ' ', True)"),
        Builtin("lpad", (STR, INT, STR), STR, "padded({}, {}, {}, True)"),
        Builtin("rpad", (STR, INT), STR, "padded({}, {}, ' ', False)"),
        Builtin("rpad", (STR, INT, STR), STR, "padded({}, {}, {}, False)"),
        Builtin("starts_with", (STR, STR), BOOL, "{}.startswith({})"),
        Builtin("ends_with", (STR, STR), BOOL, "{}.endswith({})"),
        Builtin("split_index", (STR, STR, INT), OptionalOf(STR), "split_index({}, {}, {})", True),
    ]),
}


@dataclass(frozen=True)
class AggregateRule:
    """What an aggregate takes, and the type of its result; over no rows most give null."""

    takes: tuple[Type, ...]
    result: Callable[[Type], Type]
    alone: bool = True
    """Whether it has a value for one row."""


AGGREGATES = {
    "count": AggregateRule(ORDERED, lambda value: INT),
    "sum": AggregateRule((INT, FLOAT), without_none),
    "avg": AggregateRule((INT, FLOAT), lambda value: FLOAT),
    "min": AggregateRule(ORDERED, without_none),
    "max": AggregateRule(ORDERED, without_none),
    "median": AggregateRule((INT, FLOAT), lambda value: FLOAT),
    **{name: AggregateRule((INT, FLOAT), lambda value: FLOAT, of == "pop")
       for of in ("pop", "samp") for name in (f"stddev_{of}", f"var_{of}")},
}
OTHER_NAMES = {"stddev": "stddev_samp", "std": "stddev_samp", "variance": "var_samp",
               "var": "var_samp"}
COUNTED = ("count_distinct", "approx_count_distinct")
"""`count_distinct(x)` is `count(distinct x)`."""
KEPT = frozenset((*common.FUNCTIONS, *TYPES, "count", "sum", "avg", "min", "max", "coalesce", "nvl",
                  "ifnull"))
"""A program may define any other function or aggregate, also one that the library has."""
AGGREGATE_NAMES = frozenset((*AGGREGATES, *OTHER_NAMES, *COUNTED))


def aggregate_type(function: str, value: Type, grouped: bool) -> Type:
    """The type of an aggregate's result: a group has a row at least, a whole relation may not."""
    result = AGGREGATES[function].result(value)
    certain = function == "count" or (
        grouped and not isinstance(value, OptionalOf) and AGGREGATES[function].alone)
    return result if certain else OptionalOf(result)
