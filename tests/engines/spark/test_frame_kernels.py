"""Kernels in streams over DataFrames: what they remember is kept as plain rows."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import pyarrow as pa
import pytest
from pyspark.sql import types as T

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.engine.spark.frames import buckets
from anabranch.engine.spark.frames.buckets import BucketProcessor
from anabranch.engine.spark.frames.frame import layout_of, task_of
from anabranch.engine.spark.frames.held import batch_in
from anabranch.engine.spark.frames.pages import BucketPages
from anabranch.io.dataframe.frames import FrameSink, FrameSource
from anabranch.ir.operators import Sink
from anabranch.ir.types import type_of
from anabranch.plan.physical.spark.frames import FrameExchange, frame_plan
from anabranch.runtime.stage.kernel import KernelLine


class Payment(ab.Record):
    at: int
    account: int
    amount: int


class Total(ab.State):
    amount: int = 0
    name: str = ""


class Found(ab.Record):
    account: int
    amount: int


@ab.operator(by="account")
def totals(state: Total, p: Payment):
    state.amount += p.amount
    if state.amount % 3 == 0:
        yield Found(p.account, state.amount)


class BucketStore:
    """Spark's store of one bucket, as a processor sees it."""

    def __init__(self):
        self.values, self.head = [], None

    def getListState(self, name: str, schema: str):
        return SimpleNamespace(get=lambda: iter(self.values), put=self._put,
                               appendList=self.values.extend)

    def getValueState(self, name: str, schema: str):
        return SimpleNamespace(exists=lambda: self.head is not None, get=lambda: self.head,
                               update=lambda value: setattr(self, "head", value))

    def _put(self, values: list) -> None:
        self.values[:] = values


def processor() -> BucketProcessor:
    schema = T.StructType([T.StructField(name, T.LongType()) for name in (
        "@0", "at", "account", "amount")])
    spec = FrameSource(SimpleNamespace(schema=schema, isStreaming=True), type_of(Payment), ("at",))
    graph = ab.from_iterable([], Payment).apply(totals).collect_into([]).graph()
    kinds = {True: lambda op: type(op.kind)(spec), False: lambda op: Sink(FrameSink())}
    graph = graph.with_operators(
        type(op)(op.name, kinds[op.is_source](op), op.inputs, op.outputs)
        if op.is_source or op.is_sink else op for op in graph)
    plan = frame_plan(compile_graph(graph))
    part = next(part for part in plan.parts if part.route is FrameExchange.BUCKETS)
    return BucketProcessor(task_of(plan, layout_of(plan, True), part, endless=True))


def payments(low: int, high: int) -> list[Payment]:
    return [Payment(at, at % 500, at * 37 % 11 - 5) for at in range(low, high)]


def arrived(low: int, high: int) -> pa.RecordBatch:
    columns = list(zip(*((p.at, *p) for p in payments(low, high))))
    return pa.RecordBatch.from_arrays(list(map(pa.array, columns)), names=["o0_0", *(
        f"v0_{n}" for n in range(3))])


@pytest.mark.parametrize("forgets", [False, True])
def test_pages_of_a_kernel_are_those_of_rows(forgets, monkeypatch):
    """Each batch goes on from the last, also where a worker has none of it."""
    store, found, served = BucketStore(), [], processor()
    cuts = [0, 5000, 5003, 11_000, 11_400]
    for low, high in pairwise(cuts):
        if forgets:
            monkeypatch.setattr(buckets, "_KEPT", {})
        served.pages = BucketPages(store)
        for data in served._advanced(0, arrived(low, high)):
            rows = batch_in(data)
            found += zip(rows.column("v1_0").to_pylist(), rows.column("v1_1").to_pylist())
    [worker] = [worker for kept in buckets._KEPT.values() for _, worker in kept.values()][-1:]
    line = worker.serving[0].line
    # The last rows are few: a worker that knows nothing of the bucket takes them as they are.
    assert isinstance(line, KernelLine) and (line.native or forgets)
    wanted = ab.from_iterable(payments(0, cuts[-1]), Payment).apply(totals).collect()
    assert found == [tuple(item) for item in wanted]
