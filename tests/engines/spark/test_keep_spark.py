"""A Spark that stays for the runs after the one that started it."""

import json
import os
import signal
import subprocess
import sys

import pytest

import anabranch as ab
from anabranch.core.errors import UsageError

PROGRAM = """
import anabranch as ab
ab.read_text("lines.txt").map(lambda line: line.upper()).write_stdout()
"""


def test_the_next_run_takes_the_java_of_the_one_before(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "lines.txt").write_text("a\nb\n")
    command = [sys.executable, "-m", "anabranch", "run", "program.py", "--keep-spark",
               "--master", "local[1]"]
    caches = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "caches")}

    def run():
        done = subprocess.run(command, cwd=tmp_path, env=caches, capture_output=True, text=True,
                              check=True, timeout=300)
        assert "value\nA\nB\n" in done.stdout and "Spark started in" in done.stderr
        [note] = (tmp_path / "caches" / "anabranch").glob("spark-" + "[0-9a-f]" * 16)
        assert note.stat().st_mode & 0o777 == 0o600
        return json.loads(note.read_text())
    first = run()
    try:
        assert run() == first
    finally:
        os.kill(first[2], signal.SIGKILL)


@pytest.mark.parametrize("asked, why", [
    ({"engine": "multicore"}, "takes no --keep-spark"),
    ({"engine": "spark", "master": "spark://nowhere:7077"}, "for a Spark of this machine")])
def test_where_it_means_nothing_it_is_refused(asked, why, monkeypatch):
    monkeypatch.setattr("anabranch.engine.spark.session.context.active_context", lambda: None)
    monkeypatch.setattr("pyspark.SparkContext._active_spark_context", None)
    with pytest.raises(UsageError, match=why):
        ab.from_iterable([1], int).collect(keep_spark=True, **asked)
