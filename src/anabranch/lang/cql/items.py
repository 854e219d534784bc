"""Queries whose rows are items: filters, maps, windows and groups of typed rows.

    select a + b as c from S where a > 1    ->    S, filter, map, sort

A stream without a window has all rows so far, and what is new of these are the rows that come; the
same goes for all rows of `[now]`. So each row goes its own way, as an item with typed fields, and
analyses, kernels and engines see the terms of the query as they see functions of Python. That no
row is late the source sees to, as it has a time.

The changes of a relation are items too: with how often a row is added, or below zero taken away.
Between two instants a relation may be what it never is at one, so what could fail there, and what
would cost too much, is left to the batches of `lower`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from anabranch.core.errors import DataError
from anabranch.ir.changes import SortTies, WindowChanges
from anabranch.ir.graph import Annotation, Builder
from anabranch.ir.operators import Apply, Filter, FlatMap, Kind, Map, Source
from anabranch.ir.records import State, StateMeta, record_class
from anabranch.ir.types import FLOAT, INT, STR, TIMESTAMP, RecordOf, Type, without_none
from anabranch.lang.common.codegen import definition, function, generated, truth
from anabranch.lang.common.terms import Term, is_partial
from anabranch.lang.cql import algebra as sra
from anabranch.lang.cql.algebra import Node
from anabranch.lang.cql.check import own_slots
from anabranch.lang.cql.clauses import numbered
from anabranch.lang.cql.codegen import duration
from anabranch.lang.cql.execution.rows.expiry import MICROSECOND
from anabranch.lang.cql.translate import OP, Program, Result

EXTREMES = {"min": "<", "max": ">"}
TIME = "timestamp"
PURE = Annotation("Pure")
"""Generated operators compute and do nothing else; that they can fail hides this from analysis."""


@dataclass(frozen=True)
class Course:
    """What the rows of a result pass: the input, filters and projections, and perhaps a window with
    what is computed of its changes; `operator` then makes a stream of these, if one does."""

    source: sra.Input
    passed: tuple[Node, ...]
    window: sra.Window | None = None
    above: tuple[Node, ...] = ()
    operator: str | None = None


def course_of(node: Node, results: Mapping[str, Node], clock: Type) -> Course | None:
    """The course of a result; None when its rows cannot go as items."""
    chain = _chain(node, results)
    if chain is not None:
        return Course(chain[0], tuple(chain[1:]))
    operator = node.operator if isinstance(node, sra.ToStream) else None
    above, below = [], node.relation if operator else node
    while isinstance(below, sra.Filter | sra.Project | sra.Group | sra.Distinct):
        above, below = [below, *above], below.relation
    if not isinstance(below, sra.Window) or operator == "rstream" or not _has_changes(below, clock):
        return None
    chain = _chain(below.relation, results)
    # Time goes on with every row of the input, so a window must see them all.
    if chain is None or any(isinstance(each, sra.Filter) for each in chain) or (
            not _are_certain(above, below)):
        return None
    return Course(chain[0], tuple(chain[1:]), below, tuple(above), operator)


def has_extremes(course: Course) -> bool:
    """Whether it keeps the least or the greatest of something."""
    return any(call.function in EXTREMES for node in course.above
               if isinstance(node, sra.Group) for call in node.calls)


def _has_changes(window: sra.Window, clock: Type) -> bool:
    """Whether a window is one whose changes an operator of ours gives."""
    whole = clock in (INT, TIMESTAMP)
    return whole and window.slide is None and window.kind in ("now", "range", "rows", "unbounded")


def _are_certain(nodes: Sequence[Node], window: sra.Window) -> bool:
    """Whether what is computed of changes has a value also between two instants, sums do without
    a heap or exact floats, and no key ever has to be forgotten, which an operator by keys cannot.
    """
    grouped = False
    for node in nodes:
        if isinstance(node, sra.Group | sra.Distinct):
            grouped = grouped or isinstance(node, sra.Group)
            plain = _is_plain if isinstance(node, sra.Group) else _has_first_rows
            if window.kind != "unbounded" or not plain(node):
                return False
        elif grouped and any(map(is_partial, _terms(node))):
            return False
    return True


def _is_plain(node: sra.Group) -> bool:
    """Whether it has keys of which equal ones are the same, and aggregates that are sums, or the
    least and greatest of what is never taken away."""
    calls = all(_is_simple(call, node.relation.monotonic) for call in node.calls)
    return bool(node.keys) and not any(map(_is_float, node.keys)) and calls


def _has_first_rows(node: sra.Distinct) -> bool:
    """Whether each row is there from the first of those that are equal to it on."""
    return node.relation.monotonic and not any(map(_is_float, node.schema))


def _is_float(typed: Term | sra.Column) -> bool:
    return without_none(typed.type) == FLOAT


def _terms(node: sra.Filter | sra.Project) -> tuple[Term, ...]:
    return (node.condition,) if isinstance(node, sra.Filter) else node.terms


def _is_simple(call: sra.AggregateCall, grows: bool) -> bool:
    kind = call.argument and without_none(call.argument.type)
    if call.distinct:
        return False
    if call.function in EXTREMES:
        return grows and kind in (INT, FLOAT)
    return call.function == "count" or (call.function in ("sum", "avg") and kind == INT)


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
    """The rows of a relation as items: their queue, their type, the fields of their time and of
    their columns; and that which says how often they are added, if they are changes."""

    queue: str
    type: RecordOf
    time: str
    names: tuple[str, ...]
    weight: str | None = None

    @property
    def leading(self) -> tuple[str, ...]:
        return (TIME,) if self.weight is None else (TIME, self.weight)

    @property
    def before(self) -> str:
        """What stands before the columns of a row that is made of one."""
        return f"t.{self.time}" if self.weight is None else f"t.{self.time}, t.{self.weight}"

    def text(self, term: Term) -> str:
        return generated(term, self.field)

    def field(self, slot: int) -> str:
        return f"t.{self.names[slot]}"


class ItemLowering:
    """Adds the operators of such a program to a builder; `times` has the time attribute of each
    input, `clock` is the type of all of them, and `whole` knows the program as a whole."""

    def __init__(self, builder: Builder, program: Program, times: Mapping[str, str], clock: Type,
                 whole: object = None):
        self.builder, self.times, self.clock, self.whole = builder, times, clock, whole
        self.results = {result.name.lower(): result.node for result in program.results}
        self.sources: dict[str, RowItems] = {}
        self.known: dict[tuple, RowItems] = {}
        self.records = 0

    def rows(self, result: Result, course: Course) -> RowItems:
        """The rows of a result, each behind its timestamp, or its changes, in the order that they
        are written in."""
        node = result.node
        rows = self._passed((course.source,), course.passed, self._checked(course.source))
        if course.window is not None:
            return self._changed(node, course, rows)
        if tuple(rows.type.fields) != (TIME, *rows.names):
            rows = self._projected(node, rows, node.schema, _columns(node))
        return self._add("sort", SortTies(TIME, tuple(rows.type.fields)), node, rows)

    def _checked(self, each: sra.Input) -> RowItems:
        rows = self._source(each)
        if not any(column.type == FLOAT for column in each.schema):
            return rows
        return self._once((each,), self._numbers, each, rows)

    def _passed(self, key: tuple, nodes: Sequence[Node], rows: RowItems) -> RowItems:
        lowered = {sra.Filter: self._filter, sra.Project: self._project, sra.Group: self._group,
                   sra.Distinct: self._distinct, sra.Window: self._window}
        for node in nodes:
            key = (*key, node)
            rows = self._once(key, lowered[type(node)], node, rows)
        return rows

    def _changed(self, node: Node, course: Course, rows: RowItems) -> RowItems:
        """The changes of a relation at each instant, as they are written; or the rows that are new
        or gone."""
        key = (course.source, *course.passed, _slots_used(course))
        rows = self._passed(key, (course.window, *course.above),
                            self._once(key, self._needed, course, rows))
        ties = SortTies(TIME, tuple(filter(None, rows.names)), weight=rows.weight)
        rows = self._add("sort", ties, node, rows)
        names = numbered([c.name for c in node.schema], (TIME,) if course.operator else (TIME, OP))
        columns = dict(zip(names, (c.type for c in node.schema)))
        leading = {TIME: self.clock} if course.operator else {TIME: self.clock, OP: STR}
        record = self._record("Row", leading | columns)
        op = "" if course.operator else f", '+' if t.{rows.weight} > 0 else '-'"
        count = {"istream": f"t.{rows.weight}", "dstream": f"-t.{rows.weight}",
                 None: f"abs(t.{rows.weight})"}[course.operator]
        given = "".join(f", {rows.field(n)}" for n in range(len(names)))
        body = definition(f"def rows(t):\n    for _ in range({count}):\n"
                          f"        yield record(t.{TIME}{op}{given})", "rows", node.span,
                          {"record": record})
        return self._add("rows", FlatMap(body), node, replace(rows, type=RecordOf(record)))

    def _needed(self, course: Course, rows: RowItems) -> RowItems:
        """The rows with those columns alone that something is computed from: a window keeps them.
        """
        used = _slots_used(course)
        if tuple(rows.type.fields) == (TIME, *(rows.names[n] for n in used)):
            return rows
        schema = course.window.schema
        made = self._projected(course.window, rows, [schema[n] for n in used],
                               [sra.column_term(course.window, n) for n in used], "columns")
        names = dict(zip(used, made.names))
        return replace(made, names=tuple(names.get(n, "") for n in range(len(schema))))

    def _window(self, node: sra.Window, rows: RowItems) -> RowItems:
        columns = {name: kind for name, kind in rows.type.fields.items() if name != TIME}
        weight = numbered(["n"], (TIME, *columns))[0]
        record = self._record("Change", {TIME: self.clock, weight: INT} | columns)
        after = None
        if node.kind in ("now", "range"):
            length = math.floor(node.length or 0) + 1 if self.clock == INT else (
                (node.length or 0) + MICROSECOND)
            after = duration(Fraction(length), self.clock)
        made = replace(rows, type=RecordOf(record), time=TIME, weight=weight)
        return self._add("window", WindowChanges(record, after, node.rows), node, made)

    def _group(self, node: sra.Group, rows: RowItems) -> RowItems:
        """Each change of a group takes its row away, and adds another one."""
        terms = (*node.keys, *(c.argument for c in node.calls if c.argument is not None))
        names = [f"k{n}" for n in range(len(node.keys))]
        names += [f"a{n}" for n, c in enumerate(node.calls) if c.argument is not None]
        schema = tuple(sra.Column(name, term.type) for name, term in zip(names, terms))
        rows = self._projected(node, rows, schema, terms, "values")
        keys, values = rows.names[:len(node.keys)], iter(rows.names[len(node.keys):])
        totals = [Total(n, call, None if call.argument is None else f"t.{next(values)}")
                  for n, call in enumerate(node.calls)]
        fields = {name: initial for total in totals for name, initial in total.fields.items()}
        state = _state("Totals", {"rows": 0} | fields)
        made = (*keys, *(f"c{n}" for n in range(len(totals))))
        types = (column.type for column in node.schema)
        record = self._record("Group", {TIME: self.clock, rows.weight: INT} | dict(
            zip(made, types)))
        shown = "".join(f", {text}" for text in (
            *(f"t.{key}" for key in keys), *(total.result for total in totals)))
        lines = ["def group(state, t):",
                 "    if state.rows != 0:",
                 f"        yield record(t.{TIME}, -1{shown})",
                 f"    state.rows += t.{rows.weight}",
                 *(f"    {line}" for total in totals for line in total.lines(rows.weight)),
                 "    if state.rows != 0:",
                 f"        yield record(t.{TIME}, 1{shown})"]
        body = definition("\n".join(lines), "group", node.span, {"record": record})
        return self._add("group", Apply(body, state, keys), node,
                         replace(rows, type=RecordOf(record), names=made))

    def _distinct(self, node: sra.Distinct, rows: RowItems) -> RowItems:
        """The first of equal rows, where none is taken away."""
        lines = ["def distinct(state, t):",
                 "    if not state.seen:",
                 "        state.seen = True",
                 "        yield t"]
        body = definition("\n".join(lines), "distinct", node.span, {})
        return self._add("distinct", Apply(body, _state("Seen", {"seen": False}), rows.names),
                         node, rows)

    def _once(self, key: tuple, lower: Callable, node: Node, rows: RowItems) -> RowItems:
        if key not in self.known:
            self.known[key] = lower(node, rows)
        return self.known[key]

    def _source(self, each: sra.Input) -> RowItems:
        if each.name not in self.sources:
            time = self.times[each.name]
            columns = {c.name: c.type for c in each.schema}
            kind = RecordOf(record_class(each.name, {time: self.clock} | columns))
            self.builder.place(each.name, Source(None, time, whole=self.whole), (), [each.name],
                               [kind], span=each.span)
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

    def _projected(self, node: Node, rows: RowItems, schema: sra.Schema, terms: Sequence[Term],
                   name: str = "project") -> RowItems:
        names = numbered([column.name for column in schema], rows.leading)
        leading = {TIME: self.clock} | ({} if rows.weight is None else {rows.weight: INT})
        record = self._record("Row", leading | dict(zip(names, (c.type for c in schema))))
        given = "".join(f", {rows.text(term)}" for term in terms)
        body = function(f"lambda t: record({rows.before}{given})", node.span, {"record": record})
        made = replace(rows, type=RecordOf(record), time=TIME, names=names)
        return self._add(name, Map(body), node, made)

    def _record(self, name: str, columns: Mapping[str, Type]) -> type:
        """A record class of its own name, by which items in saved states are known again."""
        self.records += 1
        return record_class(f"{name}{self.records}", dict(columns))

    def _add(self, name: str, kind: Kind, node: Node, rows: RowItems) -> RowItems:
        [queue] = self.builder.add(name, kind, [rows.queue], [rows.type], [PURE], node.span)
        return replace(rows, queue=queue)


def _state(name: str, fields: Mapping[str, object]) -> type[State]:
    """A class of states with these fields, as they are at first."""
    types = {each: type(initial) for each, initial in fields.items()}
    return StateMeta(name, (State,), {"__annotations__": types, "__module__": __name__,
                                      "__qualname__": name, **fields})


def no_number() -> DataError:
    return DataError("NaN cannot stand in a row of CQL", expected="a number")


def _slots_used(course: Course) -> tuple[int, ...]:
    """The columns of a window that anything above it is computed from."""
    used: set[int] = set()
    for node in course.above:
        if isinstance(node, sra.Filter):
            used |= own_slots(node.condition)
            continue
        if isinstance(node, sra.Distinct):
            break
        terms = node.terms if isinstance(node, sra.Project) else (
            *node.keys, *(c.argument for c in node.calls if c.argument is not None))
        return tuple(sorted(used.union(*map(own_slots, terms))))
    return tuple(range(len(course.window.schema)))


def _columns(node: Node) -> list[Term]:
    return [sra.column_term(node, n) for n in range(len(node.schema))]


@dataclass(frozen=True)
class Total:
    """An aggregate of a group: what it keeps, how that changes, and what it gives. Of a value that
    may be null the number of those that are not is kept as well."""

    number: int
    call: sra.AggregateCall
    value: str | None

    @property
    def optional(self) -> bool:
        return self.value is not None and self.call.argument.optional

    @property
    def count(self) -> str:
        """How many values there are."""
        return f"state.n{self.number}" if self.optional else "state.rows"

    @property
    def fields(self) -> dict[str, object]:
        counted = {f"n{self.number}": 0} if self.optional else {}
        first = 0.0 if self.value and _is_float(self.call.argument) else 0
        return counted if self.call.function == "count" else {**counted, f"s{self.number}": first}

    def lines(self, weight: str) -> list[str]:
        found = []
        if self.optional:
            found.append(f"state.n{self.number} += t.{weight}")
        if self.call.function in EXTREMES:
            held, beats = f"state.s{self.number}", EXTREMES[self.call.function]
            found.append(f"if {self.count} == 1 or {self.value} {beats} {held}:")
            found.append(f"    {held} = {self.value}")
        elif self.call.function != "count":
            found.append(f"state.s{self.number} += t.{weight} * {self.value}")
        if not self.optional:
            return found
        return [f"if {self.value} is not None:", *(f"    {line}" for line in found)]

    @property
    def result(self) -> str:
        total = f"state.s{self.number}"
        shown = {"count": self.count, "avg": f"{total} / {self.count}"}
        found = shown.get(self.call.function, total)
        return found if self.call.function == "count" or not self.optional else (
            f"({found} if {self.count} != 0 else None)")
