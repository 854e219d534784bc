"""Splits, read one after another, give what the whole source gives: items, and errors too."""

from __future__ import annotations

from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from anabranch.core.errors import DataError
from anabranch.io.csv import records
from anabranch.io.csv.dialect import Dialect
from anabranch.io.csv.files import CsvSink, CsvSource
from anabranch.io.jsonl.files import JsonlSource
from anabranch.io.parquet.files import ParquetSink, ParquetSource
from anabranch.io.rows import BadRows
from anabranch.io.splits import splits_of
from anabranch.ir.records import Record
from anabranch.ir.types import INT, type_of


class Pair(Record):
    a: int
    b: str | None


def _whole(source, policy):
    return _outcome(source.items, policy)


def _in_splits(source, size, policy):
    splits = splits_of(source, size)
    return _outcome(lambda rows: (item for s in splits for item in s.items(rows)), policy)


def _outcome(read, policy):
    items, rows = [], BadRows(policy)
    try:
        items.extend(read(rows))
    except DataError as error:
        return items, str(error), rows.counts
    return items, None, rows.counts


cells = st.sampled_from(["1", "-22", "x", "", "  ", "é", "7\r", "\ufeff3"])
lines = st.lists(st.tuples(cells, cells).map(",".join) | st.just(""), max_size=20)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(lines, min_size=1, max_size=3), st.integers(1, 40), st.booleans(),
       st.sampled_from(["stop", "skip"]))
def test_csv(tmp_path_factory, files, size, ended, policy):
    folder = tmp_path_factory.mktemp("csv")
    for number, rows in enumerate(files):
        text = "\n".join(["a,b", *rows]) + ("\n" if ended else "")
        (folder / f"{number}.csv").write_bytes(text.encode())
    source = CsvSource(str(folder), type_of(Pair))
    assert _in_splits(source, size, policy) == _whole(source, policy)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(["1", "22", "", "null", "\ufeff4", "x"]), max_size=20),
       st.integers(1, 9), st.sampled_from(["stop", "skip"]))
def test_jsonl(tmp_path_factory, rows, size, policy):
    file = tmp_path_factory.mktemp("jsonl") / "a.jsonl"
    file.write_text("\n".join(rows))
    source = JsonlSource(str(file), INT)
    assert _in_splits(source, size, policy) == _whole(source, policy)


@pytest.mark.parametrize("policy", ["stop", "skip"])
def test_row_groups(tmp_path, policy):
    table = pa.table({"a": [1, 2, None, 4, 5, None, 7], "b": list("abcdefg")})
    parquet.write_table(table, tmp_path / "a.parquet", row_group_size=2)
    source = ParquetSource(str(tmp_path), type_of(Pair))
    assert len(splits_of(source, 1)) == 4
    assert _in_splits(source, 1, policy) == _whole(source, policy)


@pytest.mark.parametrize("mark", ",;")
@pytest.mark.parametrize("row", ["1,xy", '1,"x\ny"', '1,"x""y\r\n"', '"1",""\r'])
def test_a_file_is_split_where_rows_begin(tmp_path, row, mark):
    (tmp_path / "a.csv").write_text(("a,b\n" + f"{row}\n" * 100).replace(",", mark))
    source = CsvSource(str(tmp_path), type_of(Pair), dialect=Dialect(delimiter=mark))
    assert len(splits_of(source, 10)) > 10
    assert _in_splits(source, 10, "stop") == _whole(source, "stop")


@pytest.mark.parametrize("dialect", [
    Dialect(header=False), Dialect(decimal=";", null=("xy",)),
    Dialect(columns=(("a", "b"), ("b", "a")))])
def test_other_dialects_are_split_too(tmp_path, dialect):
    row = "yx,1" if dialect.columns else "1,xy"
    (tmp_path / "a.csv").write_text(("a,b\n" if dialect.header else "") + f"{row}\n" * 100)
    source = CsvSource(str(tmp_path), type_of(Pair), dialect=dialect)
    parts = splits_of(source, 10)
    assert len(parts) > 10
    assert _in_splits(source, 10, "stop") == _whole(source, "stop")
    assert sum(len(extract.batch) for part in parts for extract in part.extracts()) == 100


@pytest.mark.parametrize("row, why", [
    ('1,5"', "a quote stands within a cell"), ('1, "x"', "a quote stands within a cell"),
    ('1,"x', "is missing"), ('1,"x"\r2,y', "a quote stands within a cell"),
    ('1,x\ry\n2,"x"', "a carriage return stands alone")])
def test_where_quotes_do_not_tell_the_file_is_one_split(tmp_path, row, why):
    (tmp_path / "a.csv").write_bytes(b"a,b\n" + f"{row}\n".encode() + b"3,z\n" * 100)
    [split] = splits_of(CsvSource(str(tmp_path), type_of(Pair)), 10)
    assert why in split.undivided


@pytest.mark.parametrize("policy", ["stop", "skip"])
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.text('1,"\n\rx', max_size=60), st.integers(1, 9), st.integers(1, 9),
       st.sampled_from(",;"), st.sampled_from(",;"))
@example('1,\r"x\n1,"\n1,x\n', 3, 2, ",", ",")
def test_any_text_with_quotes(tmp_path_factory, policy, text, size, block, mark, found):
    """What quotes and line ends mean is known to the standard reader alone; what stands between
    cells need not be the delimiter."""
    file = tmp_path_factory.mktemp("quotes") / "a.csv"
    file.write_bytes(f"a{mark}b\n".encode() + text.replace(",", found).encode())
    source = CsvSource(str(file), type_of(Pair), dialect=Dialect(delimiter=mark))
    with patch.object(records, "BLOCK", block):
        assert _in_splits(source, size, policy) == _whole(source, policy)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.sampled_from(["1", "-22", "007", "x"]),
                          st.sampled_from(["a", "", "é é"])).map(",".join), max_size=20),
       st.integers(1, 40), st.booleans(), st.sampled_from(",;"))
def test_batches_hold_the_items_or_there_are_none(tmp_path_factory, rows, size, ended, mark):
    file = tmp_path_factory.mktemp("csv") / "a.csv"
    file.write_text("\n".join([f"b{mark}a", *(mark.join(reversed(r.split(","))) for r in rows)])
                    + ("\n" if ended else ""))
    source = CsvSource(str(file), type_of(Pair), dialect=Dialect(delimiter=mark))
    for split in splits_of(source, size):
        try:
            batches = [extract.batch for extract in split.extracts()]
        except Exception:
            assert any(row.startswith("x") for row in rows)
        else:
            found = [Pair(*row.values()) for batch in batches for row in batch.to_pylist()]
            assert found == list(split.items(BadRows("stop")))


class Note(Record):
    a: int
    text: str
    b: float


@pytest.mark.parametrize("form", [CsvSource, ParquetSource])
def test_what_is_not_wanted_of_a_split_can_be_read_again(tmp_path, form):
    rows = [Note(n, f"text {n}", n / 4) for n in range(500)]
    file = tmp_path / f"notes{form.extensions[0]}"
    writer = {CsvSource: CsvSink, ParquetSource: ParquetSink}[form](str(file)).open(type_of(Note))
    for row in rows:
        writer.write(row)
    writer.commit()
    found = []
    for split in splits_of(form(str(file), type_of(Note)), 1500):
        for extract in split.extracts(frozenset(["a"])):
            assert "text" not in extract.read
            assert extract.batch.column("text").null_count == len(extract.batch)
            whole = extract.whole()
            assert whole.column("a") == extract.batch.column("a")
            found += [Note(*row.values()) for row in whole.to_pylist()]
    assert found == rows
