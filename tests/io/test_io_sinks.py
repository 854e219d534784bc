"""Writing files: whole or not at all, and nothing that is not of the sink's type."""

from __future__ import annotations

import os
import stat

import pyarrow as pa
import pytest
from pyarrow import parquet

from anabranch.core.errors import ProgramError, RunError
from anabranch.core.source import Span
from anabranch.io.csv.files import CsvSink
from anabranch.io.files.output import WholeFile
from anabranch.io.jsonl.files import JsonlSink
from anabranch.io.parquet.files import ParquetSink
from anabranch.ir.records import Record
from anabranch.ir.types import ANY, INT, type_of

SINKS = [CsvSink, JsonlSink, ParquetSink]


class Trade(Record):
    symbol: str
    volume: int


class Priced(Trade):
    price: float


class Loop(Record):
    inner: list[Loop]


class Untyped(Record):
    thing: object


class Empty(Record):
    pass


TRADES = type_of(Trade)


@pytest.mark.parametrize("sink", SINKS)
def test_a_file_appears_only_at_commit(tmp_path, sink):
    path = tmp_path / "out"
    path.write_text("before")
    writer = sink(path).open(TRADES)
    writer.write(Trade("A", 1))
    assert path.read_text() == "before"
    [temporary] = [p for p in tmp_path.iterdir() if p != path]
    assert temporary.name.startswith(".out.")
    assert stat.S_IMODE(temporary.stat().st_mode) == 0o600
    writer.commit()
    assert path.read_bytes() != b"before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("sink", SINKS)
def test_an_aborted_file_leaves_no_trace(tmp_path, sink):
    writer = sink(tmp_path / "out").open(TRADES)
    writer.write(Trade("A", 1))
    writer.abort()
    writer.abort()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("sink", SINKS)
def test_abort_after_commit_keeps_the_file(tmp_path, sink):
    writer = sink(tmp_path / "out").open(TRADES)
    writer.commit()
    writer.abort()
    assert (tmp_path / "out").exists()


def test_a_new_file_has_the_users_permissions(tmp_path):
    previous = os.umask(0o027)
    try:
        CsvSink(tmp_path / "out").open(TRADES).commit()
    finally:
        os.umask(previous)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o640


def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path):
    (tmp_path / "out").write_text("old")
    (tmp_path / "out").chmod(0o600)
    whole = WholeFile(str(tmp_path / "out"))
    whole.write("new")
    whole.commit()
    assert (tmp_path / "out").read_text() == "new"
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o600


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "link").symlink_to("real")
    CsvSink(tmp_path / "link").open(TRADES).commit()
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "symbol,volume\n"


def test_a_device_is_written_not_replaced():
    CsvSink("/dev/null").open(TRADES).commit()
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_the_text_of_each_format(tmp_path):
    for sink, text in ((CsvSink, 'symbol,volume\nA,1\n"b,c",2\n'),
                       (JsonlSink, '{"symbol": "A", "volume": 1}\n'
                                   '{"symbol": "b,c", "volume": 2}\n')):
        writer = sink(tmp_path / "out").open(TRADES)
        writer.write(Trade("A", 1))
        writer.write(Trade("b,c", 2))
        writer.commit()
        assert (tmp_path / "out").read_text() == text


def test_parquet_has_the_types_as_its_schema(tmp_path):
    ParquetSink(tmp_path / "out").open(TRADES).commit()
    assert parquet.read_schema(tmp_path / "out") == pa.schema(
        [pa.field("symbol", pa.string(), False), pa.field("volume", pa.int64(), False)])


@pytest.mark.parametrize("sink", SINKS)
def test_a_path_that_cannot_be_written_fails_at_open(tmp_path, sink):
    here = Span("program.py", 7)
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "missing" / "out", tmp_path / "file" / "out", tmp_path):
        with pytest.raises(RunError, match="cannot write") as failed:
            sink(path, here).open(TRADES)
        assert str(path) in failed.value.what
        assert failed.value.where is here


def test_a_forbidden_folder_or_file_fails_at_open(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("kept")
    for path, forbidden in ((tmp_path / "file", tmp_path / "file"), (tmp_path / "new", tmp_path)):
        # Nothing is forbidden to root, so permissions alone would not test it everywhere.
        monkeypatch.setattr(os, "access", lambda p, mode, f=forbidden: str(p) != str(f))
        with pytest.raises(RunError, match="permission denied"):
            CsvSink(path).open(TRADES)
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("sink", SINKS)
@pytest.mark.parametrize("item, parts", [
    (Trade("A", 2**63), ["volume", "int of 64 bits", str(2**63)]),
    (Trade("A", "1"), ["volume", "expected: int", "came: '1'", "Trade(symbol='A', volume='1')"]),
    (Trade(None, 1), ["symbol", "expected: str", "came: nothing"]),
    (Trade("\ud800", 1), ["symbol", "Unicode"]),
    (Priced("A", 1, 2.0), ["Trade has no attribute 'price'"]),
    (("A", 1), ["expected: Trade", "('A', 1)"]),
])
def test_an_item_of_another_type_is_refused(tmp_path, sink, item, parts):
    writer = sink(tmp_path / "out", Span("program.py", 7)).open(TRADES)
    with pytest.raises(RunError) as refused:
        writer.write(item)
    writer.abort()
    assert all(part in str(refused.value) for part in [*parts, "program.py:7"])


@pytest.mark.parametrize("sink", [CsvSink, JsonlSink])
def test_nothing_of_unknown_type_is_an_empty_file(tmp_path, sink):
    sink(tmp_path / "out").open(ANY).commit()
    assert (tmp_path / "out").read_bytes() == b""


def test_nothing_of_unknown_type_has_no_parquet_schema(tmp_path):
    writer = ParquetSink(tmp_path / "out").open(ANY)
    with pytest.raises(RunError, match="needs a schema") as failed:
        writer.commit()
    assert "to=Type" in failed.value.help
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("sink", [CsvSink, ParquetSink])
@pytest.mark.parametrize("item", [{"a": 1}, [1], None])
def test_columns_of_an_item_without_a_type_are_not_guessed(tmp_path, sink, item):
    writer = sink(tmp_path / "out").open(ANY)
    with pytest.raises(RunError, match="not known") as failed:
        writer.write(item)
    writer.abort()
    assert "to=Type" in failed.value.help


def test_json_lines_of_unknown_type_may_mix_records(tmp_path):
    writer = JsonlSink(tmp_path / "out").open(ANY)
    for item in (Trade("A", 1), 3, [None, "x"]):
        writer.write(item)
    writer.commit()
    assert (tmp_path / "out").read_text() == '{"symbol": "A", "volume": 1}\n3\n[null, "x"]\n'


def test_single_values_are_one_column(tmp_path):
    for sink in (CsvSink, ParquetSink):
        writer = sink(tmp_path / sink.format).open(INT)
        writer.write(7)
        writer.commit()
    assert (tmp_path / "csv").read_text() == "value\n7\n"
    assert parquet.read_table(tmp_path / "parquet").to_pydict() == {"value": [7]}


@pytest.mark.parametrize("kind", [Loop, Untyped])
def test_a_type_without_a_parquet_column_fails_at_open(tmp_path, kind):
    with pytest.raises(RunError, match="no column for this type"):
        ParquetSink(tmp_path / "out").open(type_of(kind))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("sink", [CsvSink, ParquetSink])
def test_a_record_without_fields_has_no_columns(tmp_path, sink):
    with pytest.raises(ProgramError, match="no fields"):
        sink(tmp_path / "out").open(type_of(Empty))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("sink", SINKS)
def test_a_full_device_is_reported(sink):
    writer = sink("/dev/full").open(TRADES)
    with pytest.raises(RunError, match=r"cannot write '/dev/full': .*No space"):
        for _ in range(100_000):
            writer.write(Trade("x" * 50, 1))
        writer.commit()
    writer.abort()
