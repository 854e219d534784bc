"""Queries without memory: filters and maps of rows, sorted within a timestamp.

    select a + b as c from S where a > 1    ->    S, filter, map, sort

A stream without a window has all rows so far, and what is new of these are the rows that come; the
same goes for all rows of `[now]`. So each row goes its own way, as an item with typed fields, and
analyses, kernels and engines see the terms of the query as they see functions of Python. That no
row is late the source sees to, as it has a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from anabranch.core.errors import DataError
from anabranch.ir.graph import Annotation, Builder
from anabranch.ir.operators import Filter, Kind, Map, Source
from anabranch.ir.records import record_class
from anabranch.ir.sorting import SortTies
from anabranch.ir.types import FLOAT, RecordOf, Type
from anabranch.lang.common.codegen import definition, function, generated, truth
from anabranch.lang.common.terms import Term
from anabranch.lang.cql import algebra as sra
from anabranch.lang.cql.algebra import Node
from anabranch.lang.cql.clauses import numbered
from anabranch.lang.cql.translate import Program, Result

TIME = "timestamp"
PURE = Annotation("Pure")
"""Generated operators compute and do nothing else; that they can fail hides this from analysis."""


def is_linear(node: Node, results: Mapping[str, Node]) -> bool:
    """Whether a stream has a row, or none, for each row of one input."""
    return _chain(node, results) is not None


def _chain(node: Node, results: Mapping[str, Node]) -> list[Node] | None:
    """The input of a stream, then the filters and projections that its rows pass; None when that
    is not all there is to it."""
    if isinstance(node, sra.Input):
        defined = results.get(node.name.lower())
        return _chain(defined, results) if defined is not None else [node] * node.is_stream or None
    if not isinstance(node, sra.ToStream):
        return None
    passed, below = [], node.relation
    while isinstance(below, sra.Filter | sra.Project):
        passed, below = [below, *passed], below.relation
    wanted = {"istream": "unbounded", "rstream": "now"}.get(node.operator)
    if not isinstance(below, sra.Window) or below.kind != wanted:
        return None
    before = _chain(below.relation, results)
    return before and [*before, *passed]


@dataclass(frozen=True)
class RowItems:
    """The rows of a relation as items: their queue, their type, and the fields of their time and
    of their columns."""

    queue: str
    type: RecordOf
    time: str
    names: tuple[str, ...]

    def text(self, term: Term) -> str:
        return generated(term, self.field)

    def field(self, slot: int) -> str:
        return f"t.{self.names[slot]}"


class LinearLowering:
    """Adds the operators of such a program to a builder; `times` has the time attribute of each
    input, and `clock` is the type of all of them."""

    def __init__(self, builder: Builder, program: Program, times: Mapping[str, str], clock: Type):
        self.builder, self.times, self.clock = builder, times, clock
        self.results = {result.name.lower(): result.node for result in program.results}
        self.sources: dict[str, RowItems] = {}
        self.known: dict[tuple[Node, ...], RowItems] = {}

    def rows(self, result: Result) -> RowItems:
        """The rows of a result, each behind its timestamp, in the order that they are written in.
        """
        first, *passed = _chain(result.node, self.results)
        rows = self._source(first)
        if any(column.type == FLOAT for column in first.schema):
            rows = self._once((first,), self._numbers, first, rows)
        for n, node in enumerate(passed, 1):
            lower = self._filter if isinstance(node, sra.Filter) else self._project
            rows = self._once((first, *passed[:n]), lower, node, rows)
        if tuple(rows.type.fields) != (TIME, *rows.names):
            rows = self._projected(result.node, rows, result.node.schema, [
                sra.column_term(result.node, n) for n in range(len(result.node.schema))])
        sort = SortTies(TIME, tuple(rows.type.fields))
        return self._add("sort", sort, result.node, rows)

    def _once(self, key: tuple[Node, ...], lower: Callable, node: Node, rows: RowItems) -> RowItems:
        if key not in self.known:
            self.known[key] = lower(node, rows)
        return self.known[key]

    def _source(self, each: sra.Input) -> RowItems:
        if each.name not in self.sources:
            time = self.times[each.name]
            columns = {c.name: c.type for c in each.schema}
            kind = RecordOf(record_class(each.name, {time: self.clock} | columns))
            self.builder.place(each.name, Source(None, time), (), [each.name], [kind],
                               span=each.span)
            self.sources[each.name] = RowItems(each.name, kind, time, tuple(columns))
        return self.sources[each.name]

    def _numbers(self, each: sra.Input, rows: RowItems) -> RowItems:
        """The rows themselves, after a check that numbers are numbers."""
        lines = [f"    if {rows.field(n)} != {rows.field(n)}: raise no_number()"
                 for n, column in enumerate(each.schema) if column.type == FLOAT]
        body = definition("\n".join(["def numbers(t):", *lines, "    return True"]), "numbers",
                          each.span, {"no_number": no_number})
        return self._add("numbers", Filter(body), each, rows)

    def _filter(self, node: sra.Filter, rows: RowItems) -> RowItems:
        body = function(f"lambda t: {truth(node.condition, rows.field)}",
                        node.condition.span or node.span)
        return self._add("filter", Filter(body), node, rows)

    def _project(self, node: sra.Project, rows: RowItems) -> RowItems:
        return self._projected(node, rows, node.schema, node.terms)

    def _projected(self, node: Node, rows: RowItems, schema: sra.Schema, terms: Sequence[Term]
                   ) -> RowItems:
        names = numbered([column.name for column in schema], (TIME,))
        columns = {TIME: self.clock} | dict(zip(names, (column.type for column in schema)))
        record = record_class("Row", columns)
        given = "".join(f", {rows.text(term)}" for term in terms)
        body = function(f"lambda t: record(t.{rows.time}{given})", node.span, {"record": record})
        made = RowItems(rows.queue, RecordOf(record), TIME, names)
        return self._add("project", Map(body), node, made)

    def _add(self, name: str, kind: Kind, node: Node, rows: RowItems) -> RowItems:
        [queue] = self.builder.add(name, kind, [rows.queue], [rows.type], [PURE], node.span)
        return replace(rows, queue=queue)


def no_number() -> DataError:
    return DataError("NaN cannot stand in a row of CQL", expected="a number")
