"""Files behind URIs, in a store that stands for S3: what is read and written there, and how."""

import gzip
import json

import pyarrow.parquet as pq
import pytest
from pyarrow import fs

import anabranch as ab
from anabranch.io.files import stores


class Payment(ab.Record):
    account: int
    amount: float


class Dated(ab.Record):
    day: int
    account: int
    amount: float


class Balance(ab.State):
    total: float = 0.0


@ab.operator(by="account")
def running(state: Balance, p: Payment):
    state.total += p.amount
    yield Payment(p.account, state.total)


ROWS = [Payment(n % 3, float(n)) for n in range(12)]


def text(rows) -> str:
    return "account,amount\n" + "".join(f"{r.account},{r.amount}\n" for r in rows)


class Buckets(fs.SubTreeFileSystem):
    """The folders of a folder as buckets: the names of objects have slashes, and need no folders.
    """

    def open_output_stream(self, path, **options):
        self.create_dir(path.rpartition("/")[0], recursive=True)
        return super().open_output_stream(path, **options)


@pytest.fixture
def bucket(tmp_path, monkeypatch):
    """The folder that is the bucket `ledger`."""
    stores._store.cache_clear()
    (tmp_path / "ledger").mkdir()
    monkeypatch.setattr("pyarrow.fs.S3FileSystem",
                        lambda **_: Buckets(str(tmp_path), fs.LocalFileSystem()))
    yield tmp_path / "ledger"
    stores._store.cache_clear()


def add(bucket, name, rows, pack=lambda data: data):
    path = bucket / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pack(text(rows).encode()))


def both(stream):
    one, other = (stream.collect(engine=name) for name in ("sequential", "multicore"))
    assert one == other
    return one


def test_folders_globs_and_packed_texts_are_read_in_order(bucket):
    add(bucket, "in/part-10.csv", ROWS[8:])
    add(bucket, "in/part-9.csv.gz", ROWS[:8], gzip.compress)
    add(bucket, "in/_SUCCESS", [])
    add(bucket, "in/other/part-1.csv", ROWS)
    for path in ("s3://ledger/in", "s3a://ledger/in/", "s3://ledger/in/part-*"):
        assert both(ab.read_csv(path, Payment)) == ROWS
    deep = ab.read_csv("s3://ledger/**/part-1.csv", Payment)
    assert both(deep.apply(running))[-1] == Payment(2, 26.0)


def test_folders_of_keys_give_fields(bucket):
    add(bucket, "in/day=10/a.csv", ROWS[2:3])
    add(bucket, "in/day=9/a.csv", ROWS[:2])
    wanted = [Dated(9, *ROWS[0]), Dated(9, *ROWS[1]), Dated(10, *ROWS[2])]
    for path in ("s3://ledger/in", "s3://ledger/in/day=*/*.csv"):
        assert both(ab.read_csv(path, Dated)) == wanted


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
@pytest.mark.parametrize("form", ["csv", "csv.gz", "jsonl", "parquet", "arrow"])
def test_what_is_written_is_read_again(bucket, engine, form):
    kind = form.partition(".")[0]
    for path in (f"s3://ledger/out.{form}", f"s3://ledger/parts.{form}/"):
        made = ab.from_iterable(ROWS, Payment).apply(running)
        getattr(made, f"write_{kind}")(path).run(engine=engine)
        again = getattr(ab, f"read_{kind}")(path, Payment)
        assert both(again) == ab.from_iterable(ROWS, Payment).apply(running).collect()
    assert not [p.name for p in bucket.rglob("*") if p.name.startswith(".") or "tmp" in p.name]


def test_parquet_of_several_groups_is_read_in_columns(bucket):
    rows = ab.from_iterable([Payment(n % 7, float(n)) for n in range(5_000)], Payment)
    rows.write_parquet("s3://ledger/wide.parquet").run(engine="sequential")
    pq.write_table(pq.read_table(bucket / "wide.parquet"), bucket / "wide.parquet",
                   row_group_size=500)
    assert len(both(ab.read_parquet("s3://ledger/wide.parquet", Payment).apply(running))) == 5_000


def test_the_manifest_is_the_commit(bucket):
    ab.from_iterable(ROWS, Payment).write_csv("s3://ledger/out/").run(engine="sequential")
    [first] = json.loads((bucket / "out/_anabranch_manifest").read_text())["files"]
    # What a run has left that ended before its manifest came.
    add(bucket, "out/part-00000-dead.csv", ROWS[:1])
    assert both(ab.read_csv("s3://ledger/out", Payment)) == ROWS
    ab.from_iterable(ROWS, Payment).write_csv("s3://ledger/out/").run(engine="sequential")
    [second] = json.loads((bucket / "out/_anabranch_manifest").read_text())["files"]
    assert first != second
    assert sorted(p.name for p in (bucket / "out").iterdir()) == ["_anabranch_manifest", second]


def test_a_run_that_fails_leaves_what_was_there(bucket):
    add(bucket, "out.csv", ROWS[:1])
    before = (bucket / "out.csv").read_bytes()
    for path in ("s3://ledger/out.csv", "s3://ledger/parts/"):
        broken = ab.from_iterable([1, 0], int).map(lambda n: 1 / n)
        with pytest.raises(ab.RunError, match="ZeroDivisionError"):
            broken.write_csv(path).run(engine="sequential")
    assert (bucket / "out.csv").read_bytes() == before
    assert not (bucket / "parts").exists()


def test_what_is_wrong_is_told(bucket):
    with pytest.raises(ab.RunError, match="there is no file 's3:"):
        ab.read_csv("s3://ledger/gone.csv", Payment).collect()
    with pytest.raises(ab.UsageError, match="no files are read or written at http://") as refused:
        ab.read_csv("http://ledger/a.csv", Payment)
    assert "s3://" in refused.value.expected
    with pytest.raises(ab.UsageError, match="names no bucket or host"):
        ab.read_csv("s3:///a.csv", Payment)
    add(bucket, "in/notes.csv", ROWS)
    same = ab.read_csv("s3://ledger/in/notes.csv", Payment).write_csv("s3://ledger/in/notes.csv")
    with pytest.raises(ab.UsageError, match="writes the file that"):
        same.run(engine="sequential")
    for path, why in (("in/", "it holds other files, such as 'notes.csv'"),
                      ("in", "it is a folder"), ("in/notes.csv/", "it is a file")):
        with pytest.raises(ab.RunError, match=why):
            ab.from_iterable(ROWS, Payment).write_csv(f"s3://ledger/{path}").run(
                engine="sequential")
    assert (bucket / "in/notes.csv").read_text() == text(ROWS)


def test_what_takes_no_store_refuses_it(bucket, tmp_path):
    def made(source, sink):
        return ab.read_csv(source, Payment).write_csv(sink)

    for source, sink in (("s3://ledger/in", str(tmp_path / "out/")),
                         (str(tmp_path), "s3://ledger/out/")):
        with pytest.raises(ab.UsageError, match="--stream reads and writes folders of this") as of:
            made(source, sink).run(engine="spark", stream=True, checkpoint=str(tmp_path / "c"))
        assert of.value.got.startswith("s3://") and "from_spark" in of.value.help
    add(bucket, "a.csv", ROWS)
    for option in ({"on_error": "divert=s3://ledger/bad.jsonl"}, {"report": "s3://ledger/r.html"}):
        with pytest.raises(ab.UsageError, match="takes a path of this machine"):
            made("s3://ledger/a.csv", str(tmp_path / "b.csv")).run(engine="multicore", **option)


def test_a_file_uri_is_a_path_of_this_machine(tmp_path):
    path = tmp_path / "a b.csv"
    path.write_text(text(ROWS))
    assert both(ab.read_csv(f"file://{tmp_path}/a%20b.csv", Payment)) == ROWS
    out = f"file://{tmp_path}/out.csv"
    ab.from_iterable(ROWS, Payment).write_csv(out).run(engine="multicore")
    assert (tmp_path / "out.csv").read_text() == text(ROWS)
