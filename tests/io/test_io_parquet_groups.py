"""Row groups that several threads encode or decode: the rows of one thread, in their order."""

import struct
import threading
from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import anabranch as ab
from anabranch.io.parquet import columns, groups
from anabranch.io.parquet.footer import Encoded, Reader, structure_written
from anabranch.io.parquet.groups import RowGroups

ROWS = 1000


def table(begin: int, rows: int = ROWS) -> pa.Table:
    n = np.arange(begin, begin + rows)
    return pa.table({
        "n": n, "f": n / 7, "maybe": pa.array(n, mask=n % 3 == 0), "odd": n % 2 == 1,
        "text": pa.array([f"text {i % 11}" for i in n]), "bytes": pa.array([b"%d" % i for i in n]),
        "at": pa.array(n * 10**6, pa.timestamp("us", tz="UTC")),
        "list": pa.array([[i, i + 1][:i % 3] for i in n]),
        "inner": pa.array([{"a": int(i), "b": str(i)} for i in n])})


@pytest.mark.parametrize("names", [["n"], ["n", "f", "maybe", "odd", "text", "bytes", "at"], None])
@pytest.mark.parametrize("count", [0, 1, 2, 20])
@pytest.mark.parametrize("threads", [1, 3])
def test_groups_are_those_of_one_thread(threads, count, names, tmp_path):
    names = names or table(0).column_names
    given = [table(n * ROWS).select(names) for n in range(count)]
    schema = table(0).select(names).schema
    with open(tmp_path / "found", "wb") as out:
        written = RowGroups(out, schema, threads)
        for one in given:
            written.add(one)
        written.close()
    found = parquet.ParquetFile(tmp_path / "found")
    assert found.metadata.num_row_groups == count
    parquet.write_table(pa.concat_tables([schema.empty_table(), *given]), tmp_path / "whole",
                        row_group_size=ROWS)
    whole = parquet.ParquetFile(tmp_path / "whole")
    assert found.schema_arrow.equals(whole.schema_arrow, check_metadata=True)
    assert found.read().equals(whole.read())
    for number in range(count):
        assert found.read_row_group(number).equals(whole.read().slice(number * ROWS, ROWS))
        group, same = (file.metadata.row_group(number) for file in (found, whole))
        for n in range(group.num_columns):
            assert group.column(n).statistics == same.column(n).statistics


def test_a_footer_is_what_was_read_of_it(tmp_path):
    parquet.write_table(table(0), tmp_path / "one", row_group_size=300)
    data = (tmp_path / "one").read_bytes()
    size, = struct.unpack("<I", data[-8:-4])
    footer = data[-8 - size:-8]
    assert structure_written(Reader(footer).structure()) == footer
    assert Encoded.of(memoryview(data)).rows == ROWS


class Reading(ab.Record):
    n: int
    f: float
    text: str


READINGS = [(n, n / 8, f"text {n % 5}") for n in range(5000)]


@pytest.fixture
def small_groups(monkeypatch):
    """Parts of a thousand rows, so that there are several."""
    monkeypatch.setattr(columns, "ROWS_OF_A_PART", 1000)
    monkeypatch.setattr(columns, "SMALL", 0)
    monkeypatch.setattr("anabranch.io.parquet.files.GROUP", 700)


def write(folder, name="given", **more):
    given = pa.table(dict(zip(("n", "f", "text"), map(list, zip(*READINGS)))))
    parquet.write_table(given, folder / f"{name}.parquet", **{"row_group_size": 300} | more)


@pytest.mark.usefixtures("small_groups")
@pytest.mark.parametrize("workers", [1, 2, 5])
def test_a_run_gives_the_rows_of_the_sequential_engine(workers, tmp_path):
    write(tmp_path)
    doubled = ab.read_parquet(tmp_path / "given.parquet", Reading).map(
        lambda r: r.replace(f=r.f * 2.0))
    doubled.write_parquet(tmp_path / "out.parquet").run(engine="multicore", workers=workers)
    found = parquet.read_table(tmp_path / "out.parquet")
    assert list(zip(*found.to_pydict().values())) == [(n, 2 * f, text) for n, f, text in READINGS]


@pytest.mark.usefixtures("small_groups")
@pytest.mark.parametrize("small", [0, 1 << 18])
def test_several_files_follow_each_other(tmp_path, monkeypatch, small):
    monkeypatch.setattr(columns, "SMALL", small)
    for n, size in enumerate((300, 5000, 1)):
        write(tmp_path, f"part-{n}", row_group_size=size)
    found = ab.read_parquet(tmp_path, Reading).collect(engine="multicore", workers=2)
    assert [tuple(r) for r in found] == 3 * READINGS


class At(ab.Record):
    at: datetime


def test_small_files_go_on_together_only_if_their_columns_are_alike(tmp_path):
    """Times of one are wall-clock times, of the others instants."""
    for n in range(8):
        time = datetime(2026, 1, 1 + n, tzinfo=None if n < 3 else UTC)
        parquet.write_table(pa.table({"at": [time]}), tmp_path / f"part-{n}.parquet")
    found = ab.read_parquet(tmp_path, At).collect(engine="multicore", workers=2)
    assert found == ab.read_parquet(tmp_path, At).collect(engine="sequential")
    assert [item.at.day for item in found] == list(range(1, 9))


@pytest.mark.usefixtures("small_groups")
@pytest.mark.parametrize("small", [0, 1 << 18])
@pytest.mark.parametrize("engine", ["sequential", "multicore"])
def test_what_came_before_a_bad_part_is_used(engine, tmp_path, monkeypatch, small):
    monkeypatch.setattr(columns, "SMALL", small)
    write(tmp_path, "part-0")
    write(tmp_path, "part-1")
    late = pa.table({"n": [1, None], "f": [0.5, 0.5], "text": ["a", "b"]})
    parquet.write_table(late, tmp_path / "part-2.parquet")
    found = []
    with pytest.raises(ab.DataError, match="n cannot be read as int"):
        ab.read_parquet(tmp_path, Reading).for_each(found.append).run(engine=engine)
    assert [tuple(r) for r in found] == [*READINGS, *READINGS, (1, 0.5, "a")][:len(found)]
    assert len(found) > len(READINGS)


@pytest.mark.usefixtures("small_groups")
def test_several_threads_are_at_work(monkeypatch, tmp_path):
    """Two groups are encoded at the same time, and two parts decoded: each waits for another."""
    write(tmp_path)
    barriers, met = {"encoder": threading.Barrier(2), "decoder": threading.Barrier(2)}, set()

    def meeting(code, name):
        def met_first(*given):
            if name in threading.current_thread().name and name not in met:
                barriers[name].wait(60)
                met.add(name)
            return code(*given)
        return met_first

    monkeypatch.setattr(groups, "_encoded", meeting(groups._encoded, "encoder"))
    monkeypatch.setattr(columns.GroupsOfFile, "extracts",
                        meeting(columns.GroupsOfFile.extracts, "decoder"))
    readings = ab.read_parquet(tmp_path / "given.parquet", Reading)
    readings.write_parquet(tmp_path / "out.parquet").run(engine="multicore", workers=2)
    assert met == {"encoder", "decoder"}
