"""A query over DataFrames that is killed, process and all, goes on: nothing is lost or doubled."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from engines.spark import frame_stream as streams

TESTS = Path(__file__).parents[2]
KILLS = 2

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("spark")]


def started(folder: str) -> subprocess.Popen:
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "PYSPARK_PYTHON": sys.executable}
    return subprocess.Popen([sys.executable, "-m", "engines.spark.frame_stream", folder],
                            env=environment, start_new_session=True,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def batches(folder: str) -> int:
    found = Path(folder, "checkpoint", "commits")
    return len([n for n in os.listdir(found) if n.isdigit()]) if found.is_dir() else 0


def test_a_killed_query_goes_on(spark, tmp_path):
    session, folder = streams.with_store(SparkSession(spark)), str(tmp_path)
    for low in range(0, 400, 80):
        streams.arrive(session, folder, low, low + 80)
    for _ in range(KILLS):
        before, process = batches(folder), started(folder)
        deadline = time.monotonic() + 240
        while batches(folder) < before + 1 and time.monotonic() < deadline:
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert batches(folder) >= KILLS
    assert streams.run(session, folder, streams.first) == ""
    assert streams.found(session, folder) == streams.expected(400)
