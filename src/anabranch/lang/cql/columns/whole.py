"""A program in columns, as the engines ask for it: see `ir.whole`."""

from __future__ import annotations

import os
from dataclasses import dataclass

from anabranch.io.arrow import schema_of
from anabranch.io.columns import columns_of
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.types import Type
from anabranch.ir.whole import Measured
from anabranch.lang.cql.columns import explaining
from anabranch.lang.cql.columns.inputs import InputFile, slices
from anabranch.lang.cql.columns.needs import reason_against, slots_read
from anabranch.lang.cql.columns.pipeline import run
from anabranch.lang.cql.columns.steps import Steps, duration_in, types_of
from anabranch.lang.cql.columns.streams import Written
from anabranch.lang.cql.expiry import Expiry
from anabranch.lang.cql.program import Program, Result
from anabranch.lang.cql.sra import Input
from anabranch.once import once
from anabranch.plan import StageTier


class Sinks:
    """Gives the batches of a result to its sink, in order."""

    ordered = True

    def __init__(self, op: Operator, emit):
        self.op, self.emit = op, emit

    def run(self, now: object, items: object) -> None:
        if not self.emit.write(self.op, items):
            for item in items:
                self.emit(self.op, item)


class AsText:
    """The items of a sink, with their text where it writes text."""

    ordered = False

    def __init__(self, op: Operator, emit):
        self.op, self.emit = op, emit

    def run(self, now: object, batch: object) -> object:
        return self.emit.prepared(self.op, batch)


@dataclass(frozen=True)
class WholeProgram:
    """A program with the times of its inputs; `times` names the time attribute of each."""

    program: Program
    inputs: tuple[Input, ...]
    times: tuple[tuple[str, str], ...]
    clock: Type

    at_once = False

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

    def runs_on(self, graph: Graph, options) -> bool:
        """Whether all inputs are files of columns, to be read to their end."""
        return self.is_in_step and options.limit is None and all(
            hasattr(op.kind.spec, "extracts") and op.kind.spec.has_batches()
            for op in graph.sources)

    def run(self, graph: Graph, emit, options, report) -> list[Measured]:
        steps = self._steps()
        for result in self._written:
            self._add_sink(steps, result, graph[result.name], emit)
        files = self._files(graph, steps)
        threads = options.workers or os.cpu_count() or 1
        found = run(steps.placed, self._counted(files, report, options), threads)
        report.tier = "columns"
        return list(explaining.operators(steps.placed, found))

    @property
    def _written(self) -> list[Result]:
        return [result for result in self.program.results if result.written]

    def _steps(self) -> Steps:
        return Steps(self.clock, {r.name.lower(): r.node for r in self.program.results})

    def _add_sink(self, steps: Steps, result: Result, op: Operator, emit) -> None:
        node, schema = result.node, schema_of(columns_of(emit.types[op.name]))
        rows = Written(types_of(node), self.clock, node.is_stream, steps.texts, schema)
        batches = steps.add(f"rows of {op.name}", rows, steps.number(node))
        items = steps.add(f"text of {op.name}", AsText(op, emit), batches)
        steps.add(op.name, Sinks(op, emit), items)

    def _files(self, graph: Graph, steps: Steps) -> list[InputFile]:
        names = dict(self.times)
        nodes = [result.node for result in self.program.results]
        slots = slots_read(nodes, {each.name: each for each in self.inputs})
        expiry = Expiry(self.program, self.clock, lambda s: duration_in(s, self.clock))
        return [InputFile(each, graph[each.name].kind.spec, names[each.name], self.clock,
                          slots[each.name], steps.texts, expiry.of(each.name))
                for each in self.inputs]

    def _counted(self, files: list[InputFile], report, options):
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
        return explaining.stages(steps)

    def tables(self) -> tuple:
        """Why the program does not go through columns, if it does not."""
        if self.why_not is None:
            return ()
        return (("not in whole columns", ("why",), ((self.why_not,),)),)

    def is_spread(self) -> bool:
        return False

    def pieces(self, graph: Graph, options, count: int) -> list:
        return []
