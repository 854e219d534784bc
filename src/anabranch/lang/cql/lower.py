"""From the algebra to the graph: operators with bodies in Python, on batches.

Inputs are merged by time and cut into instants; every operator then gets one batch for each. Those
with a state for each key work on shards of batches, so that the planner can run them in parallel.

The inputs of a program, merged by time and cut into instants.

The instants are the timestamps that occur in any input that the program reads, and the times at
which rows leave windows: see `execution.rows.expiry`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatchmethod

from anabranch.core.errors import ProgramError, UsageError, did_you_mean
from anabranch.core.source import Span
from anabranch.io.stdio import StdoutSink
from anabranch.ir.graph import Annotation, Builder, Graph
from anabranch.ir.operators import Apply, Barrier, FlatMap, Kind, Map, Sink, Source, Union
from anabranch.ir.records import record_class
from anabranch.ir.types import FLOAT, INT, STR, TIMESTAMP, RecordOf, Type
from anabranch.lang.common.check import shown
from anabranch.lang.common.codegen import function
from anabranch.lang.common.terms import Term
from anabranch.lang.cql import algebra as sra
from anabranch.lang.cql.algebra import Input, inputs_below, order_of
from anabranch.lang.cql.clauses import numbered
from anabranch.lang.cql.codegen import (
    RUNNING,
    aggregation,
    condition,
    duration,
    fold_kinds,
    keyed,
    row_of,
    window,
)
from anabranch.lang.cql.execution.columns.program import ColumnProgram
from anabranch.lang.cql.execution.rows import batches
from anabranch.lang.cql.execution.rows import batches as shards
from anabranch.lang.cql.execution.rows import operators as relations
from anabranch.lang.cql.execution.rows import operators as running_marks
from anabranch.lang.cql.execution.rows import operators as running_streams
from anabranch.lang.cql.execution.rows import operators as running_windows
from anabranch.lang.cql.execution.rows.batches import Arrival, Batch, Collecting, Held, Instant
from anabranch.lang.cql.execution.rows.expiry import Expiry
from anabranch.lang.cql.items import PURE, TIME, Course, ItemLowering, course_of, has_extremes
from anabranch.lang.cql.translate import OP, Program, Result

ONE = Annotation("Selectivity", (1, 1))
AT_MOST_ONE = Annotation("Selectivity", (0, 1))
BATCH, PAIR, SHARD, PART = map(RecordOf, (batches.Batch, batches.Pair, shards.Shard, shards.Part))
TIMES = {
    ("union", False): "lambda a, b: 1 if a or b else 0",
    ("except", False): "lambda a, b: 1 if a and not b else 0",
    ("except", True): "lambda a, b: max(a - b, 0)",
    ("intersect", False): "lambda a, b: 1 if a and b else 0",
    ("intersect", True): "lambda a, b: min(a, b)",
}
SAME = "lambda state, shard: combined(state, shard, times)"


def graph_of(program: Program, times: Mapping[str, str]) -> Graph:
    """The graph of a program; `times` names the time attributes of inputs that have another."""
    written = [result for result in program.results if result.written]
    if (found := item_lowering(program, times)) is not None:
        items, courses = found
        for number, (result, course) in enumerate(zip(written, courses)):
            rows = items.rows(result, course)
            place_sink(items.builder, result, rows.queue, first=number == 0)
        return items.builder.graph()
    lowering = Lowering(_named_builder(program), program, times)
    for number, result in enumerate(written):
        lowering.write(result, first=number == 0)
    return lowering.builder.graph()


def item_lowering(program: Program, times: Mapping[str, str]
                  ) -> tuple[ItemLowering, list[Course]] | None:
    """What adds the operators of a program whose rows are items, and the course of each result;
    None for another program."""
    named = {result.name.lower(): result.node for result in program.results}
    used = _used(program)
    inputs = [each for each in program.inputs if each.name in used]
    if len(inputs) < len(program.inputs) or not all(each.is_stream for each in inputs):
        return None
    attributes = _times(program.inputs, times)
    clock = _common_type(inputs, attributes)
    declared = {c.type for each in inputs for c in each.schema if c.name == attributes[each.name]}
    courses = [course_of(result.node, named, clock) for result in program.results if result.written]
    # The time of a window goes on with the rows of all inputs.
    if declared - {clock} or None in courses or (
            len(inputs) > 1 and any(course.window for course in courses)):
        return None
    # Windows over files are faster in the language's own columns so far, but for the least and the
    # greatest of all rows, which these look for in heaps.
    own = any(course.window for course in courses) and not any(map(has_extremes, courses))
    whole = ColumnProgram(program, tuple(inputs), tuple(attributes.items()),
                          clock) if own else None
    return ItemLowering(_named_builder(program), program, attributes, clock, whole), courses


def _named_builder(program: Program) -> Builder:
    """The user's names come first, so that no operator of ours takes one of them."""
    builder = Builder()
    for each in (*program.inputs, *(r for r in program.results if r.written)):
        builder.unique(each.name)
    return builder


def place_sink(builder: Builder, result: Result, queue: str, first: bool) -> None:
    """The sink of a result. On standard output a result follows the ones before it."""
    span = result.node.span
    sink = Sink(StdoutSink("csv", span, held=not first))
    builder.place(result.name, sink, [queue], (), (), span=span)


class Lowering:
    """Adds the operators of a program to a builder; the same algebra is lowered once."""

    def __init__(self, builder: Builder, program: Program, times: Mapping[str, str]):
        self.builder = builder
        self.results = {result.name.lower(): result.node for result in program.results}
        self.clock = InstantClock(builder, program, times)
        self.known: dict[sra.Node, str] = {}

    def write(self, result: Result, first: bool) -> None:
        """Adds the sink of a result: its rows with their timestamp, or its changes."""
        node, span = result.node, result.node.span
        leading = {TIME: self.clock.type} | ({} if node.is_stream else {OP: STR})
        names = numbered([c.name for c in node.schema], tuple(leading))
        columns = dict(zip(names, (c.type for c in node.schema)))
        record = record_class(result.name, leading | columns)
        rows = "stream_rows" if node.is_stream else "relation_changes"
        given = "" if node.is_stream or not order_of(node) else ", order"
        body = function(f"lambda batch: {rows}(batch, record{given})", span,
                        {rows: getattr(running_streams, rows), "record": record,
                         "order": order_of(node)})
        queue = self._add("rows", FlatMap(body), [self.queue(node)], RecordOf(record), span)
        place_sink(self.builder, result, queue, first)

    def queue(self, node: sra.Node) -> str:
        """The queue with the batches of a node."""
        if node not in self.known:
            self.known[node] = self.lower(node)
        return self.known[node]

    @singledispatchmethod
    def lower(self, node: sra.Node) -> str:
        raise TypeError(f"no rule lowers a {type(node).__name__}")

    @lower.register
    def _input(self, node: sra.Input) -> str:
        defined = self.results.get(node.name.lower())
        return self.clock.queue(node.name) if defined is None else self.queue(defined)

    @lower.register
    def _window(self, node: sra.Window) -> str:
        source = self.queue(node.relation)
        if node.kind == "unbounded":
            return source
        if node.kind == "partitioned" and node.length is None:
            terms = tuple(sra.column_term(node.relation, i) for i in node.by)
            body = "lambda state, shard: last_of_each(state, shard, count)"
            return self._keyed("partition", body, running_windows.Partitions, node.span,
                               self._shards(source, None, terms, ()), count=node.rows)
        return self._add("window", window(node, self.clock.type), [source], BATCH, node.span, ONE)

    @lower.register
    def _filter(self, node: sra.Filter) -> str:
        text = f"[(r, n) for r, n in batch.changes if {condition(node.condition)}]"
        return self._map("filter", text, node.relation, node.condition.span or node.span)

    @lower.register
    def _project(self, node: sra.Project) -> str:
        text = f"[({row_of(node.terms)}, n) for r, n in batch.changes]"
        return self._map("project", text, node.relation, node.span)

    @lower.register
    def _union_all(self, node: sra.UnionAll) -> str:
        pair = self._pair(node)
        body = function("lambda pair: Batch(pair.timestamp, pair.left + pair.right)", node.span,
                        RUNNING)
        return self._add("union", Map(body), [pair], BATCH, node.span)

    @lower.register
    def _join(self, node: sra.Join) -> str:
        source = self._shards(self._pair(node), node, node.left_keys, node.right_keys)
        return self._keyed("join", "lambda state, shard: joined(state, shard)", relations.Sides,
                           node.span, source)

    @lower.register
    def _mark(self, node: sra.Mark) -> str:
        source = self._shards(self._pair(node), node, node.left_keys, node.right_keys)
        if node.condition is None:
            return self._keyed("mark", "lambda state, shard: marked(state, shard)",
                               running_marks.Members, node.span, source)
        goes_with = function(f"lambda r, q: {condition(node.condition, nested=True)}", node.span)
        body = "lambda state, shard: matched(state, shard, goes_with)"
        return self._keyed("mark", body, running_marks.Matches, node.span, source,
                           goes_with=goes_with.call)

    @lower.register
    def _group(self, node: sra.Group) -> str:
        source, kinds = self.queue(node.relation), fold_kinds(node.calls)
        if not node.keys:
            return self._add("aggregate", aggregation(node, kinds), [source], BATCH, node.span, ONE)
        values = row_of(tuple(c.argument for c in node.calls))
        source = self._shards(source, None, node.keys, (), values)
        body = "lambda state, shard: grouped(state, shard, kinds)"
        return self._keyed("group", body, relations.Groups, node.span, source, kinds=kinds)

    @lower.register
    def _distinct(self, node: sra.Distinct) -> str:
        source = self._shards(self.queue(node.relation), None, None, ())
        times = function(TIMES["union", False], node.span).call
        return self._keyed("distinct", SAME, relations.Counted, node.span, source, times=times)

    @lower.register
    def _top(self, node: sra.Top) -> str:
        source = self.queue(node.relation)
        if node.count is None:
            return source
        body = function("lambda state, batch: first_rows(state, batch, order, count)", node.span,
                        RUNNING | {"order": node.keys, "count": node.count})
        return self._add("top", Apply(body, relations.Ranked), [source], BATCH, node.span, ONE)

    @lower.register
    def _combine(self, node: sra.Combine) -> str:
        source = self._shards(self._pair(node), node, None, None)
        times = function(TIMES[node.operator, node.every], node.span).call
        return self._keyed(node.operator, SAME, relations.Counted, node.span, source, times=times)

    @lower.register
    def _to_stream(self, node: sra.ToStream) -> str:
        scope, given = RUNNING, ""
        if order := order_of(node):
            scope, given = RUNNING | {"order": order}, ", order"
        if node.operator == "rstream":
            source = self._with_arrivals(node.relation)
            kind = Apply(function(f"lambda state, pair: rstream(state, pair{given})", node.span,
                                  scope), running_streams.Present)
        else:
            source = self.queue(node.relation)
            kind = Map(function(f"lambda batch: {node.operator}(batch{given})", node.span, scope))
        return self._add(node.operator, kind, [source], BATCH, node.span, ONE)

    def _with_arrivals(self, node: sra.Node) -> str:
        """The batches of a relation, each with what came from the inputs that it is made of."""
        own, names = self.queue(node), sra.inputs_below(node, self.results)
        others = [q for q in map(self.clock.queue, sorted(names)) if q != own]
        came = " + ".join(f"b{n}.changes" for n in range(len(others)))
        given = ", ".join(["a", *(f"b{n}" for n in range(len(others)))])
        body = function(f"lambda {given}: Pair(a.timestamp, a.changes, {came or 'a.changes'})",
                        node.span, RUNNING)
        kind = Barrier(1 + len(others), body) if others else Map(body)
        return self._add("pair", kind, [own, *others], PAIR, node.span)

    def _map(self, name: str, changes: str, relation: sra.Node, span: Span | None) -> str:
        body = function(f"lambda batch: Batch(batch.timestamp, tuple({changes}))", span, RUNNING)
        return self._add(name, Map(body), [self.queue(relation)], BATCH, span)

    def _pair(self, node: sra.Binary) -> str:
        """The batches of both sides together; one batch is enough for a relation with itself."""
        left, right = self.queue(node.left), self.queue(node.right)
        if left == right:
            body = "lambda a: Pair(a.timestamp, a.changes, a.changes)"
            return self._add("pair", Map(function(body, node.span, RUNNING)), [left], PAIR,
                             node.span)
        body = function("lambda a, b: Pair(a.timestamp, a.changes, b.changes)", node.span, RUNNING)
        return self._add("pair", Barrier(2, body), [left, right], PAIR, node.span)

    def _shards(self, source: str, both: sra.Node | None, left: tuple[Term, ...] | None,
                right: tuple[Term, ...] | None, values: str = "r") -> str:
        """The shards of a batch, or of a pair of batches for `both`, by their keys."""
        if both is None:
            lists = f"{keyed('item.changes', left, values)}, ()"
        else:
            lists = f"{keyed('item.left', left)}, {keyed('item.right', right)}"
        body = function(f"lambda item: shards(item.timestamp, {lists})", None, RUNNING)
        return self._add("shard", FlatMap(body), [source], SHARD, both and both.span)

    def _keyed(self, name: str, text: str, state: type, span: Span | None, source: str,
               **scope: object) -> str:
        """An operator with a state for each bucket, and its parts put together again."""
        kind = Apply(function(text, span, RUNNING | scope), state, ("bucket",))
        forwards = Annotation("Forwards", ("timestamp", "bucket", "of"))
        parts = self._add(name, kind, [source], PART, span, ONE, forwards)
        gather = Apply(function("lambda state, part: gathered(state, part)", span, RUNNING),
                       shards.Gathering)
        return self._add("gather", gather, [parts], BATCH, span, AT_MOST_ONE)

    def _add(self, name: str, kind: Kind, inputs: list[str], item: Type, span: Span | None,
             *annotations: Annotation) -> str:
        return self.builder.add(name, kind, inputs, [item], (PURE, *annotations), span)[0]


class InstantClock:
    """Adds sources and the operators behind them to a builder; `type` is that of all timestamps."""

    def __init__(self, builder: Builder, program: Program, times: Mapping[str, str]):
        self.builder = builder
        used = _used(program)
        self.inputs = [i for i in program.inputs if i.name in used]
        self.times = _times(program.inputs, times)
        self.type = _common_type(self.inputs, self.times)
        self.whole = ColumnProgram(program, tuple(self.inputs), tuple(self.times.items()),
                                   self.type)
        self.expiry = Expiry(program, self.type, lambda seconds: duration(seconds, self.type))
        self.queues = self._queues()

    def queue(self, name: str) -> str:
        """The queue with the batches of an input."""
        return self.queues[name.lower()]

    def _queues(self) -> dict[str, str]:
        sources = [self._source(each) for each in self.inputs]
        if len(sources) == 1:
            [each] = self.inputs
            body = f"t: collected(state, t.{self.times[each.name]}, {_change(each)}, 0, paths)"
        else:
            arrivals = [self._arrivals(n, each) for n, each in enumerate(self.inputs)]
            sources = self.builder.add("arrivals", Union(len(arrivals)), arrivals,
                                       [RecordOf(Arrival)], [PURE])
            body = "a: collected(state, a.timestamp, a.change, a.source, paths)"
        paths = tuple(self.expiry.of(each.name) for each in self.inputs)
        scope = RUNNING | {"paths": paths}
        kind = Apply(function(f"lambda state, {body}", self.inputs[0].span, scope), Collecting,
                     at_end=function("lambda state: last_instant(state)", None, RUNNING))
        instants = self.builder.add("instants", kind, sources, [RecordOf(Instant)],
                                    [PURE, Annotation("Selectivity", (0, None if any(paths)
                                                                      else 1))])
        return {each.name.lower(): self._batches(number, each, instants)
                for number, each in enumerate(self.inputs)}

    def _source(self, each: Input) -> str:
        time = self.times[each.name]
        columns = {} if _declares(each, time) else {time: self.type}
        columns |= {} if each.is_stream else {OP: STR}
        columns |= {c.name: c.type for c in each.schema}
        record = RecordOf(record_class(each.name, columns))
        kind = Source(None, time, whole=self.whole)
        self.builder.place(each.name, kind, (), [each.name], [record], span=each.span)
        return each.name

    def _arrivals(self, number: int, each: Input) -> str:
        """The rows of one of several inputs with their timestamps."""
        text = f"lambda t: Arrival(t.{self.times[each.name]}, {number}, {_change(each)})"
        return self.builder.add("arrival", Map(function(text, each.span, RUNNING)),
                                [each.name], [RecordOf(Arrival)], [PURE], each.span)[0]

    def _batches(self, number: int, each: Input, instants: tuple[str, ...]) -> str:
        body = f"lambda instant: Batch(instant.timestamp, instant.parts[{number}])"
        queue = self.builder.add("batch", Map(function(body, each.span, RUNNING)), instants,
                                 [RecordOf(Batch)], [PURE], each.span)
        if each.is_stream:
            return queue[0]
        check = function("lambda state, batch: held(state, batch, name)", each.span,
                         RUNNING | {"name": each.name})
        return self.builder.add("relation", Apply(check, Held), queue, [RecordOf(Batch)],
                                [PURE, Annotation("Selectivity", (1, 1))], each.span)[0]


def _change(each: Input) -> str:
    """The row of an input and how often it is added."""
    cells = (f"number(t.{c.name})" if c.type == FLOAT else f"t.{c.name}" for c in each.schema)
    n = "1" if each.is_stream else f"sign(t.{OP})"
    return f"(({''.join(f'{cell}, ' for cell in cells).rstrip(' ')}), {n})"


def _used(program: Program) -> set[str]:
    """The inputs that some written result is computed from."""
    named = {result.name.lower(): result.node for result in program.results}
    return set().union(*(inputs_below(r.node, named) for r in program.results if r.written))


def _times(inputs: tuple[Input, ...], given: Mapping[str, str]) -> dict[str, str]:
    """The time attribute of each input: the one that was given, or `timestamp`."""
    known = {each.name.lower(): each.name for each in inputs}
    for name in given:
        if name.lower() not in known:
            raise UsageError(f"--time {name}=...: there is no input '{name}'",
                             help=did_you_mean(name, known.values()))
    chosen = {name.lower(): column for name, column in given.items()}
    return {each.name: chosen.get(each.name.lower(), TIME) for each in inputs}


def _declares(each: Input, name: str) -> bool:
    return any(c.name == name for c in each.schema)


def _common_type(inputs: list[Input], times: Mapping[str, str]) -> Type:
    """The type of the timestamps: as declared, or else whole numbers; of all inputs the same."""
    kinds = {each.name: next((c.type for c in each.schema if c.name == times[each.name]), None)
             for each in inputs}
    stated = {kind for kind in kinds.values() if kind is not None}
    for each in inputs:
        if kinds[each.name] not in (None, INT, FLOAT, TIMESTAMP):
            raise ProgramError(f"the attribute '{times[each.name]}' cannot be a timestamp",
                               each.span, expected="int, float or time",
                               got=shown(kinds[each.name]))
        if TIMESTAMP in stated and kinds[each.name] in (INT, FLOAT):
            raise ProgramError("the timestamps of all inputs must be of one type", each.span,
                               expected="time", got=shown(kinds[each.name]))
    return TIMESTAMP if TIMESTAMP in stated else FLOAT if FLOAT in stated else INT
