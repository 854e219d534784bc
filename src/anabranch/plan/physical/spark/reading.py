"""How sources are read: by tasks or by the driver, in which splits and form.

Tasks read files, each some splits of them. The driver reads what only one place may see: items that
are in no file, rows that are counted, kept apart, or merged with those of other sources by their
times.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anabranch.io.files.sources import FileSource
from anabranch.io.files.stores import size_of
from anabranch.io.lateness import InTime
from anabranch.io.python.objects import GeneratorSource, IterableSource
from anabranch.io.splits import Split, splits_of, why_in_rows
from anabranch.io.stdio import is_pipe
from anabranch.ir.ends import SourceSpec
from anabranch.ir.graph import Graph, Operator
from anabranch.plan.logical.plan import Reason
from anabranch.plan.physical.ends import Form
from anabranch.plan.physical.spark.cluster import Cluster
from anabranch.plan.physical.spark.placement import split_size
from anabranch.plan.physical.spark.tuning import SparkKnobs


@dataclass(frozen=True)
class Asked:
    """What of a run's options says how it runs. The `items` of the sources may be given by the
    caller, who then takes those of the sinks as well."""

    limit: int | None = None
    on_error: str = "stop"
    single_file: bool = False
    stream: bool = False
    items: bool = False


@dataclass(frozen=True)
class TaskSplit:
    """A part of a source that a task reads, in a form that holds as long as its rows are plain."""

    source: Operator
    split: Split
    form: Form


@dataclass(frozen=True)
class SourceReading:
    """How the input of a job comes. If `by_driver` says why, the driver reads it and sends slices,
    as many as `slices` says if their number is known; otherwise tasks read the `splits`, of files
    that have so many bytes in all. Those of a stream are made for each batch."""

    forms: Mapping[str, Form]
    why_rows: Mapping[str, str]
    by_driver: Reason | None = None
    slices: int | None = None
    splits: tuple[TaskSplit, ...] = ()
    size: int = 0


def batch_reading(graph: Graph, asked: Asked, cluster: Cluster, knobs: SparkKnobs, compiled: bool
                 ) -> SourceReading:
    """That of a batch job; `compiled` says whether its tasks have kernels."""
    if (why := why_by_driver(graph, asked)) is not None:
        return driver_reading(graph, asked, knobs, why)
    files = [(op, file) for op in graph.sources for file in op.kind.spec.files()]
    return task_reading(files, cluster.cores, knobs, compiled)


def driver_reading(graph: Graph, asked: Asked, knobs: SparkKnobs, why: Reason) -> SourceReading:
    return SourceReading({op.name: Form.ROWS for op in graph.sources}, {}, why,
                         _slices_known(graph, asked.limit, knobs))


def stream_reading(graph: Graph) -> SourceReading:
    """That of a stream whose tasks read: what each batch has is cut when it comes."""
    why = {op.name: why_in_rows(op.kind.spec, (), 0, 0) for op in graph.sources}
    return SourceReading({name: Form.ROWS if reason else Form.COLUMNS
                          for name, reason in why.items()},
                         {name: reason for name, reason in why.items() if reason})


def task_reading(files: Sequence[tuple[Operator, str]], cores: int, knobs: SparkKnobs,
                 compiled: bool) -> SourceReading:
    """The files, split so that there is work for so many cores."""
    size = sum(size_of(file) for _, file in files)
    needs = 0 if compiled else knobs.worth_json_columns
    why = {op.name: why_in_rows(op.kind.spec, [f for other, f in files if other is op],
                                size // cores, needs) for op, _ in files}
    forms = {name: Form.ROWS if reason else Form.COLUMNS for name, reason in why.items()}
    longest = split_size(size, cores, knobs)
    splits = tuple(TaskSplit(op, split, forms[op.name]) for op, file in files
                   for split in splits_of(op.kind.spec, longest, [file]))
    in_rows = {name: reason for name, reason in why.items() if reason}
    return SourceReading(forms, in_rows, None, len(splits), splits, size)


def why_by_driver(graph: Graph, asked: Asked) -> Reason | None:
    """Why the driver reads the sources, if it does."""
    timed = [op for op in graph.sources if op.kind.time or op.kind.spec.time]
    if asked.items:
        return Reason("the items are given by the caller", graph.sources[0].span)
    if len(timed) > 1:
        return Reason("sources are merged by their times, in one place", timed[1].span)
    if asked.limit is not None:
        return Reason("rows are counted, for --limit")
    return _why_stream_by_driver(graph, asked) if asked.stream else _why_batch_by_driver(
        graph, asked, bool(timed))


def _why_batch_by_driver(graph: Graph, asked: Asked, timed: bool) -> Reason | None:
    for op in graph.sources:
        if isinstance(op.kind.spec, InTime):
            return Reason(f"the rows of {op.name} are put into the order of their times, in one "
                          "place", op.span)
        if not (isinstance(op.kind.spec, FileSource) and op.kind.spec.replayable):
            return Reason(f"{op.name} is no file that tasks could read", op.span)
    if asked.on_error == "stop" or (asked.on_error == "skip" and not timed):
        return None
    return Reason("malformed rows are kept apart, or left out of a source with times")


def _why_stream_by_driver(graph: Graph, asked: Asked) -> Reason | None:
    for op in graph.sources:
        if not (grows(op) or is_pipe(op.kind.spec)):
            return Reason(f"{op.name} is no folder, and read once", op.span)
    if asked.on_error not in ("stop", "skip"):
        return Reason("malformed rows are kept apart")
    return None


def grows(op: Operator) -> bool:
    """Whether more may come: a folder or a glob, unlike a single file or a list, which is read
    once, in the first batch."""
    return isinstance(op.kind.spec, FileSource) and not os.path.isfile(op.kind.spec.path)


def _slices_known(graph: Graph, limit: int | None, knobs: SparkKnobs) -> int | None:
    rows = [_rows_exactly(op.kind.spec) for op in graph.sources]
    known = None if None in rows else sum(rows)
    if limit is not None and (known is not None or limit <= rows_of_a_slice(0, knobs)):
        known = limit if known is None else min(limit, known)
    return None if known is None else slices_of(known, knobs)


def _rows_exactly(spec: SourceSpec) -> int | None:
    return spec.rows_about() if isinstance(spec, (IterableSource, GeneratorSource)) else None


def rows_of_a_slice(before: int, knobs: SparkKnobs) -> int:
    """How many rows the next slice has, when so many have come before it."""
    return knobs.slice_size or min(max(knobs.fewest_rows, before // knobs.slices_wanted),
                                   knobs.most_rows)


def slices_of(rows: int, knobs: SparkKnobs) -> int:
    """How many slices so many rows make.

    >>> [slices_of(rows, SparkKnobs()) for rows in (0, 16, 17, 10**12)]
    [0, 1, 2, 122070517]
    """
    count = before = 0
    while before < rows:
        size = rows_of_a_slice(before, knobs)
        if size == (knobs.slice_size or knobs.most_rows):
            # From here on all are of this size.
            return count + -(-(rows - before) // size)
        count, before = count + 1, before + size
    return count
