"""Straight lines from file to file, in columns: read ahead, one kernel, written behind.

A program whose source and sink are Parquet or plain CSV files and whose operators all compile runs
in whole columns. Reading, computing and writing overlap; a line without state computes several
batches at once. Anything out of the ordinary (a malformed row, a failing function) ends
the attempt: nothing has been written then, and the engine runs the program row by row, which
says exactly what is wrong.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from threading import Thread
from typing import TYPE_CHECKING

from anabranch.ir.graph import Graph, Operator
from anabranch.ir.types import Scalar, Type, fields_of, without_none
from anabranch.plan import Execution, Reason

if TYPE_CHECKING:
    import pyarrow as pa

    from anabranch.kernels import Kernel

WORTH_COMPILING = 100_000
"""So many rows must be there: compiling takes seconds the first time."""


@dataclass(frozen=True)
class Line:
    """A source, a sink, and the kernel of all that stands between them."""

    source: Operator
    sink: Operator
    kernel: Kernel
    stateless: bool
    item_type: Type


def run_columns(graph: Graph, options, report) -> bool:
    """Runs the program in columns; False, with nothing done, when it has to run in rows."""
    line = line_of(graph)
    if isinstance(line, Reason):
        return False
    writer = line.sink.kind.spec.open(line.item_type)
    try:
        batches = _limited(_counted(line.source.kind.spec.batches(), line, report, options),
                           options.limit)
        for batch in _computed(line, _ahead(batches), options.workers or os.cpu_count() or 1):
            writer.write_batch(batch)
            report.written[line.sink.name] += len(batch)
        writer.commit()
    except Exception:
        writer.abort()
        report.read[line.source.name] = report.written[line.sink.name] = 0
        return False
    except BaseException:
        writer.abort()
        raise
    report.tier = line.kernel.tier
    return True


def execution(graph: Graph) -> Execution:
    """How the multicore engine runs the program; `explain` shows it."""
    line = line_of(graph)
    if isinstance(line, Reason):
        return Execution("multicore", "rows", line)
    return Execution("multicore", line.kernel.tier, line.kernel.reason)


def line_of(graph: Graph) -> Line | Reason:
    """The program as a line that can run in columns, or why it runs in rows."""
    source, *inner, sink = graph.operators
    if obstacle := _bend(graph) or _row_end(source, sink):
        return obstacle
    # Numba takes half a second to import.
    from anabranch.kernels import compile_stage

    item_type = graph.input_types(sink)[0]
    kernel = compile_stage(tuple(inner), graph.output_types(source)[0], item_type,
                           {v.name: v.initial for v in graph.variables})
    if kernel.tier == "rows":
        return kernel.reason
    if not _is_flat(item_type):
        return Reason("its outputs have lists or records inside", sink.span)
    return Line(source, sink, kernel, not any(op.variables for op in inner), item_type)


def _bend(graph: Graph) -> Reason | None:
    """Where the program is not one straight line."""
    if len(graph.operators) < 3:
        return Reason("there is nothing between its source and its sink")
    for left, right in pairwise(graph.operators):
        if len(left.outputs) != 1 or right.inputs != left.outputs:
            return Reason(f"it is not one straight line at {right.name}", right.span)
    return None


def _row_end(source: Operator, sink: Operator) -> Reason | None:
    """Why the source or the sink needs single rows."""
    given, taken = source.kind.spec, sink.kind.spec
    if not hasattr(given, "batches"):
        return Reason(f"{source.name} is not read from Parquet or CSV files", source.span)
    if not hasattr(getattr(taken, "writer", None), "write_batch"):
        return Reason(f"{sink.name} is not written to a Parquet or CSV file", sink.span)
    if not given.is_plain():
        return Reason(f"{source.name} has a time, nested values, or quotes in its CSV", source.span)
    if given.rows_about() < WORTH_COMPILING:
        return Reason(f"{source.name} is too small to be worth compiling", source.span)
    return None


def _is_flat(item: Type) -> bool:
    kinds = (fields_of(item) or {"value": item}).values()
    return all(isinstance(without_none(kind), Scalar) for kind in kinds)


def _counted(batches: Iterable[pa.RecordBatch], line: Line, report, options
             ) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        report.read[line.source.name] += len(batch)
        if options.progress is not None:
            options.progress(report.read)
        yield batch


def _limited(batches: Iterator[pa.RecordBatch], limit: int | None) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield batch if limit is None else batch.slice(0, limit)
        if limit is not None and (limit := limit - len(batch)) <= 0:
            return


def _ahead(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same batches, each read while the one before is worked on."""
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(next, batches, None)
        while (batch := coming.result()) is not None:
            coming = reader.submit(next, batches, None)
            yield batch


def _computed(line: Line, batches: Iterator[pa.RecordBatch], workers: int
              ) -> Iterator[pa.RecordBatch]:
    """What the kernel makes of the batches, in order, computed while earlier ones are written."""
    kernel, under_way, position = line.kernel, deque(), 0
    state = kernel.start()
    warming = Thread(target=_warmed, args=(kernel,), daemon=True)
    warming.start()
    with ThreadPoolExecutor(workers if line.stateless else 1) as pool:
        for batch in batches:
            own = kernel.start() if line.stateless else state
            under_way.append(pool.submit(kernel.run, own, batch, position))
            position += len(batch)
            if len(under_way) > 2 * workers:
                yield under_way.popleft().result()[0]
        while under_way:
            yield under_way.popleft().result()[0]
    warming.join()
    yield kernel.finish(state)[0]


def _warmed(kernel: Kernel) -> None:
    """Compiles while rows already flow. If it fails, the first slice says so in its own way."""
    with suppress(Exception):
        kernel.warm()
