"""Which files of a folder are read, in which order, and the fields that folders key=value give."""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

import anabranch as ab
from anabranch.core.errors import AnabranchError, DataError, RunError
from anabranch.engine.spark.stream.arrivals import FolderScan, portion
from anabranch.io.csv.files import CsvSource
from anabranch.io.jsonl.files import JsonlSource
from anabranch.io.parquet.files import ParquetSource
from anabranch.io.rows import BadRows
from anabranch.io.splits import splits_of
from anabranch.ir.types import type_of


class Sale(ab.Record):
    day: datetime
    shop: int | None
    amount: int


class Amount(ab.Record):
    amount: int


SOURCES = {"csv": CsvSource, "jsonl": JsonlSource, "parquet": ParquetSource}


def write(path, format, amounts):
    path.parent.mkdir(parents=True, exist_ok=True)
    if format == "parquet":
        parquet.write_table(pa.table({"amount": amounts}), path)
    elif format == "csv":
        path.write_text("".join(f"{a}\n" for a in ("amount", *amounts)))
    else:
        path.write_text("".join(f'{{"amount": {a}}}\n' for a in amounts))


def amounts(path, format="csv", kind=Amount):
    source = SOURCES[format](str(path), type_of(kind))
    return [item.amount for item in source.items(BadRows())]


@pytest.mark.parametrize("format", SOURCES)
def test_hidden_files_and_folders_of_a_folder_are_left_out(tmp_path, format):
    for number, name in enumerate(["a", "_tmp", ".tmp", "_SUCCESS", "b"]):
        write(tmp_path / f"{name}.{format}", format, [number])
    write(tmp_path / "_temporary" / f"c.{format}", format, [9])
    write(tmp_path / "other" / f"c.{format}", format, [9])
    assert amounts(tmp_path, format) == [0, 4]
    assert amounts(tmp_path / f"*.{format}", format) == [0, 4]
    assert amounts(tmp_path / f"_tmp.{format}", format) == [1]
    assert amounts(tmp_path / f"_t*.{format}", format) == [1]


def test_part_numbers_are_numbers(tmp_path):
    names = ["part-00010-aa.csv", "part-00002-zz.csv", "part-100000-aa.csv", "part-00002-bb.csv"]
    for number, name in enumerate(names):
        write(tmp_path / name, "csv", [number])
    assert amounts(tmp_path) == amounts(tmp_path / "*.csv") == [3, 1, 0, 2]


def partitioned(folder, format):
    for number, inner in enumerate(["day=2026-01-01/shop=10", "day=2026-01-01/shop=9",
                                    "day=2025-12-31 10%3A00%3A00/shop=__HIVE_DEFAULT_PARTITION__"]):
        write(folder / inner / f"part-0.{format}", format, [number, number + 10])


SALES = [Sale(datetime(2025, 12, 31, 10), None, 2), Sale(datetime(2025, 12, 31, 10), None, 12),
         Sale(datetime(2026, 1, 1), 9, 1), Sale(datetime(2026, 1, 1), 9, 11),
         Sale(datetime(2026, 1, 1), 10, 0), Sale(datetime(2026, 1, 1), 10, 10)]


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
@pytest.mark.parametrize("format", SOURCES)
def test_folders_give_fields(tmp_path, format, engine):
    partitioned(tmp_path / "sales", format)
    read = getattr(ab, f"read_{format}")
    assert read(tmp_path / "sales", Sale, name="a").collect(engine=engine) == SALES
    assert read(tmp_path / "sales" / "day=*", Sale, name="b").collect(engine=engine) == SALES
    found = read(tmp_path / "sales", Amount, name="c").collect(engine=engine)
    assert [item.amount for item in found] == [2, 12, 1, 11, 0, 10]


@pytest.mark.parametrize("format", SOURCES)
def test_splits_and_single_files_know_their_folders(tmp_path, format):
    partitioned(tmp_path / "sales", format)
    source = SOURCES[format](str(tmp_path / "sales"), type_of(Sale))
    split = [item for part in splits_of(source, 5) for item in part.items(BadRows())]
    alone = [item for file in source.files() for item in source.only(file).items(BadRows())]
    assert split == alone == SALES


def test_a_folder_counts_more_than_the_file(tmp_path):
    write(tmp_path / "in" / "amount=7" / "a.jsonl", "jsonl", [1, 2])
    assert amounts(tmp_path / "in", "jsonl") == [7, 7]


def test_a_folder_of_another_type_is_named(tmp_path):
    write(tmp_path / "amount=x" / "a.csv", "csv", [1])
    with pytest.raises(DataError) as failed:
        amounts(tmp_path)
    assert str(failed.value) == f"""\
error: the folder amount=x does not give 'amount'
  --> {tmp_path}/amount=x/a.csv
  = expected: int
  = came: 'x'
  = help: give 'amount' another type, or another name"""


@pytest.mark.parametrize("other", ["b.csv", "hour=1/b.csv", "day=1/hour=1/b.csv"])
def test_files_in_folders_of_other_keys_are_refused(tmp_path, other):
    write(tmp_path / "day=1" / "a.csv", "csv", [1])
    write(tmp_path / other, "csv", [1])
    with pytest.raises(RunError, match="not in folders of the same keys"):
        amounts(tmp_path)


def test_files_compressed_in_another_way_are_refused(tmp_path):
    write(tmp_path / "a.csv", "csv", [1])
    (tmp_path / "b.csv.xz").write_bytes(b"")
    with pytest.raises(RunError, match=r"b\.csv\.xz': files compressed like this are not read"):
        amounts(tmp_path)


@pytest.mark.parametrize("path", ["", "*.csv", "day=*", "**"])
def test_nothing_to_read_is_an_error(tmp_path, path):
    (tmp_path / "day=1").mkdir()
    (tmp_path / "_a.csv").write_text("amount\n1\n")
    with pytest.raises(RunError, match="there is nothing to read at"):
        amounts(tmp_path / path if path else tmp_path)


def log(folder, name, files):
    (folder / "_spark_metadata").mkdir(parents=True, exist_ok=True)
    lines = [json.dumps({"path": f"file:///elsewhere/{file}", "action": action})
             for file, action in files]
    (folder / "_spark_metadata" / name).write_text("\n".join(["v1", *lines]))


def test_what_a_log_of_spark_lists_is_read_in_its_order(tmp_path):
    for number in range(5):
        write(tmp_path / f"part-0-{'edcba'[number]}.csv", "csv", [number])
    log(tmp_path, "0", [("part-0-a.csv", "add")])
    log(tmp_path, "1.compact", [("part-0-e.csv", "add"), ("part-0-d.csv", "add")])
    log(tmp_path, "2", [("part-0-b.csv", "add"), ("part-0-a.csv", "delete")])
    assert amounts(tmp_path) == [0, 1, 3]
    os.unlink(tmp_path / "part-0-b.csv")
    with pytest.raises(RunError, match=r"no file '.*part-0-b.csv', which the log"):
        amounts(tmp_path)


def test_a_stream_takes_the_files_of_a_log_in_its_order(tmp_path):
    """Those that it finds together, however many of them make a batch."""
    grown = tmp_path / "grown"
    grown.mkdir()
    for name in "abc":
        write(grown / f"part-0-{name}.csv", "csv", [0])
    log(grown, "0", [("part-0-c.csv", "add")])
    log(grown, "1", [("part-0-b.csv", "add"), ("part-0-a.csv", "add")])
    stream = ab.read_csv(grown, Amount, name="sales").map(lambda s: s.amount)
    scan = FolderScan(str(tmp_path / "noted"), stream.graph().sources)
    assert scan.notice() and not scan.notice()
    begun, taken = {}, []
    for _ in range(3):
        chosen, begun = portion(scan.arrived(0), begun, 1, 10**9)
        taken += [Path(a.file).stem[-1] for a in chosen]
    assert taken == ["c", "b", "a"]


def test_a_folder_of_nothing_gives_none_or_is_refused(tmp_path):
    class Shop(ab.Record):
        amount: int
        shop: str

    write(tmp_path / "shop=__HIVE_DEFAULT_PARTITION__" / "a.csv", "csv", [1])
    with pytest.raises(AnabranchError, match="does not give 'shop'") as raised:
        ab.read_csv(tmp_path, Shop).collect()
    assert "give 'shop' the type str | None" in str(raised.value)


@pytest.mark.parametrize("text", ["", "v2\n", "v1\n{", 'v1\n{"a": 1}', "v1\n7"])
def test_a_damaged_log_is_named(tmp_path, text):
    write(tmp_path / "a.csv", "csv", [1])
    log(tmp_path, "0", [])
    (tmp_path / "_spark_metadata" / "0").write_text(text)
    with pytest.raises(AnabranchError, match=r"cannot read '.*_spark_metadata/0'"):
        amounts(tmp_path)
