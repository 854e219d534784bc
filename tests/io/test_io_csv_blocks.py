"""Blocks of CSV say what rows say, wherever they are cut, or leave the file to the rows."""

import random
import tempfile
import threading
from functools import partial
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anabranch.io.csv import scan as csv_scan
from anabranch.io.csv.blocks import extracts
from anabranch.io.csv.cells import CsvCells
from anabranch.io.csv.dialect import Dialect
from anabranch.io.csv.files import CsvSink, CsvSource
from anabranch.ir.records import Record
from anabranch.ir.types import RecordOf
from both_ways import BothWays
from csv_dialects import DIALECTS, spelt


class Row(Record):
    n: int
    x: float
    s: str
    maybe: float | None
    text: str | None


ROW = RecordOf(Row)
HEADER = "extra,n,x,s,maybe,text"
CELLS = [
    ["", "anything", '"quoted, and\nlong"', "tab\there", '"', "é", 'a"b',
     "a;b", '"a;\t|b"', "|"],
    ["1", "-5", "007", "123456789012345678", "1234567890123456789", "+4", "", '"3"', "1e3", "-",
     "12345678", "-123456789", " 5", "  -17  ", "  ", "1 2", "6;5", " 1234567890123456789"],
    ["1.5", "-0.0", "2", "1e5", "0.1", "1e-22", "5e22", "1e23", "1e400", ".5", "5.", "nan", "",
     "123456789.123456789", "0.30000000000000004", "2.2250738585072011e-308", "1e", "7e+2", "1E2",
     " 1.5", " -2e3 ", " ", " 123456789.123456789", " nan", "1;5",
     "9007199254740993", "-179769313486231580000", "8.5x"],
    ["", "a", " b ", "é", '""', '"a""b"', '"""', '"line\nend"', '"comma,"', "x\ry", '"x\r\ny"',
     '"q" ', 'say "hi"', "a\tb"],
    ["", "7", "null", "-1e-5", '""', " ", " 8"],
    ["", '""', '""""', '"c"', "None"],
]
cells = st.tuples(*(st.sampled_from(column) for column in CELLS))
rows = st.lists(cells, max_size=6)
USUAL = ("", "1", "1.5", "a", "", '"c"')


BOTH = BothWays(extracts, CsvSource, ROW)
read_both, in_blocks, in_rows = BOTH.of_text, BOTH.in_blocks, BOTH.in_rows
WITH = {dialect: BothWays(partial(extracts, dialect=dialect), partial(CsvSource, dialect=dialect),
                          ROW) for dialect in DIALECTS if dialect.is_utf8}


def both(text: str, dialect: Dialect, size: int, threads: int = 1):
    return WITH[dialect].of_text(spelt(text, dialect).encode(), size, threads)


@settings(max_examples=300, deadline=None)
@given(rows, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.sampled_from([1, 2, 100]),
       st.sampled_from([1, 3]), st.sampled_from(list(WITH)))
@example([USUAL, USUAL], "\n", True, 100, 1, Dialect(";"))
def test_what_blocks_accept_rows_accept_too(given_rows, end, ended, size, threads, dialect):
    given_rows = fitting(given_rows, dialect)
    text = end.join([HEADER, *map(",".join, given_rows)]) + (end if ended else "")
    blocks, by_rows = both(text, dialect, size, threads)
    if blocks is not None:
        assert repr(blocks) == repr(by_rows)


def fitting(rows, dialect: Dialect):
    """Without a header there are no other columns."""
    return [row if dialect.header else row[1:] for row in rows]


@pytest.mark.parametrize("dialect", WITH)
@pytest.mark.parametrize("column", range(len(CELLS)))
def test_every_cell_on_its_own(column, dialect):
    for cell in CELLS[column]:
        row = [cell if n == column else usual for n, usual in enumerate(USUAL)]
        text = f"{HEADER}\n{','.join(*fitting([row], dialect))}\n"
        blocks, by_rows = both(text, dialect, 1000)
        if blocks is not None:
            assert repr(blocks) == repr(by_rows), cell


@pytest.mark.parametrize("dialect", [d for d in WITH if not d.columns])
@pytest.mark.parametrize("cell", ["a", '"line\nend"', '"a""b"', "é", '""', " b ", '"a,b"'])
def test_usual_texts_are_read_in_blocks(cell, dialect):
    row = (*USUAL[:2], "2.25", cell, *USUAL[4:])
    text = "\n".join([HEADER, *[",".join(*fitting([row], dialect))] * 50])
    blocks, by_rows = both(text, dialect, 8)
    assert blocks == by_rows
    assert len(blocks) == 50


@pytest.mark.parametrize("column, cell", [
    (1, '"3"'), (1, "+4"), (1, " 5 "), (1, "1000000000000000000"), (1, '"-12"'), (1, "007"),
    (2, "nan"), (2, '"2.5"'), (2, "1e-400"), (2, ".5"), (2, "-inf"), (2, '"1e3"'), (2, " 7.25"),
    (1, "  -17  "), (2, "6 "), (2, " 123456789.123456789 "),
    (4, '""'), (4, '"8"'), (4, "+1.5")])
@pytest.mark.parametrize("others", ["plain", "in quotes"])
def test_numbers_in_other_notations_are_read_in_blocks(column, cell, others):
    """Wherever in a block one comes, quoted texts beside it or not."""
    for place in (0, 3, 24):
        rows = [[cell if (n, m) == (column, place) else usual for n, usual in enumerate(USUAL)]
                for m in range(25)]
        for row in rows:
            row[5] = "c" if others == "plain" else '"c"'
        text = "\n".join([HEADER, *map(",".join, rows)])
        blocks, by_rows = read_both(text.encode(), 8)
        assert len(blocks) == 25
        assert repr(blocks) == repr(by_rows)


@pytest.mark.parametrize("cell", ['"1""2"', "1_000", "0x10", "1.5", '"x"', "9" * 19, "٣", '""'])
def test_what_is_no_number_is_for_rows(cell):
    row = ",".join((USUAL[0], cell, *USUAL[2:]))
    blocks, _ = read_both(f"{HEADER}\n{row}\n".encode(), 8)
    assert blocks is None


PLAIN = [[cell for cell in column if not set(cell) & set('"\r\n')] for column in CELLS]
plain_rows = st.lists(st.tuples(*(st.sampled_from(column) for column in PLAIN)), max_size=40)
ODD_LINES = ["", "a", ",1,1.5,a,", ",1,1.5,a,,c,", ",,,,,,,,,,,", ",1,1.5,a,,c" * 2]


@settings(max_examples=200, deadline=None)
@given(plain_rows, st.lists(st.tuples(st.integers(0, 40), st.sampled_from(ODD_LINES)), max_size=2),
       st.booleans(), st.sampled_from([1, 7, 100]), st.sampled_from(list(WITH)))
def test_lines_without_quotes(given_rows, odd, ended, size, dialect):
    """Also those that have too few or too many cells, or none."""
    lines = [",".join(row) for row in fitting(given_rows, dialect)]
    for place, line in odd:
        lines.insert(place, line)
    text = "\n".join([HEADER, *lines]) + ("\n" if ended else "")
    blocks, by_rows = both(text, dialect, size)
    if blocks is not None:
        assert repr(blocks) == repr(by_rows)


@pytest.mark.parametrize("quoted", [False, True])
def test_numbers_with_spaces_are_not_decoded_one_by_one(monkeypatch, quoted):
    def decode(text):
        raise AssertionError("one by one")
    monkeypatch.setattr(CsvCells, "decoder", lambda cells, name: decode)
    text = '"t"' if quoted else "t"
    lines = [f"e, {n}, -{n}.5 ,{text},  {n} ,u" for n in range(99)]
    blocks, by_rows = read_both("\n".join([HEADER, *lines]).encode(), 1000)
    assert blocks == by_rows
    assert len(blocks) == 99


@pytest.mark.parametrize("last", ["", "\n"])
@pytest.mark.parametrize("width", [1, 5, 38, 39, 40, 41, 63, 64, 65, 127, 128, 129])
def test_lines_without_quotes_are_not_read_cell_by_cell(monkeypatch, width, last):
    def read(*given):
        raise AssertionError("cell by cell")
    monkeypatch.setattr(csv_scan, "scan", read)
    lines = [f"{'x' * width},{n},-{n}.5,{'é' * (n % 7)},{n if n % 3 else ''},t" for n in range(99)]
    blocks, by_rows = read_both(("\n".join([HEADER, *lines]) + last).encode(), 1000)
    assert blocks == by_rows
    assert len(blocks) == 99


def test_a_cell_in_the_wrong_row():
    text = f"{HEADER}\n,1,1.5,a,7\nc,,2,2.5,b,8,d\n"
    assert read_both(text.encode(), 1000) == (None, None)


def test_bytes_that_are_no_text_are_left_to_the_rows():
    blocks, by_rows = read_both(f"{HEADER}\nX,1,1.5,a,,c\n".encode().replace(b"X", b"\xff"), 100)
    assert blocks is None
    assert by_rows is None


@settings(max_examples=60, deadline=None)
@given(st.lists(st.builds(Row, st.integers(-10**17, 10**17), st.floats(allow_nan=False,
       allow_infinity=False, min_value=-1e90, max_value=1e90).filter(lambda x: abs(x) > 1e-90),
       st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=5),
       st.none(), st.none() | st.text('a",\n', max_size=5)), min_size=1, max_size=8))
def test_what_we_write_is_read_in_blocks(items):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out.csv"
        writer = CsvSink(str(path)).open(ROW)
        for item in items:
            writer.write(item)
        writer.commit()
        assert in_blocks(path, 3) == items == in_rows(path)


@pytest.mark.parametrize("threads", [1, 4])
def test_long_cells_in_quotes_are_cut_nowhere(threads):
    chosen = random.Random(5)
    lines = [f",{n},{chosen.random()!r},\"{'x' * chosen.randrange(40)}\n\",,{n % 7}"
             for n in range(30_000)]
    blocks, by_rows = read_both("\n".join([HEADER, *lines]).encode(), 1000, threads)
    assert blocks == by_rows


def test_threads_read_as_one_does_whoever_is_first():
    """Many small blocks, each read by whichever thread is free, again and again."""
    lines = [f"e{n},{n},{n / 8},{'s' * (n % 23)},{n if n % 3 else ''},\"q{n % 5}\""
             for n in range(4000)]
    text = "\n".join([HEADER, *lines]).encode()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "in.csv"
        path.write_bytes(text)
        one = in_blocks(path, 50)
        assert len(one) == 4000
        assert all(in_blocks(path, 50, threads) == one for threads in (2, 4, 8))


def test_readers_stop_when_nobody_takes_more():
    # Threads of other tests may end meanwhile.
    before = set(threading.enumerate())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "in.csv"
        path.write_text("\n".join([HEADER, *[",".join(USUAL)] * 3000]))
        found = extracts(str(path), ROW, threads=3, block=10)
        next(found)
        found.close()
    assert set(threading.enumerate()) <= before


def test_blocks_of_long_rows_have_few_of_them(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("\n".join([HEADER, *[f"{'x' * 100_000},1,1.5,a,,"] * 200]))
    found = list(extracts(str(path), ROW))
    assert sum(len(extract.batch) for extract in found) == 200
    assert max(len(extract.batch) for extract in found) < 60


def test_a_file_that_has_been_read_does_not_stay_in_memory(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("\n".join([HEADER, *[f"{'x' * 1000},1,1.5,a,,"] * 8000]))
    found = list(extracts(str(path), ROW, block=500))
    mappings = Path("/proc/self/smaps").read_text().partition(str(path))[2]
    assert 0 <= int(mappings.partition("Rss:")[2].split()[0]) < 4000
    assert all(extract.whole().num_rows == len(extract.batch) for extract in found)
