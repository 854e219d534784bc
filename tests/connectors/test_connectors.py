"""Programs over what Spark reads and writes, with drivers that are killed: `make connectors`.

Each part is the real one, on the loopback address. What is found at the end is what the sequential
engine gives, row by row.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from zlib import crc32

import pytest

from connectors import services
from connectors.driver import CHUNK, CHUNKS
from connectors.parts import ROOT, jars, python_of
from connectors.places import Delta, Files, Iceberg, Kafka, Place, Postgres
from connectors.programs import PROGRAMS, events, expected

KILLS = int(os.environ.get("KILLS", "2"))
LONGEST = float(os.environ.get("LONGEST", "15"))
LIMIT = 600
TRIES = 4

pytestmark = pytest.mark.connectors


class Drivers:
    """Drivers over a place, one after the other."""

    def __init__(self, place: Place, spark: str, folder: Path):
        self.folder, self.python = folder, python_of(f"spark-{spark}")
        (folder / "place.json").write_text(json.dumps({"kind": type(place).__name__,
                                                       **asdict(place)}))

    def started(self, task: str) -> subprocess.Popen:
        (self.folder / "started").unlink(missing_ok=True)
        environment = {**os.environ, "PYSPARK_PYTHON": self.python,
                       "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])}
        with (self.folder / f"{task}.log").open("wb") as log:
            return subprocess.Popen([self.python, "-m", "connectors.driver", task,
                                     str(self.folder)], env=environment, start_new_session=True,
                                    cwd=self.folder, stdout=log, stderr=log)

    def done(self, task: str) -> dict:
        process = self.started(task)
        try:
            code = process.wait(LIMIT)
        finally:
            services.kill(process)
        assert code == 0, (self.folder / f"{task}.log").read_text()[-6000:]
        return json.loads((self.folder / f"{task}.json").read_text())

    def killed(self, task: str, draw: random.Random) -> bool:
        """Kills a driver some time after its start; whether it was still at work. Where it is done
        sooner than was thought, another one is given less time."""
        return any(self._killed_after(task, draw.uniform(0.5, LONGEST / 2 ** tried))
                   for tried in range(TRIES))

    def _killed_after(self, task: str, seconds: float) -> bool:
        process = self.started(task)
        try:
            while not (self.folder / "started").exists() and process.poll() is None:
                time.sleep(0.1)
            with suppress(subprocess.TimeoutExpired):
                process.wait(seconds)
            return process.poll() is None
        finally:
            services.kill(process)


def check(found: dict, given: list) -> None:
    assert found.keys() == PROGRAMS.keys()
    for name, rows in found.items():
        wanted = expected(given, name)
        assert len(wanted) > 50
        assert list(map(tuple, rows)) == wanted, name


def run_over(place: Place, spark: str, folder: Path, given: list) -> None:
    """Batch, then stream; the drivers of the last of them are killed some times."""
    drivers = Drivers(place, spark, folder)
    check(drivers.done("prepare"), given)
    task, draw = "stream" if place.streams else "batch", random.Random(type(place).__name__)
    at_work = [drivers.killed(task, draw) for _ in range(KILLS)]
    check(drivers.done(task), given)
    assert any(at_work) or not KILLS
    print(f"{type(place).__name__} on Spark {spark}: {sum(at_work)} of {KILLS} killed at work")


def by_time() -> list:
    return events(0, CHUNKS * CHUNK)


def listed(part: str) -> str:
    return ",".join(map(str, jars(part)))


def test_kafka(tmp_path):
    with services.broker(tmp_path) as servers:
        place = Kafka(str(tmp_path), listed("kafka"), servers)
        given = sorted(by_time(), key=lambda e: (crc32(e.key.encode()) % 3, e.at))
        run_over(place, "4.2", tmp_path, given)


def test_postgres(tmp_path):
    (tmp_path / "server").mkdir()
    with services.postgres(tmp_path / "server") as url:
        run_over(Postgres(str(tmp_path), listed("postgres"), url), "4.3", tmp_path, by_time())


def test_s3(tmp_path):
    with services.moto(tmp_path) as told:
        options = tuple((f"spark.hadoop.fs.s3a.{name}", value) for name, value in {
            "endpoint": told["endpoint_override"], "endpoint.region": told["region"],
            "access.key": told["access_key"], "secret.key": told["secret_key"],
            "path.style.access": "true", "connection.ssl.enabled": "false",
            # An upload by parts at once never ends with this server.
            "optimized.copy.from.local.enabled": "false"}.items())
        base = f"s3a://{services.BUCKET}/events"
        run_over(Files(str(tmp_path), listed("s3"), base, options), "4.3", tmp_path, by_time())


def test_hdfs(tmp_path):
    with services.hdfs(tmp_path) as address:
        run_over(Files(str(tmp_path), "", f"{address}/events"), "4.3", tmp_path, by_time())


def test_delta(tmp_path):
    run_over(Delta(str(tmp_path), listed("delta")), "4.2", tmp_path, by_time())


def test_iceberg(tmp_path):
    run_over(Iceberg(str(tmp_path), listed("iceberg")), "4.1", tmp_path, by_time())
