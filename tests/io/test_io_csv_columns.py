"""CSV in columns says what CSV in rows says, or leaves the file to the rows."""

import tempfile
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anabranch.batch.record_batch import batch_of, items_of
from anabranch.core.errors import DataError
from anabranch.io.csv import columns as csv_columns
from anabranch.io.csv import files as csv_module
from anabranch.io.csv.dialect import USUAL, Dialect
from anabranch.io.csv.files import CsvSink, CsvSource
from anabranch.io.csv.text import written
from anabranch.io.jsonl.files import JsonlSink
from anabranch.io.rows import BadRows
from anabranch.io.text.columns import Unusual
from anabranch.ir.records import Record
from anabranch.ir.types import RecordOf
from csv_dialects import DIALECTS, spelt


class Row(Record):
    n: int
    x: float
    s: str
    b: bool
    t: datetime
    maybe: int | None
    text: str | None


ROW = RecordOf(Row)
HEADER = "n,x,s,b,t,maybe,text,extra"
CELLS = {
    "n": ["1", "-5", "007", " 3", "4 ", "5;5", "+4", "0x10", "1e3", "", "9223372036854775807",
          "1_0", "٣", "x", "\ufeff1", "-", "1\t", "0X1f", "-0"],
    "x": ["1.5", "-0.0", "2", "1e5", "1e400", ".5", "5.", "nan", "inf", " 1.0", "+1.0", "", "0x1p3",
          "4.35", "123456789.123456789", "nan(1)", "-nan", "Infinity", "1e-400", "\t2 ",
          "1.7976931348623159e308", "4.9e-324", "1e", "(1)", " -2.5 ", "1;5"],
    "s": ["", "a", " b ", "é", "NULL", "null", "NA", "\ttab", "#", "a;b", "a|b"],
    "b": ["true", "false", "True", "1", "0", "yes", "", " true", "false "],
    "t": ["2026-01-02T03:04:05", "2026-01-02 03:04:05.123456", "2026-02-30T00:00:00", "2026-01-02",
          "2026-01-02T03:04:05Z", "2026-01-02T03:04:05.5", "", "0001-01-01T00:00:00",
          " 2026-01-02T03:04:05 ", " "],
    "maybe": ["", "7", "null", " "],
    "text": ["", "c", "None"],
    "extra": ["", "anything"],
}
rows = st.lists(st.tuples(*(st.sampled_from(cells) for cells in CELLS.values())), max_size=4)
usual = ("1", "1.5", "a", "true", "2026-01-02T03:04:05", "", "c", "")


def joined(cells, dialect: Dialect) -> str:
    """A row; without a header there are no other columns."""
    return ",".join(cells if dialect.header else cells[:-1])


def read_both(text: str, dialect: Dialect = USUAL) -> tuple[list | None, list | None]:
    """The items by columns and by rows; None where that way gives up."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "in.csv"
        path.write_bytes(spelt(text, dialect).encode(dialect.encoding, "xmlcharrefreplace"))
        source = CsvSource(str(path), ROW, dialect=dialect)
        try:
            in_columns = [item for extract in source.extracts()
                          for item in items_of(extract.batch, ROW)]
        except (Unusual, pa.ArrowException):
            in_columns = None
        if not source.has_batches():
            in_columns = None
        try:
            return in_columns, list(source.items(BadRows.parse("stop")))
        except DataError:
            return in_columns, None


@settings(max_examples=300, deadline=None)
@given(rows, st.booleans(), st.sampled_from(DIALECTS))
@example([usual], False, Dialect(";"))
def test_what_columns_accept_rows_accept_too(given_rows, blank, dialect):
    lines = [joined(cells, dialect) for cells in given_rows] + ([""] if blank else [])
    in_columns, in_rows = read_both("\n".join([HEADER, *lines]) + "\n", dialect)
    if in_columns is not None:
        assert repr(in_columns) == repr(in_rows)


@pytest.mark.parametrize("lines", [
    [",".join(usual)] * 5, [",".join(usual), "", "", ",".join(usual), ""], ["", ""], []])
@pytest.mark.parametrize("first", [0, 1, 40, 41, 42, 43, 100, 1000])
def test_the_first_block_ends_with_a_line_wherever_it_would_end(lines, first, monkeypatch):
    monkeypatch.setattr(csv_columns, "FIRST_BLOCK", first)
    in_columns, in_rows = read_both("\n".join([HEADER, *lines, ""]))
    assert in_columns == in_rows


@pytest.mark.parametrize("before, behind", [("1", '"1"'), ('"1"', "1")])
def test_a_file_is_looked_at_again_when_it_has_changed(tmp_path, before, behind):
    source = CsvSource(str(tmp_path / "in.csv"), ROW)
    for text in (before, behind):
        (tmp_path / "in.csv").write_text(f"{HEADER}\n{text}{','.join(usual)[1:]}\n")
        assert source.has_batches() == ('"' not in text)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("column", CELLS)
def test_every_cell_on_its_own(column, dialect):
    for cell in CELLS[column]:
        cells = dict(zip(CELLS, usual)) | {column: cell}
        in_columns, in_rows = read_both(
            f"{HEADER}\n{joined(list(cells.values()), dialect)}\n", dialect)
        if in_columns is not None:
            assert repr(in_columns) == repr(in_rows), cell


@pytest.mark.parametrize("mark", ",;\t|:#\x01")
@pytest.mark.parametrize("between", [",", ", ", " , "])
def test_usual_files_are_read_in_columns(between, mark):
    row = (*usual[:4], "2026-01-02T03:04:05" if mark != ":" else "", "5", *usual[6:])
    lines = [between.join(cells) for cells in (HEADER.split(","), row, row)]
    in_columns, in_rows = read_both("\n".join(lines) + "\n", Dialect(mark))
    assert in_columns == in_rows
    assert in_rows is None if mark == ":" else len(in_rows) == 2


@pytest.mark.parametrize("marks", [
    {"delimiter": "e"}, {"delimiter": "."}, {"delimiter": "-"}, {"delimiter": "_"},
    {"delimiter": " "}, {"delimiter": "7"}, {"delimiter": "é"}, {"delimiter": "\0"},
    {"decimal": "e"}, {"decimal": "\u066b"}, {"quote": "."}, {"quote": "«"},
    {"delimiter": '"', "quote": "'"}, {"decimal": '"', "quote": "'"}])
def test_marks_that_numbers_may_have_are_for_rows(marks):
    assert not Dialect(**{"delimiter": ";", **marks}).has_columns


@pytest.mark.parametrize("dialect", [d for d in DIALECTS if not d.columns])
def test_dialects_are_read_in_columns(dialect):
    row = ("12", "2.25", "b", "true", "2026-01-02T03:04:05", "5", "é", "")
    in_columns, in_rows = read_both("\n".join([HEADER, *[joined(row, dialect)] * 9]), dialect)
    assert in_columns == in_rows
    assert len(in_rows) == 9


def test_a_column_that_two_fields_have_is_for_rows():
    dialect = Dialect(columns=(("n", "maybe"),))
    in_columns, in_rows = read_both(f"{HEADER}\n{','.join([*usual[:5], '7', *usual[6:]])}", dialect)
    assert (in_columns, in_rows[0].n) == (None, 7)


@pytest.mark.parametrize(("times", "are_read"), [
    (["02.01.26 03h04"] * 9, True), (["02.01.26 03h04", "02.01.27 03h04", ""], True),
    (["02.01.26 03h04", "2026"], False), (["31.02.26 00h00"], False)])
def test_times_in_a_format_are_read_in_columns(times, are_read):
    dialect = Dialect(columns=(("t", "extra"),), formats=(("t", "%d.%m.%y %Hh%M"),))
    lines = [",".join([*usual[:-1], time]) for time in times if time]
    in_columns, in_rows = read_both("\n".join([HEADER, *lines]), dialect)
    assert in_columns == in_rows
    assert (in_columns is not None) == are_read


@pytest.mark.parametrize("text", [
    "", "\n", HEADER, f'{HEADER}\n1,1.0,"a",true,2026-01-02T03:04:05,,,\n',
    f"{HEADER}\r\n{','.join(usual)}\r\n", f"\ufeff{HEADER}\n{','.join(usual)}\n",
    f"{HEADER},n\n{','.join(usual)},2\n", f"{HEADER}\n{','.join(usual)},1\n",
    f" {HEADER}\n{','.join(usual)}\n", f"{HEADER}\n{','.join(usual)}\n1,2\n"])
def test_other_files_agree_or_are_left_to_the_rows(text):
    in_columns, in_rows = read_both(text)
    assert in_columns is None or in_columns == in_rows


items = st.builds(Row, st.integers(-2**63, 2**63 - 1), st.floats(), st.text(max_size=4),
                  st.booleans(), st.datetimes(min_value=datetime(1, 1, 1)),
                  st.none() | st.integers(-5, 5), st.none() | st.text(max_size=3))


class Usual(Record):
    n: int
    x: float
    s: str
    b: bool
    maybe: int | None
    y: float | None


usual_floats = st.one_of(st.floats(1e-4, 1e10, exclude_max=True), st.sampled_from([0.0, -0.0]),
                         st.integers(-10**9, 10**9).map(float), st.decimals(
                             -10**6, 10**6, places=2).map(float)).map(lambda x: -x)
usual_items = st.builds(Usual, st.integers(-2**63, 2**63 - 1), usual_floats, st.text(
    "abc é'", min_size=1, max_size=4), st.booleans(), st.none() | st.integers(), st.none()
    | usual_floats).filter(lambda u: u.maybe is None or -2**63 <= u.maybe < 2**63)


@settings(max_examples=200, deadline=None)
@given(st.lists(usual_items, min_size=1, max_size=5))
def test_usual_batches_are_written_by_arrow(given_items):
    kind = RecordOf(Usual)
    text = written(batch_of(given_items, kind), list(kind.fields.values()))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out.csv"
        writer = CsvSink(str(path)).open(kind)
        for item in given_items:
            writer.write(item)
        writer.commit()
        assert bytes(text) == path.read_bytes().split(b"\n", 1)[1]


any_floats = st.floats() | usual_floats
awkward = st.text('a",\n\r', min_size=1, max_size=2) | st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from('",\\\n\r\t\x00\x7f'), max_size=4)
awkward_items = st.builds(Usual, st.integers(-2**63, 2**63 - 1), any_floats, awkward, st.booleans(),
                          st.none() | st.integers(-2**63, 2**63 - 1), st.none() | any_floats)


def both_texts(sink, kind, given_items) -> list[bytes]:
    """What a sink writes row by row, and in columns, however few the rows are."""
    texts = []
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_module, "FEW", 1)
        for in_columns in (False, True):
            path = Path(folder) / f"{in_columns}"
            writer = sink(str(path)).open(RecordOf(kind))
            if in_columns:
                writer.write_batch(batch_of(given_items, RecordOf(kind)))
            else:
                for item in given_items:
                    writer.write(item)
            writer.commit()
            texts.append(path.read_bytes())
    return texts


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([CsvSink, JsonlSink]), st.lists(items, max_size=5),
       st.lists(awkward_items, max_size=5))
def test_batches_are_written_as_rows_are(sink, given_items, given_awkward):
    for kind, chosen in ((Row, given_items), (Usual, given_awkward)):
        in_rows, in_columns = both_texts(sink, kind, chosen)
        assert in_columns == in_rows


@pytest.mark.parametrize("header", [
    ",".join(f'"{name}"' for name in HEADER.split(",")), f"\ufeff{HEADER}", f" {HEADER} ",
    f"\ufeff {HEADER}", HEADER.replace(",", ", "), HEADER.replace("x,s", '" x ",\u2003s'),
    f'\ufeff"n"{HEADER[1:]}',
    HEADER.replace("extra", '"more, or ""less"""'), f"{HEADER}\r"])
@pytest.mark.parametrize("dialect", [USUAL, Dialect(";"), Dialect("|", quote="'")])
def test_a_header_with_quotes_or_a_mark_is_read_in_columns(header, dialect):
    by_columns, by_rows = read_both(f"{header}\n{','.join(usual)}\n", dialect)
    assert by_columns == by_rows
    assert len(by_rows) == 1


@pytest.mark.parametrize("header", [
    HEADER.replace("extra", '"ex'), HEADER.replace("n,", '"n"x,', 1),
    HEADER.replace("x", ' "x"', 1), HEADER.replace("extra", " n"), f"{HEADER}\ufeff"])
def test_quotes_that_a_header_leaves_open_are_for_rows(header):
    assert read_both(f"{header}\n{','.join(usual)}\n")[0] is None


def test_a_header_that_is_not_utf_8_is_for_rows(tmp_path):
    path = tmp_path / "in.csv"
    path.write_bytes(f"{HEADER}X\n{','.join(usual)}\n".encode().replace(b"X", b"\xff"))
    source = CsvSource(str(path), ROW)
    assert not source.has_batches()
    with pytest.raises(DataError, match="the header of the CSV file is malformed"):
        list(source.items(BadRows.parse("stop")))
