"""A program in columns, as the engines ask for it, and what is explained of it.

See `ir.whole`. Columns must be able to hold the values of the program, and only those that it looks
at are read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from anabranch.core.once import once
from anabranch.io.arrow.schema import schema_of
from anabranch.io.columns import columns_of
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.types import FLOAT, INT, Type, without_none
from anabranch.lang.common.terms import Term, Variable, walk
from anabranch.lang.cql import algebra
from anabranch.lang.cql.algebra import Input, Node, Window
from anabranch.lang.cql.check import own_slots
from anabranch.lang.cql.execution.columns.joins import Join
from anabranch.lang.cql.execution.columns.pipeline import Spent, measured, run
from anabranch.lang.cql.execution.columns.relations import Written
from anabranch.lang.cql.execution.columns.rows import ByRows
from anabranch.lang.cql.execution.columns.slices import InputFile, slices
from anabranch.lang.cql.execution.columns.steps import Placed, Steps, duration_in, types_of
from anabranch.lang.cql.execution.columns.values import KINDS
from anabranch.lang.cql.execution.rows.expiry import Expiry
from anabranch.lang.cql.translate import Program, Result
from anabranch.plan.logical.plan import Reason
from anabranch.plan.logical.whole import OperatorMeasure, Table, WholeProgram
from anabranch.plan.physical.plan import StageTier
from anabranch.runtime.options import RunOptions, RunReport


class ResultSinks:
    """Gives the batches of a result to its sink, in order."""

    ordered = True

    def __init__(self, op: Operator, emit):
        self.op, self.emit = op, emit

    def run(self, now: object, items: object) -> None:
        if not self.emit.write(self.op, items):
            for item in items:
                self.emit(self.op, item)


class ResultTexts:
    """The items of a sink, with their text where it writes text."""

    ordered = False

    def __init__(self, op: Operator, emit):
        self.op, self.emit = op, emit

    def run(self, now: object, batch: object) -> object:
        return self.emit.prepared(self.op, batch)


@dataclass(frozen=True)
class ColumnProgram(WholeProgram):
    """A program with the times of its inputs; `times` names the time attribute of each."""

    program: Program
    inputs: tuple[Input, ...]
    times: tuple[tuple[str, str], ...]
    clock: Type

    @property
    def unread(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.program.inputs if each not in self.inputs)

    @once
    def why_not(self) -> str | None:
        """Why it has to go row by row."""
        names = dict(self.times)
        for each in self.inputs:
            if any(c.name == names[each.name] and c.type != self.clock for c in each.schema):
                return "timestamps are of several types"
        return reason_against((r.node for r in self.program.results), self.clock)

    @property
    def is_in_step(self) -> bool:
        return self.why_not is None

    def runs_on(self, graph: Graph, options: RunOptions) -> bool:
        """Whether all inputs are files of columns, to be read to their end."""
        return self.is_in_step and options.limit is None and all(
            op.kind.spec is not None and op.kind.spec.has_batches() for op in graph.sources)

    def run(self, graph: Graph, emit, options: RunOptions,
            report: RunReport) -> list[OperatorMeasure]:
        steps = self._steps()
        for result in self._written:
            self._add_sink(steps, result, graph[result.name], emit)
        files = self._files(graph, steps)
        threads = options.workers or os.cpu_count() or 1
        found = run(steps.placed, self._counted(files, report, options), threads)
        report.tier = "columns"
        return list(operators(steps.placed, found))

    @property
    def _written(self) -> list[Result]:
        return [result for result in self.program.results if result.written]

    def _steps(self) -> Steps:
        return Steps(self.clock, {r.name.lower(): r.node for r in self.program.results})

    def _add_sink(self, steps: Steps, result: Result, op: Operator, emit) -> None:
        node, schema = result.node, schema_of(columns_of(emit.types[op.name]))
        rows = Written(types_of(node), self.clock, node.is_stream, steps.texts, schema)
        batches = steps.add(f"rows of {op.name}", rows, steps.number(node))
        items = steps.add(f"text of {op.name}", ResultTexts(op, emit), batches)
        steps.add(op.name, ResultSinks(op, emit), items)

    def _files(self, graph: Graph, steps: Steps) -> list[InputFile]:
        names = dict(self.times)
        nodes = [result.node for result in self.program.results]
        slots = slots_read(nodes, {each.name: each for each in self.inputs})
        expiry = Expiry(self.program, self.clock, lambda s: duration_in(s, self.clock))
        return [InputFile(each, graph[each.name].kind.spec, names[each.name], self.clock,
                          slots[each.name], steps.texts, expiry.of(each.name))
                for each in self.inputs]

    def _counted(self, files: list[InputFile], report: RunReport, options: RunOptions):
        for each in slices(files):
            report.read.update({file.declared.name: file.read for file in files})
            if options.progress is not None:
                options.progress(report.read)
            yield each
        report.read.update({file.declared.name: file.read for file in files})

    def stages(self, graph: Graph) -> tuple[StageTier, ...]:
        """What goes through whole columns, and what through rows."""
        steps = self._steps()
        for result in self._written:
            steps.number(result.node)
        return stages(steps)

    def tables(self) -> tuple[Table, ...]:
        """Why the program does not go through columns, if it does not."""
        if self.why_not is None:
            return ()
        return (("not in whole columns", ("why",), ((self.why_not,),)),)


def reason_against(nodes: Iterable[algebra.Node], clock: Type) -> str | None:
    """Why the relations of a program cannot be held in columns; None when they can."""
    return next((why for node in nodes for why in _reasons(node, clock)), None)


def _reasons(node: algebra.Node, clock: Type) -> Iterator[str]:
    if unheld := [column.name for column in node.schema if column.type not in KINDS]:
        yield f"the column {unheld[0]} is always null"
    if isinstance(node, algebra.Top):
        yield "its rows have an order of their own"
    if isinstance(node, algebra.Window) and node.kind == "range" and node.slide and (
            clock == FLOAT or (clock == INT and node.slide.denominator != 1)):
        yield "a window slides along times with fractions"
    if isinstance(node, algebra.Project) and any(
            _widens(term, node.relation.schema) for term in node.terms):
        yield "a whole number stands for a float"
    for each in node.inputs:
        yield from _reasons(each, clock)


def _widens(term: Term, schema: algebra.Schema) -> bool:
    """Whether a column is used as one of another type, which its values are not of."""
    return any(isinstance(part, Variable) and without_none(part.type) != without_none(
        schema[part.slot].type) for part in walk(term))


def slots_read(nodes: Iterable[algebra.Node],
               inputs: Mapping[str, algebra.Input]) -> dict[str, set[int]]:
    """The positions of the columns of each input that anything is computed from."""
    found: dict[str, set[int]] = {name: set() for name in inputs}
    for node in nodes:
        _look(node, _all(node), found)
    return found


def _all(node: algebra.Node) -> set[int]:
    return set(range(len(node.schema)))


def _look(node: algebra.Node, slots: set[int], found: dict[str, set[int]]) -> None:
    match node:
        case algebra.Input():
            if node.name in found:
                found[node.name] |= slots if node.is_stream else _all(node)
        case algebra.Window():
            _look(node.relation, slots | set(node.by), found)
        case algebra.Filter():
            _look(node.relation, slots | own_slots(node.condition), found)
        case algebra.Project():
            _look(node.relation, set().union(*map(own_slots, node.terms)), found)
        case algebra.Group():
            arguments = [c.argument for c in node.calls if c.argument is not None]
            _look(node.relation, set().union(*map(own_slots, (*node.keys, *arguments))), found)
        case _:
            for each in node.inputs:
                _look(each, _all(each), found)


def stages(steps: Steps) -> tuple[StageTier, ...]:
    """What goes through whole columns, and what through rows."""
    return tuple(StageTier((_name(node),), *_tier(node, steps.placed[number].step))
                 for node, number in steps.known.items())


def operators(placed: Sequence[Placed], found: Sequence[Spent]) -> Iterator[OperatorMeasure]:
    """What each operator did, and what was done to write the results."""
    for of, pairs in groupby(zip(placed, found), lambda pair: pair[0].of):
        own, did = zip(*pairs)
        tier = "" if isinstance(of, str) else _tier(of, own[-1].step)[0]
        yield measured(_name(of), tier, own, did)


def _name(of: Node | str) -> str:
    """What the user calls an operator of the algebra."""
    if isinstance(of, str):
        return of
    kind = f"[{of.kind}]" if isinstance(of, Window) else None
    name = kind or getattr(of, "operator", None) or getattr(of, "name", None)
    return name or type(of).__name__.lower()


def _tier(node: Node, step: object) -> tuple[str, Reason | None]:
    if isinstance(step, ByRows):
        return "rows", Reason("it finds its rows one by one, in slices of many instants", node.span)
    if isinstance(step, Join):
        return "columns", Reason("where both sides change in turn, change by change", node.span)
    return "columns", None
