"""Standard streams, Python objects, and binding a spec to another path."""

from __future__ import annotations

import io
import sys

import pytest

from anabranch.core.errors import ProgramError, RunError, UsageError
from anabranch.io.binding import bind_sink, bind_source
from anabranch.io.csv.files import CsvSink, CsvSource
from anabranch.io.jsonl.files import JsonlSink, JsonlSource
from anabranch.io.parquet.files import ParquetSink, ParquetSource
from anabranch.io.python.objects import CallbackSink, GeneratorSource, IterableSource, ListSink
from anabranch.io.rows import BadRows, RowError
from anabranch.io.stdio import StdinSource, StdoutSink
from anabranch.ir.records import Record
from anabranch.ir.types import ANY, INT, STR, type_of


class Point(Record):
    ts: int
    name: str


POINTS = type_of(Point)


def read(source, policy="stop"):
    return list(source.items(BadRows.parse(policy)))


def feed(monkeypatch, content: bytes):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), encoding="ascii"))


def test_standard_input_as_csv_and_json_lines(monkeypatch):
    feed(monkeypatch, "ts,name\n1,é\n".encode())
    assert read(StdinSource("csv", POINTS)) == [Point(1, "é")]
    feed(monkeypatch, b'{"ts": 1, "name": "a"}\n')
    assert read(StdinSource("jsonl", POINTS)) == [Point(1, "a")]
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n2\n"))
    assert read(StdinSource("jsonl", INT)) == [1, 2]


def test_standard_input_as_lines(monkeypatch):
    feed(monkeypatch, "a, é\n\nb".encode())
    assert read(StdinSource("text", STR)) == ["a, é", "", "b"]
    with pytest.raises(UsageError, match="each line of a text is a str"):
        StdinSource("text", INT)


def test_a_malformed_row_of_standard_input(monkeypatch):
    feed(monkeypatch, b"ts,name\n2,a\n1,b\n")
    with pytest.raises(RowError, match="back in time") as failed:
        read(StdinSource("csv", POINTS, "ts"))
    assert (failed.value.file, failed.value.line) == ("<standard input>", 3)


def test_standard_input_is_checked_when_it_is_declared():
    assert not StdinSource("csv", POINTS).replayable
    with pytest.raises(UsageError, match="csv or jsonl or text, not as parquet"):
        StdinSource("parquet", POINTS)
    with pytest.raises(ProgramError, match="not known"):
        StdinSource("csv", ANY)
    with pytest.raises(ProgramError, match="no attribute 't'"):
        StdinSource("csv", POINTS, "t")


@pytest.mark.parametrize("format, kind, items, text", [
    ("csv", POINTS, [Point(1, "é")], "ts,name\n1,é\n"),
    ("csv", ANY, [Point(1, "a")], "ts,name\n1,a\n"),
    ("jsonl", POINTS, [Point(1, "é")], '{"ts": 1, "name": "é"}\n'),
    ("jsonl", ANY, [1, "x"], '1\n"x"\n'),
    ("text", INT, [1, 2], "1\n2\n"),
    ("text", ANY, ["é", None, [1.5], True, ""], "é\n\n[1.5]\ntrue\n\n"),
    ("text", POINTS, [Point(1, "a")], "Point(ts=1, name='a')\n"),
])
def test_standard_output(capsys, format, kind, items, text):
    writer = StdoutSink(format).open(kind)
    for item in items:
        writer.write(item)
    writer.commit()
    assert capsys.readouterr().out == text


def test_a_closed_standard_output_is_our_error(monkeypatch):
    class Closed(io.StringIO):
        def write(self, text):
            raise BrokenPipeError(32, "Broken pipe")
    monkeypatch.setattr(sys, "stdout", Closed())
    with pytest.raises(RunError, match=r"standard output: .*Broken pipe"):
        StdoutSink("jsonl").open(INT).write(1)


def test_standard_output_knows_its_formats():
    with pytest.raises(UsageError) as failed:
        StdoutSink("json")
    assert failed.value.help == "did you mean 'jsonl'?"


def test_a_list_can_be_read_again_and_an_iterator_cannot():
    source = IterableSource([1, 2], INT)
    assert source.replayable
    assert read(source) == read(source) == [1, 2]
    once = IterableSource(iter([1, 2]), INT)
    assert not once.replayable
    assert read(once) == [1, 2]
    with pytest.raises(RunError, match="second time"):
        read(once)


def test_items_of_an_iterable_are_checked():
    items = [Point(1, "a"), (2, "b"), Point("3", "c"), Point(0, "d"), Point(4, "e")]
    source = IterableSource(items, POINTS, "ts")
    assert read(source, "skip") == [Point(1, "a"), Point(4, "e")]
    with pytest.raises(RowError) as failed:
        read(source)
    assert "python list, item 2" in str(failed.value)
    assert failed.value.expected == "Point"


def test_times_that_cannot_be_compared_are_malformed():
    source = IterableSource([Point(1, "a"), Point("2", "b"), Point(None, "c")], ANY, "ts")
    assert read(source, "skip") == [Point(1, "a")]


def test_an_iterable_that_raises_is_reported_with_the_users_traceback():
    def items():
        yield 1
        raise ValueError("no more")
    with pytest.raises(RunError, match="item 2 of python generator raised ValueError") as e:
        read(IterableSource(items(), INT))
    assert 'raise ValueError("no more")' in e.value.below


def test_a_generator_depends_on_the_index_alone():
    source = GeneratorSource(lambda i: Point(i, str(i)), 3, POINTS, "ts")
    assert source.replayable
    assert read(source) == read(source) == [Point(0, "0"), Point(1, "1"), Point(2, "2")]
    with pytest.raises(RunError, match="ZeroDivisionError"):
        read(GeneratorSource(lambda i: 1 // i, 3))
    with pytest.raises(ProgramError, match="no attribute 't'"):
        GeneratorSource(lambda i: i, 3, POINTS, "t")


def test_a_list_gets_all_items_or_none():
    target = [0]
    writer = ListSink(target).open(INT)
    writer.write(1)
    assert target == [0]
    writer.commit()
    writer.abort()
    assert target == [0, 1]
    failed = ListSink(target).open(INT)
    failed.write(2)
    failed.abort()
    failed.commit()
    assert target == [0, 1]


def test_a_callback_gets_items_as_they_come():
    seen = []
    writer = CallbackSink(seen.append).open(INT)
    writer.write(1)
    assert seen == [1]
    writer.commit()
    with pytest.raises(RunError, match="callback <lambda> raised ZeroDivisionError") as failed:
        CallbackSink(lambda item: item / 0).open(INT).write(5)
    assert failed.value.got == "5"


def test_specs_show_themselves():
    assert [str(spec) for spec in (
        StdinSource("csv", POINTS), StdoutSink("text"), IterableSource([1]),
        IterableSource(iter([1])), GeneratorSource(len, 3), ListSink([]), CallbackSink(print),
        CsvSink("a.csv"))] == [
        "csv from standard input", "text to standard output", "python list", "python list_iterator",
        "generate len 3", "python list", "python print", "csv a.csv"]


@pytest.mark.parametrize("spec, path, bound", [
    (CsvSource("a.csv", POINTS, "ts"), "b.csv", CsvSource("b.csv", POINTS, "ts")),
    (CsvSource("a.csv", POINTS), "logs", CsvSource("logs", POINTS)),
    (CsvSource("a.csv", POINTS), "b.PARQUET", ParquetSource("b.PARQUET", POINTS)),
    (CsvSource("a.csv", POINTS, "ts"), "-", StdinSource("csv", POINTS, "ts")),
    (IterableSource([], POINTS, "ts"), "b.ndjson", JsonlSource("b.ndjson", POINTS, "ts")),
    (GeneratorSource(len, 1, INT), "-", StdinSource("jsonl", INT)),
    (StdinSource("jsonl", POINTS), "data", JsonlSource("data", POINTS)),
])
def test_a_source_is_bound_to_another_path(spec, path, bound):
    assert bind_source(spec, path) == bound


@pytest.mark.parametrize("spec, path, bound", [
    (CsvSink("a.csv"), "b.txt", CsvSink("b.txt")),
    (CsvSink("a.csv"), "b.json", JsonlSink("b.json")),
    (ListSink([]), "b.parquet", ParquetSink("b.parquet")), (ListSink([]), "-", StdoutSink("jsonl")),
    (StdoutSink("text"), "-", StdoutSink("text")), (StdoutSink("csv"), "out", CsvSink("out")),
])
def test_a_sink_is_bound_to_another_path(spec, path, bound):
    assert bind_sink(spec, path) == bound


def test_an_end_without_a_spec_is_bound_by_its_type():
    assert bind_source(None, "a.csv", POINTS, "ts") == CsvSource("a.csv", POINTS, "ts")
    assert bind_source(None, "-", INT) == StdinSource("jsonl", INT)
    assert bind_sink(None, "-") == StdoutSink("jsonl")
    for bind, more in ((bind_source, [INT]), (bind_sink, [])):
        with pytest.raises(UsageError, match="does not tell its format"):
            bind(None, "data", *more)


def test_a_name_that_does_not_tell_its_format_is_refused():
    for bind, spec in ((bind_source, IterableSource([], POINTS)), (bind_sink, ListSink([])),
                       (bind_sink, StdoutSink("text"))):
        with pytest.raises(UsageError) as failed:
            bind(spec, "data.txt")
        assert ".csv, .jsonl, .ndjson, .json, .parquet" in failed.value.expected
    with pytest.raises(UsageError, match="not as parquet"):
        bind_source(ParquetSource("a.parquet", POINTS), "-")
