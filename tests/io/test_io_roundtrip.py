"""Whatever is written is read back the same, for random schemas and values, in every format."""

from __future__ import annotations

import tempfile
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.io.csv.files import CsvSink, CsvSource
from anabranch.io.jsonl.files import JsonlSink, JsonlSource
from anabranch.io.parquet.files import ParquetSink, ParquetSource
from anabranch.io.rows import BadRows
from anabranch.ir.records import Record
from anabranch.ir.types import ANY, type_of

FORMATS = {"csv": (CsvSource, CsvSink), "jsonl": (JsonlSource, JsonlSink),
           "parquet": (ParquetSource, ParquetSink)}
SCALARS = {bool: st.booleans(), int: st.integers(-2**63, 2**63 - 1), float: st.floats(),
           str: st.text(st.one_of(st.sampled_from('",\r\n \0é'),
                                  st.characters(exclude_categories=["Cs"]))),
           bytes: st.binary(), datetime: st.datetimes().map(lambda t: t.replace(fold=0))}


def record_class(kinds: list) -> type:
    annotations = {f"f{i}": kind for i, kind in enumerate(kinds)}
    return type(Record)("Sample", (Record,), {"__annotations__": annotations})


def record_kinds(inner):
    return st.lists(inner, min_size=1, max_size=3).map(record_class)


KINDS = st.recursive(st.sampled_from(list(SCALARS)), lambda inner: st.one_of(
    inner.map(lambda k: list[k]), inner.map(lambda k: k | None), record_kinds(inner)), max_leaves=3)


def values(kind):
    if kind in SCALARS:
        return SCALARS[kind]
    if hasattr(kind, "__record_fields__"):
        fields = [values(k) for k in kind.__annotations__.values()]
        return st.tuples(*fields).map(lambda vs: kind(*vs))
    if getattr(kind, "__origin__", None) is list:
        return st.lists(values(kind.__args__[0]), max_size=3)
    return st.one_of(st.none(), values(next(k for k in kind.__args__ if k is not type(None))))


def written_and_read(format, kind, items, declared=None):
    source, sink = FORMATS[format]
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, f"items.{format}"))
        writer = sink(path).open(type_of(kind) if declared is None else declared)
        for item in items:
            writer.write(item)
        writer.commit()
        assert [p.name for p in Path(folder).iterdir()] == [f"items.{format}"]
        return list(source(path, type_of(kind)).items(BadRows()))


@pytest.mark.parametrize("format", FORMATS)
@given(data=st.data())
@settings(max_examples=80, deadline=None)
def test_records_survive(format, data):
    kind = data.draw(record_kinds(KINDS))
    items = data.draw(st.lists(values(kind), max_size=5))
    # The texts are compared, so that NaN equals itself and 0.0 differs from -0.0.
    assert repr(written_and_read(format, kind, items)) == repr(items)


@pytest.mark.parametrize("format", FORMATS)
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_items_that_are_no_records_survive(format, data):
    kind = data.draw(KINDS)
    items = data.draw(st.lists(values(kind), max_size=5))
    assert repr(written_and_read(format, kind, items)) == repr(items)


@pytest.mark.parametrize("format", FORMATS)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_the_first_item_tells_an_undeclared_type(format, data):
    kind = data.draw(record_kinds(KINDS))
    items = data.draw(st.lists(values(kind), min_size=1, max_size=4))
    assert repr(written_and_read(format, kind, items, declared=ANY)) == repr(items)


@pytest.mark.parametrize("format", FORMATS)
def test_more_items_than_a_batch_survive_in_order(format):
    kind = record_class([int, str])
    items = [kind(i, str(i)) for i in range(20_000)]
    assert written_and_read(format, kind, items) == items
