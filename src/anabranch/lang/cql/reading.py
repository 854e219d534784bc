"""From CQL text to its syntax. What CQL does not have is refused here by name."""

from __future__ import annotations

from functools import cache, reduce
from pathlib import Path

from lark import Lark, v_args

from anabranch.errors import ProgramError
from anabranch.lang.common import reading
from anabranch.lang.common.reading import joined_span
from anabranch.lang.common.syntax import Node, Operation
from anabranch.lang.cql import syntax
from anabranch.lang.cql.reading_tables import TableReader
from anabranch.lang.cql.syntax import Declaration, Definition, Output, Select

KEYWORDS = ("select", "from", "where", "group", "having", "as", "union", "except", "minus",
            "intersect", "distinct", "now", "range", "rows", "partition", "unbounded", "slide",
            "by", "on", "using", "join", "in", "between", "like", "is", "null", "exists", "case",
            "when", "then", "else", "end", "register", "create", "view", "query")
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
        return tuple(child for child in children if isinstance(child, Node))

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

    @v_args(meta=True)
    def select(self, meta, children):
        _, (distinct, to_stream, items), tables, where, group, having, _ = children
        conditions = [c for t in tables for c in t[1:]] + ([where] if where else [])
        both = reduce(_both, conditions) if conditions else None
        return Select(self.span(meta), distinct, to_stream, items, tuple(t[0] for t in tables),
                      both, group or (), having)

    def plain_projection(self, children):
        word, items = children
        return bool(word) and word.lower() == "distinct", None, items

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

    @v_args(meta=True)
    def tail(self, meta, children):
        word = children[0].lower()
        raise ProgramError(f"CQL has no '{word}'", self.span(meta),
                           help="a relation has no order; within a timestamp the output is sorted")


def _both(left: Node, right: Node) -> Node:
    return Operation(joined_span(left, right), "and", (left, right))
