"""Where the time of W1 and W2 goes: reading, computing and writing.

It is shown in nanoseconds a row.

    python -m benchmarks.standalone.phases [TURNS]

One thread does each phase for all slices; of each slice the fastest turn counts, so that other work
of the machine hardly shows.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

import anabranch as ab
from anabranch.io.columns import columns_of
from anabranch.io.csv import columns as csv_columns
from anabranch.io.csv import text as csv_text
from anabranch.io.parquet import columns as parquet_columns
from anabranch.io.parquet.groups import options
from anabranch.ir.types import Type, type_of
from anabranch.kernels import Kernel, compile_stage
from benchmarks import data
from benchmarks.programs import w1, w2

ROWS = 2_000_000
CASES = {"W1": (w1.balances, w1.Payment, "payments", frozenset({"at", "uid", "amount"})),
         "W2": (w2.busy, w2.Entry, "entries", frozenset({"ts", "uid"}))}


def fastest(turns: int, phase: Callable[[], Iterable]) -> float:
    """The seconds of all slices, each as in its fastest turn."""
    def turn() -> np.ndarray:
        times = [time.perf_counter()]
        times += [time.perf_counter() for _ in phase()]
        return np.diff(times)
    return float(np.min([turn() for _ in range(turns)], axis=0).sum())


def kernel_of(build: Callable, record: type) -> tuple[Kernel, Type]:
    graph = build(ab.from_iterable([], record)).graph()
    source, *inner, sink = graph.operators
    item = graph.input_types(sink)[0]
    made = compile_stage(tuple(inner), graph.output_types(source)[0], item)
    made.warm()
    return made, item


def slices(form: str, file: Path, record: type, wanted: frozenset[str]) -> Iterator:
    if form == "csv":
        return csv_columns.extracts(str(file), type_of(record), wanted, 1)
    return parquet_columns.extracts(type_of(record), str(file), None, wanted)


def written(form: str, batch: pa.RecordBatch, item: Type) -> object:
    if form == "csv":
        return csv_text.written(batch, list(columns_of(item).values()))
    target = pa.BufferOutputStream()
    with parquet.ParquetWriter(target, batch.schema, **options(batch.schema)) as writer:
        writer.write_batch(batch)
    return target


def measure(name: str, form: str, turns: int) -> str:
    build, record, dataset, wanted = CASES[name]
    file = data.written(dataset, ROWS, form)
    kernel, item = kernel_of(build, record)

    given = [extract.batch for extract in slices(form, file, record, wanted)]

    def computed() -> Iterator[pa.RecordBatch]:
        state = kernel.start()
        return (kernel.run(state, batch)[0] for batch in given)
    done = list(computed())
    figures = [fastest(turns, phase) for phase in (
        lambda: slices(form, file, record, wanted), computed,
        lambda: (written(form, batch, item) for batch in done))]
    return " | ".join([f"{name} {form}", *(f"{1e9 * each / ROWS:.1f}" for each in figures)])


if __name__ == "__main__":
    print("case | reading | computing | writing")
    for case in (("W1", "csv"), ("W1", "parquet"), ("W2", "csv")):
        print(measure(*case, turns=int(sys.argv[1]) if len(sys.argv) > 1 else 9))
