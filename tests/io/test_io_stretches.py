"""Columns go on behind odd rows: what comes is what the reading of rows gives, reports included."""

import gzip
from itertools import chain

import pytest

import anabranch as ab
from anabranch.io.csv.dialect import Dialect
from anabranch.io.csv.files import CsvSource
from anabranch.io.jsonl.files import JsonlSource
from anabranch.io.rows import BadRows
from anabranch.io.text import stretches
from anabranch.ir.graph import Operator
from anabranch.ir.operators import Source
from anabranch.ir.types import type_of
from anabranch.runtime.ends.reading import Reading
from interpreting import SMALL_IS_LARGE, with_costs

ROWS = 30_000


class Payment(ab.Record):
    at: int
    uid: int
    note: str


TYPE = type_of(Payment)
CSV_ODD = {"no number": b"1,x,a", "short": b"1,2", "two lines": b'7,8,"a\nb"', "open": b'7,8,"a',
           "spaces": b" 7, 8,a", "no UTF-8": b"1,2,\xff", "return": b"1,2,a\rb"}
JSON_ODD = {"no object": b"[1]", "no field": b'{"at": 1}', "blank": b"", "no JSON": b"{",
            "text": b'{"at": "1", "uid": 2, "note": ""}', "no UTF-8": b'{"\xff": 1}'}


def csv_lines():
    return [b"at,uid,note", *(b"%d,%d,n%d" % (n, n % 7, n % 3) for n in range(ROWS))]


def json_lines():
    return [b'{"at": %d, "uid": %d, "note": "n%d"}' % (n, n % 7, n % 3) for n in range(ROWS)]


def read(source):
    """The items in the order in which they come, the reports, and how many came in columns."""
    rows = BadRows("skip")
    told, rows.report = [], lambda error, raw: told.append((str(error), raw))
    op = Operator("in", Source(source), (), ("q",))
    reading = Reading(op, rows, {"in": 0})
    items = list(chain.from_iterable(reading.pieces(together=True)))
    return items, told, reading.in_columns["in"]


def both(source):
    rows = BadRows("skip")
    told, rows.report = [], lambda error, raw: told.append((str(error), raw))
    items, found, in_columns = read(source)
    assert items == list(source.items(rows))
    assert found == told
    return in_columns, len(items)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Files of this size are read by compiled loops, in small parts."""
    with_costs(monkeypatch, **dict.fromkeys(SMALL_IS_LARGE, 0))
    monkeypatch.setattr(stretches.unpacked_parts, "__defaults__", (1 << 16, stretches.bytes_of))


def source_of(tmp_path, form, lines, packed):
    text = b"\n".join(lines) + b"\n"
    path = tmp_path / f"in.{form}{'.gz' if packed else ''}"
    path.write_bytes(gzip.compress(text, 1) if packed else text)
    if form == "jsonl":
        return JsonlSource(str(path), TYPE)
    return CsvSource(str(path), TYPE, dialect=Dialect(delimiter=chr(lines[0][2])))


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("form", "what"), [
    *(("csv", what) for what in CSV_ODD), *(("jsonl", what) for what in JSON_ODD)])
def test_few_rows_around_odd_ones_are_read_one_by_one(tmp_path, form, what, packed):
    lines, odd = (csv_lines(), CSV_ODD) if form == "csv" else (json_lines(), JSON_ODD)
    for place in (1, 2, 300, 9000, 9001, 20_000, len(lines) - 1):
        lines[place] = odd[what]
    in_columns, came = both(source_of(tmp_path, form, lines, packed))
    if what != "open":
        assert came - 5000 < in_columns <= came


@pytest.mark.parametrize("packed", [False, True])
def test_other_delimiters_stay_so_in_stretches(tmp_path, packed):
    """A comma is a part of a cell there, also beside odd rows, whose lines are told."""
    lines = [line.replace(b",", b";").replace(b"n", b",") for line in csv_lines()]
    lines[0] = b"at; uid;note"
    for place, odd in enumerate(CSV_ODD.values()):
        lines[300 + 3000 * place] = odd.replace(b",", b";") if place else b"1,5;2;a"
    del lines[300 + 3000 * list(CSV_ODD).index("open")]
    in_columns, came = both(source_of(tmp_path, "csv", lines, packed))
    assert came - 5000 < in_columns <= came


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("dialect", "odd"), [
    (Dialect(header=False), b"x,1,a"), (Dialect(null=("NA", "-5")), b"NA,1,a"),
    (Dialect(";", decimal=","), b"1.5;1;a"), (Dialect(quote="$"), b"7,8,$a"),
    (Dialect(columns=(("at", "uid"), ("uid", "at"))), b"1,x,a"),
    (Dialect(encoding="cp1252"), b"1,2,\x81"), (Dialect(encoding="shift_jis"), b"1,2,\x81\xff"),
    (Dialect("|", encoding="utf-16-le"), "1|2|\ud800".encode("utf-16-le", "surrogatepass"))])
def test_dialects_stay_so_in_stretches(tmp_path, dialect, odd, packed):
    mark, wide = dialect.delimiter.encode(), dialect.encoding.startswith("utf-16")
    lines = [line.replace(b",", mark).replace(b"n", b"NA") for line in csv_lines()]
    lines[0] = b"at,uid,note".replace(b",", mark)
    lines = [line.decode().encode(dialect.encoding) for line in lines[not dialect.header:]]
    for place in (300, 9000, 9001, len(lines) - 1):
        lines[place] = odd
    end = "\n".encode("utf-16-le" if wide else "ascii")
    path = tmp_path / f"in.csv{'.gz' if packed else ''}"
    text = end.join([*lines, b""])
    path.write_bytes(gzip.compress(text, 1) if packed else text)
    in_columns, came = both(CsvSource(str(path), TYPE, dialect=dialect))
    assert came - 5000 < in_columns <= came


def test_where_all_rows_are_odd_stretches_grow(tmp_path):
    lines = [b"at,uid,note", *(b"x,%d,a" % n if n % 50 == 0 else b"1,2,b" for n in range(ROWS))]
    in_columns, came = both(source_of(tmp_path, "csv", lines, False))
    assert in_columns < came
