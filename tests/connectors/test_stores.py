"""Files at `s3://`, served by moto: what the engines of this machine read and write there."""

from __future__ import annotations

import json
from itertools import product

import pytest
from pyarrow import fs

import anabranch as ab
from anabranch.io.files import stores
from connectors import services
from connectors.programs import PROGRAMS, Event, applied, events, expected

pytestmark = pytest.mark.connectors
BASE = f"s3://{services.BUCKET}"


@pytest.fixture(scope="module")
def bucket(tmp_path_factory):
    with services.moto(tmp_path_factory.mktemp("moto")) as told, pytest.MonkeyPatch.context() as of:
        for name, value in {"AWS_ENDPOINT_URL": told["endpoint_override"],
                            "AWS_REGION": told["region"], "AWS_ACCESS_KEY_ID": told["access_key"],
                            "AWS_SECRET_ACCESS_KEY": told["secret_key"]}.items():
            of.setenv(name, value)
        stores._store.cache_clear()
        yield fs.S3FileSystem(**told)
        stores._store.cache_clear()


@pytest.mark.parametrize(("engine", "form"), [
    *product(["sequential", "multicore"], ["csv", "csv.gz", "jsonl", "parquet"]),
    ("spark", "csv"), ("spark", "parquet")])
def test_programs_over_a_bucket(bucket, engine, form):
    kind, base = form.partition(".")[0], f"{BASE}/{engine}-{form}"
    for day in range(3):
        rows = ab.from_iterable(events(day * 40, day * 40 + 40), Event)
        getattr(rows, f"write_{kind}")(f"{base}/in/day={day}/a.{form}").run(engine=engine)
    for path in (f"{base}/in", f"{base}/in/day=*/*.{form}"):
        read = getattr(ab, f"read_{kind}")(path, Event)
        for name in PROGRAMS:
            assert list(map(tuple, applied(read, name).collect(engine=engine))) == expected(
                events(0, 120), name)


def test_a_folder_is_what_its_manifest_lists(bucket):
    for low in (0, 50):
        ab.from_iterable(events(low, low + 50), Event).write_parquet(f"{BASE}/out/").run(
            engine="multicore")
        assert ab.read_parquet(f"{BASE}/out", Event).collect() == events(low, low + 50)
    found = bucket.get_file_info(fs.FileSelector(f"{services.BUCKET}/out"))
    with bucket.open_input_stream(f"{services.BUCKET}/out/_anabranch_manifest") as listed:
        [name] = json.loads(listed.read())["files"]
    assert {info.base_name for info in found} == {name, "_anabranch_manifest"}


def test_a_bucket_that_is_not_there(bucket):
    with pytest.raises(ab.RunError, match="there is no file"):
        ab.read_csv("s3://nowhere/a.csv", Event).collect()
    with pytest.raises(ab.RunError, match="cannot write"):
        ab.from_iterable(events(0, 3), Event).write_csv("s3://nowhere/a.csv").run(
            engine="sequential")
