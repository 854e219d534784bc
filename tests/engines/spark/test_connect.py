"""Spark Connect: the sequential engine's sequence, over a server that has no RDDs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from anabranch.engine.spark.session.java import quiet_java_home

TESTS = Path(__file__).parents[2]


def run(*command: str, **more: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "PYSPARK_PYTHON": sys.executable, **more}
    return subprocess.run([sys.executable, *command], env=environment, capture_output=True,
                          text=True, timeout=900)


@pytest.mark.long
def test_programs_on_connect(tmp_path):
    done = run(str(Path(__file__).with_name("connected.py")), str(tmp_path),
               JAVA_HOME=quiet_java_home(own_logging=True))
    assert done.returncode == 0, done.stderr


def test_a_wrong_address(tmp_path):
    (tmp_path / "one.py").write_text(
        "import anabranch as ab\nab.from_iterable([1], int).write_stdout()\n")
    done = run("-m", "anabranch", "run", str(tmp_path / "one.py"), "--master", "sc://here/;=")
    assert done.returncode == 1 and "Spark could not be started" in done.stderr
    assert "Traceback" not in done.stderr
