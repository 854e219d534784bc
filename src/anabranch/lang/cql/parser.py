"""From CQL text to its syntax. What CQL does not have is refused here by name.

Three readers, each the base of the next: the expressions that SQL adds to those of all languages;
tables, joins and windows on streams; queries and declarations.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from fractions import Fraction
from functools import cache, reduce
from pathlib import Path

from lark import Lark, v_args

from anabranch.core.errors import ProgramError
from anabranch.io.values.scalars import in_utc
from anabranch.ir.types import BOOL, NONE, TIMESTAMP
from anabranch.lang.common import parser as reading
from anabranch.lang.common.parser import joined_span
from anabranch.lang.common.syntax import Call, Choice, Literal, Name, Node, Operation
from anabranch.lang.cql import syntax
from anabranch.lang.cql.syntax import (
    Aggregation,
    Calculation,
    Compared,
    Declaration,
    Definition,
    Exists,
    InQuery,
    Joined,
    Output,
    Scalar,
    Select,
    Table,
    Window,
)

OPPOSITE = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


class ExpressionReader(reading.Reader):
    """Most of them are shorthand for what there is already: `between` for two comparisons."""

    @v_args(meta=True)
    def in_list(self, meta, children):
        operand, negated, _, values = children
        span = self.span(meta)
        if len(values) == 1 and isinstance(values[0], Scalar):
            return self._negated(negated, InQuery(span, operand, values[0].query))
        same = [Operation(span, "=", (operand, value)) for value in values]
        return self._negated(negated, reduce(lambda a, b: Operation(span, "or", (a, b)), same))

    @v_args(meta=True)
    def in_query(self, meta, children):
        operand, negated, _, query = children
        return self._negated(negated, InQuery(self.span(meta), operand, query))

    @v_args(meta=True)
    def between(self, meta, children):
        operand, negated, _, low, _, high = children
        span = self.span(meta)
        within = Operation(span, "and", (Operation(span, ">=", (operand, low)),
                                         Operation(span, "<=", (operand, high))))
        return self._negated(negated, within)

    @v_args(meta=True)
    def like(self, meta, children):
        operand, negated, _, pattern = children
        return self._negated(negated, Operation(self.span(meta), "like", (operand, pattern)))

    @v_args(meta=True)
    def is_null(self, meta, children):
        operand, _, negated, _ = children
        return self._negated(negated, Operation(self.span(meta), "is null", (operand,)))

    @v_args(meta=True)
    def is_truth(self, meta, children):
        """What is not known is neither true nor false."""
        operand, _, negated, wanted = children
        span, is_true = self.span(meta), wanted.lower() == "true"
        unknown = Literal(span, not is_true, BOOL)
        known = Call(span, Name(span, ("coalesce",)), (operand, unknown))
        return self._negated(bool(negated) == is_true, known)

    @v_args(meta=True)
    def call_over(self, meta, children):
        raise ProgramError("there are no window functions", self.span(children[1]),
                           help="a window of the stream does what most are for, as does a query "
                                "that is a value: (select avg(x) from T where T.a = S.a)")

    @v_args(meta=True)
    def quantified(self, meta, children):
        """`all` is the opposite of `any` with the opposite comparison."""
        operand, comparison, quantifier, query = children
        every, operator = quantifier.lower() == "all", reading.canonical(comparison)
        if every:
            operator = OPPOSITE[operator]
        span = self.span(meta)
        some = (InQuery(span, operand, query) if operator == "=" else
                Compared(span, operand, operator, query))
        return self._negated(every, some)

    @v_args(meta=True)
    def scalar(self, meta, children):
        return Scalar(self.span(meta), children[0])

    @v_args(meta=True)
    def exists(self, meta, children):
        return Exists(self.span(meta), children[1])

    @v_args(meta=True)
    def case(self, meta, children):
        _, subject, *branches, _, otherwise, _ = children
        if subject is not None:
            branches = [(Operation(value.span, "=", (subject, value)), result)
                        for value, result in branches]
        return Choice(self.span(meta), tuple(branches), otherwise)

    def when(self, children):
        return children[1], children[3]

    @v_args(meta=True)
    def cast(self, meta, children):
        _, operand, _, kind = children
        return Call(self.span(meta), Name(kind.span, (kind.name,)), (operand,))

    @v_args(meta=True)
    def call_of_all(self, meta, children):
        return Aggregation(self.span(meta), self.named(children[0]), None)

    @v_args(meta=True)
    def call_of_distinct(self, meta, children):
        function, _, arguments = children
        return Aggregation(self.span(meta), self.named(function), _together(arguments), True)

    @v_args(meta=True)
    def call_of_some(self, meta, children):
        called, word, _, condition = children
        if isinstance(called, Call):
            if len(called.arguments) != 1:
                raise ProgramError("'filter' stands behind an aggregate", self.span(word),
                                   help="an aggregate has one argument: sum(x) filter (where ...)")
            called = Aggregation(called.span, called.function, called.arguments[0])
        return replace(called, span=self.span(meta), condition=condition)

    @v_args(meta=True)
    def position(self, meta, children):
        word, part, _, whole = children
        return Call(self.span(meta), self.named(word, "position"), (part, whole))

    @v_args(meta=True)
    def piece(self, meta, children):
        """`substring(text from 2 for 3)`, and `extract(hour from time)`."""
        word, first, _, second, _, third = children
        if word.lower() == "extract":
            if third is not None or not isinstance(first, Name):
                raise ProgramError("this is no part of a time", first.span, expected="hour, or day")
            return Call(self.span(meta), first, (second,))
        more = () if third is None else (third,)
        return Call(self.span(meta), self.named(word, "substring"), (first, second, *more))

    @v_args(meta=True)
    def time(self, meta, children):
        word, text = children
        if word.lower() not in ("time", "timestamp", "datetime"):
            raise ProgramError("this cannot stand here", self.span(word), expected="'time'",
                               got=f"'{word}'")
        try:
            moment = in_utc(datetime.fromisoformat(reading.unquoted(text)))
        except (ValueError, OverflowError):
            raise ProgramError("this is no time", self.span(text),
                               expected="ISO 8601, like '2024-05-01T12:00:00'") from None
        return Literal(self.span(meta), moment, TIMESTAMP)

    @v_args(meta=True)
    def null(self, meta, children):
        return Literal(self.span(meta), None, NONE)

    def named(self, token, only: str | None = None) -> Name:
        """The name of a token, without the quotes that make a keyword one; `only` is the one that
        may stand here."""
        name = super().named(token)
        if only is not None and token.lower() != only:
            raise ProgramError("this cannot stand here", name.span, expected=f"'{only}'",
                               got=f"'{token}'")
        return _unquoted(name)

    @v_args(meta=True)
    def name(self, meta, children):
        return _unquoted(Name(self.span(meta), tuple(map(str, children))))

    @staticmethod
    def _negated(negated: object, node: Node) -> Node:
        return Operation(node.span, "not", (node,)) if negated else node


def _unquoted(name: Name) -> Name:
    if not any(part.startswith("`") for part in name.parts):
        return name
    return syntax.Quoted(name.span, tuple(part.strip("`") for part in name.parts))


def _together(nodes: tuple[Node, ...]) -> Node:
    """One expression, or several that are taken as one value."""
    if len(nodes) == 1:
        return nodes[0]
    return syntax.Together(joined_span(nodes[0], nodes[-1]), nodes)


UNITS = {"microsecond": Fraction(1, 1_000_000), "millisecond": Fraction(1, 1_000),
         "m": Fraction(1, 1_000), "second": 1, "sec": 1, "minute": 60, "min": 60, "hour": 3600,
         "hr": 3600, "day": 86400, "week": 604_800}


class TableReader(ExpressionReader):
    """One method for each rule of `from`."""

    def tables(self, children):
        """Each table with the conditions of its joins."""
        return [table for child in children[1:] for table in _in_a_row(child)]

    @v_args(meta=True)
    def joined(self, meta, children):
        left, kind, right, word, given = children
        using = given if word and word.lower() == "using" else ()
        if kind.endswith("natural") or (kind == "cross" and word):
            self._refuse(kind, word)
        if kind in ("left", "right", "full") and not word:
            raise ProgramError("an outer join says which rows go together", right.span,
                               expected="'on' with a condition, or 'using' with attributes")
        return Joined(self.span(meta), kind, left, right, None if using else given, using)

    def _refuse(self, kind: str, word: object) -> None:
        if word:
            raise ProgramError(f"a {kind} join has no condition", self.span(word))

    def join(self, children):
        natural, *words, _ = children
        side = next((w.lower() for w in words if w and w.lower() != "outer"), "inner")
        return side if not natural else "natural" if side == "inner" else f"{side} natural"

    @v_args(meta=True)
    def table(self, meta, children):
        name, alias, window = children
        source = syntax.Reference(self.span(name), self.named(name))
        return Table(self.span(meta), source, window, alias)

    @v_args(meta=True)
    def table_window_first(self, meta, children):
        name, window, alias = children
        source = syntax.Reference(self.span(name), self.named(name))
        return Table(self.span(meta), source, window, alias)

    @v_args(meta=True)
    def subquery(self, meta, children):
        return Table(self.span(meta), *children)

    def alias(self, children):
        return self.named(children[1])

    def window(self, children):
        return children[0]

    @v_args(meta=True)
    def now(self, meta, children):
        return Window(self.span(meta), "now")

    @v_args(meta=True)
    def range(self, meta, children):
        _, length, slide, step = children
        if slide and not step:
            raise ProgramError("a window cannot slide by nothing", self.span(meta))
        return Window(self.span(meta), "range", length, step)

    @v_args(meta=True)
    def unbounded(self, meta, children):
        return Window(self.span(meta), "unbounded")

    @v_args(meta=True)
    def rows(self, meta, children):
        _, count, _, step = children
        return Window(self.span(meta), "rows", rows=self._count(count),
                      slide=step and Fraction(self._count(step)))

    @v_args(meta=True)
    def partitioned(self, meta, children):
        _, _, by, _, rows, _, length, slide, _ = children
        if slide:
            raise ProgramError("a window of partitions cannot slide", self.span(slide),
                               help="leave `slide` out, or use [range T slide S]")
        return Window(self.span(meta), "partitioned", length, rows=self._count(rows), by=by)

    @v_args(meta=True)
    def tumble(self, meta, children):
        return self._hop(meta, children[1], children[1])

    @v_args(meta=True)
    def hop(self, meta, children):
        _, length, _, slide = children
        return self._hop(meta, length, slide)

    def _hop(self, meta, length: Fraction, slide: Fraction) -> Window:
        if not length or not slide:
            raise ProgramError("a window cannot be of no length", self.span(meta),
                               help="[now] has the rows of one instant")
        if length > MOST_HOPS * slide:
            raise ProgramError(f"a row would be in more than {MOST_HOPS:,} windows",
                               self.span(meta), help="let it slide further")
        return Window(self.span(meta), "hop", length, slide)

    @v_args(meta=True)
    def session(self, meta, children):
        _, _, by, _, length = children
        if not length:
            raise ProgramError("a session ends when nothing comes for some time", self.span(meta),
                               expected="a length of time above 0")
        return Window(self.span(meta), "session", length, by=by or ())

    def duration(self, children):
        number, unit = children
        return Fraction(str(number)) * UNITS[(unit or "second").lower().rstrip("s")]

    def _count(self, token) -> int:
        if int(token) == 0:
            raise ProgramError("a window of no rows is always empty", self.span(token),
                               expected="a number above 0")
        return int(token)


MOST_HOPS = 1_000
"""The clock knows the end of each window that a row is in when the row comes."""


def _in_a_row(child: Node) -> list[tuple]:
    """The tables of an item of `from`, each with its condition: inner joins are products."""
    if not isinstance(child, Joined):
        return [(child,)]
    if not _is_product(child):
        return [(child,)]
    return [*_in_a_row(child.left), (child.right, *([child.on] if child.on else []))]


def _is_product(node: Node) -> bool:
    return not isinstance(node, Joined) or (node.kind in ("inner", "cross") and not node.using
                                            and _is_product(node.left))


KEYWORDS = ("select", "from", "where", "group", "having", "as", "union", "except", "minus",
            "intersect", "distinct", "now", "range", "rows", "partition", "unbounded", "slide",
            "by", "on", "using", "join", "in", "between", "like", "is", "null", "exists", "case",
            "when", "then", "else", "end", "register", "create", "view", "query", "order", "limit",
            "asc", "desc", "for", "filter", "tumble", "session", "returns")
SAME_OPERATOR = {"minus": "except"}
WORDS = {"KIND": "'stream' or 'relation'", "R2S": "'istream', 'dstream' or 'rstream'",
         "UNIT": "a unit of time", "TABLE_LINE": "'vtable:'",
         **{word.upper(): f"'{word}'" for word in KEYWORDS}}


def read(text: str, file: str) -> tuple[Node, ...]:
    """The statements of a CQL program."""
    return reading.read(text, file, _parser(), Reader(file), WORDS)


@cache
def _parser() -> Lark:
    return reading.parser(Path(__file__).with_name("cql.lark"))


class Reader(TableReader):
    """One method for each rule that CQL adds to expressions and types."""

    def start(self, children):
        """The statements; a `with` stands for several."""
        each = (child if isinstance(child, tuple) else (child,) for child in children)
        return tuple(child for several in each for child in several if isinstance(child, Node))

    @v_args(meta=True)
    def with_item(self, meta, children):
        name, columns, _, query = children
        return Definition(self.span(meta), self.named(name), query, "view", columns=columns or ())

    @v_args(meta=True)
    def with_output(self, meta, children):
        _, *views, query = children
        return (*views, Output(self.span(meta), query))

    @v_args(meta=True)
    def declaration(self, meta, children):
        name, fields, kind = children
        return Declaration(self.span(meta), self.named(name), kind.lower(), fields, True)

    @v_args(meta=True)
    def registered(self, meta, children):
        _, kind, name, fields = children
        return Declaration(self.span(meta), self.named(name), kind.lower(), fields, False)

    @v_args(meta=True)
    def typed_definition(self, meta, children):
        name, fields, kind, query = children
        declared = Declaration(self.span(meta), self.named(name), kind.lower(), fields, True)
        return Definition(self.span(meta), self.named(name), query, declared=declared)

    @v_args(meta=True)
    def definition(self, meta, children):
        name, query = children
        return Definition(self.span(meta), self.named(name), query)

    @v_args(meta=True)
    def defined_as(self, meta, children):
        _, kind, name, _, query = children
        return Definition(self.span(meta), self.named(name), query, kind=kind.lower())

    @v_args(meta=True)
    def script_view(self, meta, children):
        _, query, _, _, kind, name, fields = children
        declared = Declaration(self.span(meta), self.named(name), kind.lower(), fields, False)
        return Definition(self.span(meta), self.named(name), query, "view", declared)

    @v_args(meta=True)
    def file_line(self, meta, children):
        raise ProgramError("a program names no files", self.span(meta),
                           help="leave this line out, and give --input NAME=PATH or "
                                "--output NAME=PATH")

    @v_args(meta=True)
    def view(self, meta, children):
        _, _, name, columns, _, query = children
        return Definition(self.span(meta), self.named(name), query, "view", columns=columns or ())

    def names(self, children):
        return tuple(map(self.named, children))

    attributes = arguments = items = tuple

    @v_args(meta=True)
    def named_output(self, meta, children):
        return Definition(self.span(meta), self.named(children[2]), children[-1], "query")

    @v_args(meta=True)
    def output(self, meta, children):
        return Output(self.span(meta), children[-1])

    @v_args(meta=True)
    def reference(self, meta, children):
        return syntax.Reference(self.span(meta), self.named(children[0]))

    @v_args(meta=True)
    def to_stream(self, meta, children):
        return syntax.ToStream(self.span(meta), children[0].lower(), children[1])

    @v_args(meta=True)
    def set_operation(self, meta, children):
        left, operator, every, right = children
        name = SAME_OPERATOR.get(operator.lower(), operator.lower())
        return syntax.SetOperation(self.span(meta), name, bool(every), left, right)

    def kept_type_first(self, children):
        return self.named(children[1]), children[0]

    def kept_type_last(self, children):
        return self.named(children[0]), children[1]

    @v_args(meta=True)
    def calculation(self, meta, children):
        left, operator, right = children
        return Calculation(self.span(meta), str(operator), left, right)

    @v_args(meta=True)
    def function(self, meta, children):
        _, kind, name, parameters, _, result, _, body = children
        return syntax.FunctionDefinition(self.span(meta), self.named(name), kind.lower(),
                                         parameters or (), result, body)

    @v_args(meta=True)
    def select(self, meta, children):
        _, (distinct, to_stream, items), tables, where, group, having, order, limit = children
        conditions = [c for t in tables for c in t[1:]] + ([where] if where else [])
        both = reduce(_both, conditions) if conditions else None
        return Select(self.span(meta), distinct, to_stream, items, tuple(t[0] for t in tables),
                      both, group or (), having, order or (), limit)

    def plain_projection(self, children):
        word, items = children
        return bool(word) and word.lower() == "distinct", None, items

    @v_args(meta=True)
    def distinct_projection(self, meta, children):
        return True, None, tuple(syntax.Item(node.span, node) for node in children[1:])

    def stream_projection(self, children):
        outer, operator, inner, items = children
        return bool(outer or inner), operator.lower(), items

    @v_args(meta=True)
    def all_columns(self, meta, children):
        return syntax.AllColumns(self.span(meta))

    @v_args(meta=True)
    def columns_of(self, meta, children):
        return syntax.AllColumns(self.span(meta), self.named(children[0]))

    @v_args(meta=True)
    def column(self, meta, children):
        expression, _, alias = children
        return syntax.Item(self.span(meta), expression, alias and self.named(alias))

    def where(self, children):
        return children[1]

    having = where

    def group(self, children):
        return children[2]

    def order(self, children):
        return tuple(children[2:])

    @v_args(meta=True)
    def ordering(self, meta, children):
        expression, direction = children
        return syntax.Ordering(self.span(meta), expression,
                               bool(direction) and direction.lower() == "desc")

    def limit(self, children):
        return int(children[1])


def _both(left: Node, right: Node) -> Node:
    return Operation(joined_span(left, right), "and", (left, right))
