"""Reading files: headers, line ends, quotes, types, time, and the files that a path names."""

from __future__ import annotations

import os
import threading
from datetime import UTC, datetime, timedelta, timezone

import pyarrow as pa
import pytest
from pyarrow import parquet

from anabranch.core.errors import DataError, ProgramError, RunError
from anabranch.core.source import Span
from anabranch.io.csv.files import CsvSource
from anabranch.io.jsonl.files import JsonlSource
from anabranch.io.parquet.files import ParquetSource
from anabranch.io.rows import BadRows, RowError
from anabranch.ir.records import Record
from anabranch.ir.types import ANY, INT, type_of


class Trade(Record):
    symbol: str
    price: float


class Timed(Record):
    ts: datetime | None
    count: int


def read(source, policy="stop"):
    return list(source.items(BadRows.parse(policy)))


def csv_of(tmp_path, content, kind=Trade, **options):
    path = tmp_path / "in.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return CsvSource(path, type_of(kind), **options)


@pytest.mark.parametrize("content", [
    "symbol,price\nA,1\nB,2\n", "price,symbol\n1,A\n2,B", "price,other,symbol\r\n1,x,A\r\n2,,B\r\n",
    "\ufeffsymbol,price\nA,1\n\nB,2\n\n", '"symbol", price\n"A",1\n"B","2"\n',
])
def test_csv_columns_are_found_by_name(tmp_path, content):
    assert read(csv_of(tmp_path, content)) == [Trade("A", 1.0), Trade("B", 2.0)]


def test_a_quoted_cell_may_hold_anything(tmp_path):
    rows = read(csv_of(tmp_path, 'symbol,price\n"a,""b""\r\nc",1\n"' + "x" * 200_000 + '",2\n'))
    assert rows == [Trade('a,"b"\r\nc', 1.0), Trade("x" * 200_000, 2.0)]


def test_a_csv_file_with_a_header_alone_has_no_items(tmp_path):
    assert read(csv_of(tmp_path, "symbol,price\n")) == []


def test_a_blank_line_is_an_empty_cell_only_in_a_single_column(tmp_path):
    assert read(csv_of(tmp_path, "value\n1\n\n2\n", int | None)) == [1, None, 2]


@pytest.mark.parametrize("content, message", [
    (b"", "no header"), (b"\n", "no header"), (b"symbol,prise\n", "no column 'price'"),
    (b"symbol,price,symbol\nA,1,B\n", "two columns called 'symbol'"), (b'"symbol,price', "header"),
    (b"\xffsymbol,price\n", "header"),
])
@pytest.mark.parametrize("policy", ["stop", "skip"])
def test_a_wrong_header_stops_whatever_the_policy(tmp_path, content, message, policy):
    with pytest.raises(DataError, match=message):
        read(csv_of(tmp_path, content), policy)


def test_a_misspelt_column_gets_a_suggestion(tmp_path):
    with pytest.raises(DataError) as failed:
        read(csv_of(tmp_path, "symbol,prise\nA,1\n"))
    assert failed.value.help == "did you mean 'prise'?"


def test_json_lines_hold_records_or_values(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"symbol": "A", "price": 1}\r\n\n{"price": 2.5, "symbol": "B"}')
    assert read(JsonlSource(path, type_of(Trade))) == [Trade("A", 1.0), Trade("B", 2.5)]
    path.write_text("1\n2\n")
    assert read(JsonlSource(path, INT)) == [1, 2]
    path.write_text('{"a": [null, true]}\n')
    assert read(JsonlSource(path, ANY)) == [{"a": [None, True]}]
    path.write_text("")
    assert read(JsonlSource(path, INT)) == []


def test_json_nested_too_deeply_is_a_malformed_row(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text("[" * 100_000 + "\n1\n")
    assert read(JsonlSource(path, INT), "skip") == [1]


def parquet_of(tmp_path, columns, kind, **options):
    path = tmp_path / "in.parquet"
    parquet.write_table(pa.table(columns), path)
    return ParquetSource(path, type_of(kind), **options)


def test_parquet_columns_are_found_by_name_and_widened(tmp_path):
    columns = {"price": pa.array([1, 2], pa.int8()), "other": ["x", "y"],
               "symbol": pa.array(["A", "B"]).dictionary_encode()}
    assert read(parquet_of(tmp_path, columns, Trade)) == [Trade("A", 1.0), Trade("B", 2.0)]


def test_parquet_instants_are_read_in_utc(tmp_path):
    zone = timezone(timedelta(hours=2))
    times = pa.array([datetime(2024, 1, 1, 2, tzinfo=zone)], pa.timestamp("ns", "Europe/Athens"))
    rows = read(parquet_of(tmp_path, {"ts": times, "count": [1]}, Timed))
    assert repr(rows) == repr([Timed(datetime(2024, 1, 1, tzinfo=UTC), 1)])


class Trips(Record):
    trips: list[Timed]
    last: Timed | None
    at: datetime


def test_the_old_type_of_parquet_holds_instants_of_any_year(tmp_path):
    ends = [datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999_999)]
    times = [{"ts": end, "count": 1} for end in ends]
    table = pa.table({"trips": [times, []], "last": [times[0], None], "at": ends[::-1]})
    parquet.write_table(table, tmp_path / "in.parquet", use_deprecated_int96_timestamps=True)
    first, last = (end.replace(tzinfo=UTC) for end in ends)
    assert repr(read(ParquetSource(tmp_path / "in.parquet", type_of(Trips)))) == repr([
        Trips([Timed(first, 1), Timed(last, 1)], Timed(first, 1), last), Trips([], None, first)])


@pytest.mark.parametrize("columns, parts", [
    ({"symbol": ["A"], "prise": [1.0]}, ["no column 'price'", "did you mean 'prise'?"]),
    ({"symbol": ["A"], "price": ["1"]}, ["'price'", "expected: float", "came: string"]),
    ({"symbol": [["A"]], "price": [1.0]}, ["'symbol'", "expected: str", "came: list"]),
])
def test_another_parquet_schema_stops_before_any_row(tmp_path, columns, parts):
    parquet.write_table(pa.table({"symbol": ["A"], "price": [1.0]}), tmp_path / "a.parquet")
    parquet.write_table(pa.table(columns), tmp_path / "b.parquet")
    with pytest.raises(DataError) as failed:
        next(ParquetSource(tmp_path, type_of(Trade)).items(BadRows.parse("skip")))
    assert all(part in str(failed.value) for part in [*parts, "b.parquet"])


def test_malformed_parquet_rows_are_named_and_skipped(tmp_path):
    times = [datetime(2024, 1, 1, 0, i % 60) for i in range(50)]
    nanos = pa.array(times, pa.timestamp("us")).cast(pa.int64()).to_pylist()
    exact = [n * 1000 + (7 if i == 31 else 0) for i, n in enumerate(nanos)]
    columns = {"ts": pa.array(exact, pa.int64()).cast(pa.timestamp("ns")),
               "count": [None if i == 5 else i for i in range(50)]}
    source = parquet_of(tmp_path, columns, Timed)
    assert [t.count for t in read(source, "skip")] == [i for i in range(50) if i not in (5, 31)]
    with pytest.raises(RowError) as failed:
        read(source)
    assert (failed.value.line, failed.value.column) == (6, "count")
    assert "in.parquet, row 6, count" in str(failed.value)


def test_parquet_rows_are_counted_over_all_batches(tmp_path):
    counts = [None if i == 20_000 else i for i in range(20_010)]
    times = pa.array([datetime(2024, 1, 1)] * len(counts), pa.timestamp("us"))
    with pytest.raises(RowError) as failed:
        read(parquet_of(tmp_path, {"ts": times, "count": counts}, Timed))
    assert failed.value.line == 20_001


def test_a_file_that_is_no_parquet_is_refused(tmp_path):
    (tmp_path / "in.parquet").write_text("symbol,price\n")
    with pytest.raises(RunError, match="as Parquet"):
        read(ParquetSource(tmp_path / "in.parquet", type_of(Trade)))


def test_time_must_not_go_back_even_from_file_to_file(tmp_path):
    (tmp_path / "a.csv").write_text("ts,count\n2024-01-01,1\n2024-01-03,2\n2024-01-02,3\n,4\n")
    (tmp_path / "b.csv").write_text("count,ts\n5,2024-01-02\n6,2024-01-03\n7,2024-01-04\n")
    source = CsvSource(tmp_path, type_of(Timed), time="ts")
    assert [t.count for t in read(source, "skip")] == [1, 2, 6, 7]
    with pytest.raises(RowError) as failed:
        read(source)
    assert failed.value.line == 4
    assert failed.value.expected == "not before 2024-01-03 00:00:00"
    assert failed.value.got == "2024-01-02 00:00:00"


def test_wrong_declarations_are_found_at_the_users_line():
    here = Span(__file__, 1)
    with pytest.raises(ProgramError, match="no attribute 'tss'") as failed:
        CsvSource("x.csv", type_of(Timed), "tss", here)
    assert failed.value.where is here
    assert failed.value.help == "did you mean 'ts'?"
    for kind in (CsvSource, ParquetSource):
        with pytest.raises(ProgramError, match="not known"):
            kind("x", ANY, None, here)


def test_files_are_read_in_name_order(tmp_path):
    for name in ("b.jsonl", "a.ndjson", "c.json", ".hidden.jsonl", "notes.txt"):
        (tmp_path / name).write_text(f"{ord(name[0])}\n")
    (tmp_path / "d.jsonl").mkdir()
    assert read(JsonlSource(tmp_path, INT)) == [97, 98, 99]
    assert read(JsonlSource(tmp_path / "[bc].*", INT)) == [98, 99]
    assert read(JsonlSource(tmp_path / "notes.txt", INT)) == [110]


def test_a_missing_file_is_named_with_the_close_one(tmp_path):
    (tmp_path / "trades.csv").write_text("symbol,price\n")
    with pytest.raises(RunError) as failed:
        read(CsvSource(tmp_path / "trade.csv", type_of(Trade)))
    assert str(tmp_path / "trade.csv") in str(failed.value)
    assert failed.value.help == "did you mean 'trades.csv'?"
    with pytest.raises(RunError) as failed:
        read(CsvSource(tmp_path / "logs" / "trade.csv", type_of(Trade)))
    assert "there is no folder" in failed.value.help


def test_a_folder_or_glob_without_files_is_an_error(tmp_path):
    (tmp_path / "notes.txt").write_text("")
    with pytest.raises(RunError) as failed:
        read(CsvSource(tmp_path, type_of(Trade)))
    assert "*.csv" in failed.value.expected
    assert "notes.txt" in failed.value.help
    with pytest.raises(RunError, match="nothing to read"):
        read(CsvSource(tmp_path / "*.csv", type_of(Trade)))


def test_sources_show_themselves_and_whether_they_can_be_read_again(tmp_path):
    source = CsvSource("logs/*.csv", type_of(Trade))
    assert (str(source), source.shown, source.replayable) == ("csv logs/*.csv",) * 2 + (True,)
    assert source == CsvSource("logs/*.csv", type_of(Trade), span=Span("x.py", 3))


def test_a_pipe_can_be_read_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    source = CsvSource(tmp_path / "pipe", type_of(Trade))
    assert not source.replayable
    feeder = threading.Thread(target=(tmp_path / "pipe").write_text, args=["symbol,price\nA,1\n"])
    feeder.start()
    assert read(source) == [Trade("A", 1.0)]
    feeder.join()


def test_a_source_starts_anew_at_each_call(tmp_path):
    source = csv_of(tmp_path, "symbol,price\nA,1\nB,2\n")
    first = source.items(BadRows())
    next(first)
    assert read(source) == [Trade("A", 1.0), Trade("B", 2.0)]
    assert next(first) == Trade("B", 2.0)
