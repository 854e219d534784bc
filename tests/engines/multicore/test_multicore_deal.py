"""Columns whose rows are dealt to the buckets of kernels: the sequential rows and errors.

The kernels' code is run by Python itself, as is the code that deals.
"""

import numpy as np
import pyarrow as pa
import pytest

import anabranch as ab
from anabranch.batch.buckets import Route
from anabranch.compile import compile_graph
from anabranch.core.errors import RunError
from anabranch.ir.operators import WHOLE_ITEM
from anabranch.kernels.native.deal import frozen, tell
from anabranch.plan.physical.multicore import multicore_plan
from anabranch.plan.tuning import Knobs


class Sale(ab.Record):
    at: int
    shop: int
    name: str
    price: float
    note: str | None
    paid: bool
    less: float | None


class Line(ab.Record):
    at: int
    shop: int
    name: str
    total: float
    seen: int | None
    odd: bool
    note: str | None


class Days(ab.State):
    by: dict[int, float] = {}
    count: int = 0


@ab.operator(by="shop")
def by_day(state: Days, s: Sale):
    state.by[s.at % 5] = state.by.get(s.at % 5, 0.0) + s.price
    state.count += 1
    if s.less is not None:
        state.by[s.at % 5] -= s.less
    if state.count % 4 != 0:
        yield Line(s.at, s.shop, s.name, state.by[s.at % 5], None if s.paid else state.count,
                   state.count % 2 == 1, s.note)
    if s.paid and state.count % 3 == 0:
        yield Line(s.at, s.shop, s.name, 0.0, state.count, False, None)


@ab.operator(by="name")
def by_name(state: Days, s: Sale):
    state.by[s.at % 3] = state.by.get(s.at % 3, 0.0) + 1000 // (s.at - 133)
    yield s.replace(price=state.by[s.at % 3])


ROWS = 180


def sales(rows: int = ROWS) -> pa.Table:
    at = np.arange(rows)
    shops = np.array([7, -3, 2**62, 0, -2**63, 12])[at * 7919 % 6]
    missing = at % 5 == 0
    return pa.table({
        "at": at, "shop": shops, "name": [f"s{n % 9}" for n in range(rows)], "price": at / 4,
        "note": pa.array([None if n % 7 == 0 else f"n{n % 3}" for n in range(rows)]),
        "paid": at % 3 == 0, "less": pa.array(at / 8, mask=missing)})


def kept(given: ab.Stream) -> ab.Stream:
    return given.filter(lambda s: s.price != 7.0).map(lambda s: s.replace(price=s.price * 0.5))


LINES = {
    "several outputs, none, or one": lambda s: kept(s).apply(by_day),
    "behind another key": lambda s: kept(s).apply(by_day).filter(lambda line: line.odd).map(
        lambda line: line.replace(total=line.total + 1.0)),
    "a text as key": lambda s: kept(s.filter(lambda s: s.at != 133)).apply(by_name),
    "a key that is computed": lambda s: s.map(lambda s: s.replace(shop=s.at % 4)).apply(by_day)}


def table_of(stream: ab.Stream, engine: str, **options: object) -> pa.Table:
    return stream.to_arrow(engine=engine, **options).combine_chunks()


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("slice_size", [7, 60, 1000])
@pytest.mark.parametrize("name", LINES)
def test_rows_are_put_back(name, slice_size):
    stream = LINES[name](ab.from_arrow(sales(), Sale))
    found = table_of(stream, "multicore", workers=4,
                     tune={"kernels": "always", "slice_size": slice_size})
    assert found.equals(table_of(stream, "sequential"))


@pytest.mark.usefixtures("interpreted")
def test_a_row_that_fails():
    stream = kept(ab.from_arrow(sales(), Sale)).apply(by_name)
    with pytest.raises(RunError) as right:
        table_of(stream, "sequential")
    with pytest.raises(RunError) as found:
        table_of(stream, "multicore", workers=4, tune={"kernels": "always", "slice_size": 50})
    assert str(found.value) == str(right.value)


def stages(line, workers: int) -> list[tuple[list[str], int]]:
    graph = line(ab.from_arrow(sales(1), Sale)).collect_into([]).graph()
    physical = multicore_plan(compile_graph(graph), Knobs(workers, kernels="always"))
    return [([op.name for op in stage.operators], physical.buckets(stage))
            for stage in physical.stages if not stage.is_sink]


def test_keys_with_containers_are_told_apart_in_front_of_what_forwards_them():
    line, whole = LINES["several outputs, none, or one"], ["filter", "map", "by_day"]
    assert stages(line, 2) == [(whole, 1)]
    assert stages(line, 8) == [(["rows of filter"], 1), (whole, 4)]
    assert stages(LINES["a key that is computed"], 8) == [
        (["map"], 1), (["rows of by_day"], 1), (["by_day"], 4)]


def test_native_code_tells_buckets_as_python_does():
    keys = np.array([0, 1, -1, -2, 2**61 - 1, 2**61 - 2, 1 - 2**61, -2**61, 2**63 - 1, -2**63, 5])
    for buckets in (1, 3, 8):
        told = np.empty(len(keys), np.uint16)
        tell(frozen(keys), buckets, told)
        assert told.tolist() == Route(0, [WHOLE_ITEM], buckets).buckets_of(keys.tolist()).tolist()
