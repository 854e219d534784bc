"""The tables of a query: names, subqueries, joins, and the windows on streams."""

from __future__ import annotations

from fractions import Fraction

from lark import v_args

from anabranch.errors import ProgramError
from anabranch.lang.cql import syntax
from anabranch.lang.cql.reading_expressions import ExpressionReader
from anabranch.lang.cql.syntax import Table, Window

UNITS = {"microsecond": Fraction(1, 1_000_000), "millisecond": Fraction(1, 1_000),
         "m": Fraction(1, 1_000), "second": 1, "sec": 1, "minute": 60, "min": 60, "hour": 3600,
         "hr": 3600, "day": 86400, "week": 604_800}


class TableReader(ExpressionReader):
    """One method for each rule of `from`; joins that are not supported are refused by name."""

    def tables(self, children):
        """Each table with the conditions of its joins."""
        return [table for child in children[1:]
                for table in (child if isinstance(child, list) else [(child,)])]

    @v_args(meta=True)
    def joined(self, meta, children):
        first, _, table, *on = children
        before = first if isinstance(first, list) else [(first,)]
        word, condition = on if on and on[0] else (None, None)
        if word and word.lower() == "using":
            raise ProgramError("'using' is not supported", self.span(word),
                               help="use `on`, with a condition")
        return [*before, (table, *([condition] if word else []))]

    def inner_join(self, children):
        return None

    @v_args(meta=True)
    def natural_join(self, meta, children):
        raise ProgramError("natural joins are not supported", self.span(meta),
                           help="use `join ... on`, with a condition")

    @v_args(meta=True)
    def outer_join(self, meta, children):
        raise ProgramError("outer joins are not supported", self.span(meta),
                           help="use an inner join, or `not exists` and `union all`")

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

    def duration(self, children):
        number, unit = children
        return Fraction(str(number)) * UNITS[(unit or "second").lower().rstrip("s")]

    def _count(self, token) -> int:
        if int(token) == 0:
            raise ProgramError("a window of no rows is always empty", self.span(token),
                               expected="a number above 0")
        return int(token)
