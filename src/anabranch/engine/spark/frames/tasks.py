"""What runs in Python workers: the batches of a partition through some stages.

Errors leave as ours: Spark shows the text of the last line of a traceback, so there is no other.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from operator import itemgetter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anabranch.batch.slices import Batch, Failure, Flow, parted
from anabranch.core.errors import AnabranchError
from anabranch.core.source import Span
from anabranch.engine.spark.frames.errors import null_in_column, null_in_order
from anabranch.engine.spark.frames.layout import Layout
from anabranch.engine.spark.frames.portions import (
    Bundle,
    Portion,
    batches_out,
    check_apart,
    in_groups,
    merged,
    portion_of,
    without_marks,
)
from anabranch.engine.spark.job.pickling import loaded
from anabranch.engine.spark.session.workers import settle
from anabranch.io.columns import columns_of
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Keyed
from anabranch.ir.types import Scalar, without_none
from anabranch.plan.physical.spark.frames import FrameExchange, FramePart
from anabranch.plan.physical.stages import Sharing, Stage, finishes
from anabranch.runtime.stage.double_check import Doubts
from anabranch.runtime.stage.rounds import Rounds
from anabranch.runtime.stage.rows import Line

BULK = 4096
"""So many rows of a partition are worth a kernel."""

WARM = 0.5
"""So are rows that take so many seconds in plain Python."""


@dataclass(frozen=True)
class PartTask:
    """All that a task must know. `full` are the columns that hold no null, by queue, with the names
    that they have for the user, and `placed` those of the order; `order` are the names of the
    latter, and `spans` the lines of those who write the queues. Nobody is told of the end of what
    is `endless`. The saved state of operators that are `dropped` is of no use any more."""

    graph: Graph
    part: FramePart
    layout: Layout
    depths: Mapping[str, int]
    kernels: Mapping[int, object]
    order: tuple[str, ...]
    full: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    placed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    spans: Mapping[str, Span | None] = field(default_factory=dict)
    doubts: Doubts | None = None
    order_span: Span | None = None
    endless: bool = False
    dropped: frozenset[str] = frozenset()
    functions: Mapping[str, str] = field(default_factory=dict)


class PartFunction:
    """Takes the batches of a partition through a part of the plan; Spark shows its name."""

    def __init__(self, name: str, data: bytes):
        self.__name__, self.data = name, data

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        settle()
        try:
            batches = iter(batches)
            first = next(batches, None)
            coming = () if first is None else chain((first,), batches)
            yield from PartWorker(fitted(loaded(self.data), first)).through(coming)
        except AnabranchError as error:
            raise told(error) from None


def fitted(task: PartTask, batch: pa.RecordBatch | None) -> PartTask:
    """The task with the types that columns of the order have here: the zone of times is that of the
    session."""
    if batch is None:
        return task
    origin = tuple((name, batch.schema.field(name).type) for name, _ in task.layout.origin)
    return replace(task, layout=replace(task.layout, origin=origin))


def told(error: AnabranchError) -> AnabranchError:
    """The error without its way through this package, so that its own text is what is read."""
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)


class PartWorker:
    """The stages of a part, and what they remember in this partition."""

    def __init__(self, task: PartTask, lines: Mapping[int, object] | None = None):
        self.task, self.part, self.layout = task, task.part, task.layout
        self.serving = [Serving(task, stage, (lines or {}).get(stage.index))
                        for stage in task.part.stages]

    def through(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for portion in self.portions(batches):
            yield from self.advance(portion)
        yield from self.finish()

    def portions(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Portion]:
        is_sorted = self.part.route is not FrameExchange.SOURCE
        batches = map(without_marks, batches)
        if is_sorted:
            batches = in_groups(batches, self.layout.group_names)
        for batch in filter(len, batches):
            self.check_full(batch)
            portion = portion_of(self.layout, self.part.entering, batch, is_sorted)
            if is_sorted:
                self._check_order(portion, batch)
            if not is_sorted:
                # Every row is a source tuple of its own.
                portion.__dict__["groups"] = np.arange(len(batch))
            yield portion

    def check_full(self, batch: pa.RecordBatch) -> None:
        """Refuses nulls where a record has none, and in the order."""
        for queue in self.part.entering:
            where, kind = self.task.spans.get(queue), self.layout.types[queue]
            if (name := self._null(queue, batch, self.task.full)) is not None:
                raise null_in_column(name, kind, where)
            if (name := self._null(queue, batch, self.task.placed)) is not None:
                raise null_in_order(name, where)

    def _null(self, queue: str, batch: pa.RecordBatch, names: Mapping[str, Mapping[str, str]]
              ) -> str | None:
        """The first of these columns that has a null."""
        return next((shown for name, shown in names.get(queue, {}).items()
                     if batch.column(name).null_count and self._has_null(queue, batch, name)), None)

    def _has_null(self, queue: str, batch: pa.RecordBatch, name: str) -> bool:
        """Rows of other queues have nothing there."""
        if len(self.part.entering) == 1:
            return True
        own = pc.equal(batch.column("q"), self.layout.numbers[queue])
        return batch.filter(own).column(name).null_count > 0

    def _check_order(self, portion: Portion, batch: pa.RecordBatch) -> None:
        keys = self.part.keys
        for queue in (self.part.stages[0].inputs if keys else self.part.entering):
            names = self.layout.key_names(queue, keys[queue]) if keys else []
            check_apart(portion, queue, batch, names, self.task.order, self.task.order_span)

    def advance(self, portion: Portion) -> Iterator[pa.RecordBatch]:
        for serving in self.serving:
            serving.run(portion)
        yield from batches_out(portion, self.part.leaving, self.task.spans)

    def finish(self) -> Iterator[pa.RecordBatch]:
        """What operators give at the end of the input, each through those behind it."""
        for name in sorted(self.part.finals, key=self.task.graph.position):
            place = next(n for n, s in enumerate(self.serving) if name in s.stage)
            portion = self.serving[place].finish(name)
            for serving in self.serving[place + 1:]:
                serving.run(portion)
            yield from batches_out(portion, self.part.leaving, self.task.spans)


class Serving:
    """A stage at work. Where keys are told of the end, the stamps that they came with are kept."""

    def __init__(self, task: PartTask, stage: Stage, line: object = None):
        self.task, self.stage, self.layout = task, stage, task.layout
        self.number, self.seen = 0, {}
        self.notes = _notes(stage) and not task.endless
        # The driver has found them: functions that are no file's text cannot be analysed here.
        given = [task.depths[queue] for queue in stage.inputs]
        self.depth = task.depths[stage.outputs[0]]
        self.multiplies = self.depth > max(given) + (len(given) > 1)
        self.line, self.rows = line or line_of(task, stage, self.in_bulk), 0

    def in_bulk(self, seconds: float, columns: bool) -> bool:
        """Whether a kernel is worth its compilation: few rows are done before it is there."""
        return columns and (self.rows >= BULK or seconds >= WARM)

    def run(self, portion: Portion) -> None:
        """Takes what has come for the stage through it."""
        given, ports = merged(portion, self.stage.inputs)
        if not len(given.rows):
            return
        if self.stage.sharing is Sharing.TOGETHER:
            self._in_rounds(portion)
            return
        if self.notes:
            self.seen[self.number] = (portion.stamps, given.rows, given.path)
        self.rows += len(given.rows)
        outcome = self.line.run(self.number, Flow(range(len(given.rows)), given.items, ports))
        self.number += 1
        check(outcome.failures)
        for queue, flow in zip(self.stage.outputs, outcome.outputs):
            portion.bundles[queue] = self._behind(given, flow)

    def _behind(self, given: Bundle, flow: Flow) -> Bundle:
        """What came out, with the stamps of what it came of."""
        places = np.asarray(flow.rows, np.int64)
        path = given.path[places]
        if self.multiplies:
            path[:, self.depth - 1] = told_apart(places)
        return Bundle(given.rows[places], path, flow.items)

    def _in_rounds(self, portion: Portion) -> None:
        bundles = [portion.bundle(queue) for queue in self.stage.inputs]
        firsts = np.flatnonzero(np.diff(portion.groups, prepend=-1))
        batches = [Batch(portion.groups[b.rows].tolist(), b.items) for b in bundles]
        flows, failures = self.line.run(batches)
        check(failures)
        for queue, flow in zip(self.stage.outputs, flows):
            groups = np.asarray(flow.rows, np.int64)
            portion.bundles[queue] = Bundle(firsts[groups], self._first(told_apart(groups)),
                                          flow.items)

    def _first(self, numbers: np.ndarray) -> np.ndarray:
        """A path that has these numbers, and nothing behind them."""
        path = np.zeros((len(numbers), self.layout.depth), np.int64)
        path[:, self.depth - 1] = numbers
        return path

    def finish(self, name: str) -> Portion:
        """What an operator gives at the end, as a portion of its own."""
        if self.stage.sharing is Sharing.TOGETHER:
            flows, failures = self.line.finish_one(name)
        else:
            outcome = self.line.finish(End(self.number, name), name)
            flows, failures = outcome.outputs, outcome.failures
        self.number += 1
        check(failures)
        stamps, portion = Ended(self, name), None
        for queue, flow in zip(self.stage.outputs, flows):
            own = stamps.of(flow.rows)
            portion = Portion(self.layout, own, {}) if portion is None else portion
            numbers = told_apart_of(flow.rows)
            path = stamps.path(flow.rows)
            path[:, self.depth - 1] = numbers
            if portion.stamps is not own:
                offset = len(portion.stamps)
                portion.stamps = pa.concat_batches([portion.stamps, own])
            else:
                offset = 0
            portion.bundles[queue] = Bundle(np.arange(offset, offset + len(own)), path, flow.items)
        return portion


def _notes(stage: Stage) -> bool:
    """Whether it matters at the end when a key came."""
    return stage.sharing is Sharing.BUCKETS and any(
        isinstance(op.kind, Keyed) and op.kind.stateful and finishes(op) for op in stage.operators)


class End(int):
    """The number of the slice that tells an operator of the end."""

    name: str

    def __new__(cls, number: int, name: str):
        made = super().__new__(cls, number)
        made.name = name
        return made


class Ended:
    """The stamps of what an operator gives at the end: those that its keys came with."""

    def __init__(self, serving: Serving, name: str):
        self.serving, self.layout, self.name = serving, serving.layout, name

    def of(self, places: Iterable) -> pa.RecordBatch:
        """The stamps without their paths."""
        found = [self._base(place) for place in places]
        kept = self._columns(found)
        ends = [pa.array([int(name in flags) for _, _, flags in found], pa.int64())
                for name in self.layout.ends]
        before = [self._ends_before(kept, number, own) for number, own in enumerate(ends)]
        columns = [*before, *(kept.column(name) for name in self.layout.origin_names)]
        fields = self.layout.stamp_fields[:len(self.layout.group_names)]
        return pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields))

    def _ends_before(self, kept: pa.RecordBatch, number: int, own: pa.Array) -> pa.Array:
        earlier = kept.column(self.layout.end_names[number]).fill_null(0)
        return pc.bit_wise_or(earlier, own)

    def path(self, places: Iterable) -> np.ndarray:
        found = [self._base(place) for place in places]
        path = np.zeros((len(found), self.layout.depth), np.int64)
        for n, (number, row, _) in enumerate(found):
            if number in self.serving.seen:
                path[n] = self.serving.seen[number][2][row]
        return path

    def _base(self, place: object, flags: frozenset[str] | None = None) -> tuple:
        """The slice and row that a key came with, and the operators whose ends are on the way."""
        flags = frozenset([self.name]) if flags is None else flags
        if not isinstance(place, tuple):
            return None, 0, flags
        number, row = place
        if isinstance(number, End):
            return self._base(row, flags | {number.name})
        return number, int(row), flags

    def _columns(self, found: list[tuple]) -> pa.RecordBatch:
        """The rows of the stamps that the keys came with; nothing where there is no key."""
        numbers = list(dict.fromkeys(number for number, _, _ in found))
        tables, start, starts = [], 0, {}
        for number in numbers:
            table = self._nothing() if number is None else self._taken(number)
            starts[number], start = start, start + len(table)
            tables.append(table)
        if not tables:
            return self._nothing().slice(0, 0)
        places = [starts[number] + row for number, row, _ in found]
        return pa.concat_batches(tables).take(pa.array(places, pa.int64()))

    def _taken(self, number: int) -> pa.RecordBatch:
        stamps, rows, _ = self.serving.seen[number]
        return stamps.take(pa.array(rows))

    def _nothing(self) -> pa.RecordBatch:
        fields = self.layout.stamp_fields[:len(self.layout.group_names)]
        return pa.RecordBatch.from_arrays([pa.nulls(1, own.type) for own in fields],
                                          schema=pa.schema(fields))


def line_of(task: PartTask, stage: Stage, ready: Callable[[float, bool], bool]) -> object:
    """What runs the stage: a kernel where rows come in bulk, or rows."""
    if stage.sharing is Sharing.TOGETHER:
        return SeenRounds(task.graph, stage, emit=_no_sink, stopped=lambda: False)
    buckets = stage.sharing is Sharing.BUCKETS and not task.endless
    kernel = task.kernels.get(stage.index)
    if kernel is None:
        return Line(task.graph, stage.operators, buckets, task.doubts)
    # Numba takes half a second to import.
    from anabranch.runtime.stage.kernel import KernelLine

    kernel = kernel.tracking() if task.endless else kernel
    return KernelLine(task.graph, stage.operators, kernel, buckets, ready)


class SeenRounds(Rounds):
    """Items leave as they are when they leave, also those that an operator goes on changing."""

    def __init__(self, graph: Graph, stage: Stage, **given: object):
        super().__init__(graph, stage, **given)
        self.lasting = {f"{queue} out" for queue in stage.outputs
                        if all(isinstance(without_none(kind), Scalar) for kind in
                               columns_of(graph.queue(queue).type).values())}

    def _sink(self, op: Operator, item: object) -> None:
        super()._sink(op, item if op.name in self.lasting else copy.deepcopy(item))


def _no_sink(op, item) -> None:
    raise AssertionError(f"{op.name} is written by Spark")


def check(failures: Iterable[Failure]) -> None:
    """Raises the first of the errors that end a run."""
    fatal, _ = parted(failures)
    if fatal:
        raise min(fatal, key=itemgetter(0)).error


def told_apart(places: np.ndarray) -> np.ndarray:
    """The index of each place among the equal ones beside it.

    >>> told_apart(np.array([3, 3, 5])).tolist()
    [0, 1, 0]
    """
    numbers = np.arange(len(places))
    firsts = np.diff(places, prepend=-1) != 0
    return numbers - np.maximum.accumulate(np.where(firsts, numbers, 0))


def told_apart_of(places: Iterable) -> np.ndarray:
    """The same for places of any kind."""
    numbers, last, at = [], object(), 0
    for place in places:
        at = at + 1 if place == last else 0
        last = place
        numbers.append(at)
    return np.array(numbers, np.int64)
