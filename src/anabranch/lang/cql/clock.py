"""The inputs of a program, merged by time and cut into instants.

The instants are the timestamps that occur in any input that the program reads, and the times at
which rows leave windows: see `expiry`.
"""

from __future__ import annotations

from collections.abc import Mapping

from anabranch.errors import ProgramError, UsageError, did_you_mean
from anabranch.ir.builder import Builder
from anabranch.ir.graph import Annotation
from anabranch.ir.operators import Apply, Map, Source, Union
from anabranch.ir.records import record_class
from anabranch.ir.types import FLOAT, INT, STR, TIMESTAMP, RecordOf, Type
from anabranch.lang.common.checking import shown
from anabranch.lang.common.code import function
from anabranch.lang.cql.code import RUNNING
from anabranch.lang.cql.columns.whole import WholeProgram
from anabranch.lang.cql.expiry import Expiry
from anabranch.lang.cql.program import OP, Program
from anabranch.lang.cql.running.batches import Arrival, Batch, Collecting, Held, Instant
from anabranch.lang.cql.sra import Input, inputs_below
from anabranch.lang.cql.windowing import duration

TIME = "timestamp"
PURE = Annotation("Pure")
"""Generated operators compute and do nothing else; that they can fail hides this from analysis."""


class Clock:
    """Adds sources and the operators behind them to a builder; `type` is that of all timestamps."""

    def __init__(self, builder: Builder, program: Program, times: Mapping[str, str]):
        self.builder = builder
        used = _used(program)
        self.inputs = [i for i in program.inputs if i.name in used]
        self.times = _times(program.inputs, times)
        self.type = _common_type(self.inputs, self.times)
        self.whole = WholeProgram(program, tuple(self.inputs), tuple(self.times.items()), self.type)
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
