"""Real processes that are killed: a driver again and again, an executor of a cluster."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from engines.spark.streams import arrive, parts

# A group of its own: these tests start their own sessions, beside the one of the other tests.
pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.xdist_group("spark faults")]

PROGRAM = """
    import time

    import anabranch as ab

    class Payment(ab.Record):
        account: int
        amount: float

    class Balance(ab.State):
        total: float = 0.0
        count: int = 0

    class Total(ab.Record):
        account: int
        total: float
        count: int

    @ab.operator(by="account")
    def running(state: Balance, p: Payment):
        state.total += p.amount
        state.count += 1
        {slowly}
        yield Total(p.account, state.total, state.count)

    payments = ab.read_csv("in", Payment, name="payments")
    windows = payments.apply(running).aggregate(
        ab.tumbling(count=3), by="account", count=ab.sum("count"), total=ab.last("total"))
    windows.write_csv("out")
"""
HEADER = "account,amount"
KILLS = 20
# Java is started many times here, and never runs long enough to be worth much compiling.
QUICK = '--driver-java-options "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"'
DRIVER = os.environ | {"PYSPARK_SUBMIT_ARGS": f"{QUICK} pyspark-shell"}


def rows(file: int, count: int) -> list[str]:
    return [f"{(file * 3 + n * n) % 11},{(n * 13 + file) % 50 / 4}" for n in range(count)]


def program(folder: Path, slowly: str = "") -> None:
    (folder / "program.py").write_text(textwrap.dedent(PROGRAM.format(slowly=slowly)))


def command(*options: str) -> list[str]:
    return [sys.executable, "-m", "anabranch", "run", "program.py", *options]


def stream(master: str, *options: str) -> list[str]:
    return command("--engine", "spark", "--master", master, "--stream", "--checkpoint", "ck",
                   "--files-per-batch", "1", *options)


def expected(folder: Path) -> list[str]:
    subprocess.run(command("--output", "out=sequential.csv"), cwd=folder, check=True, timeout=120,
                   capture_output=True)
    return (folder / "sequential.csv").read_text().splitlines()[1:]


def batches(folder: Path) -> int:
    manifests = folder / "ck" / "batches"
    names = os.listdir(manifests) if manifests.exists() else []
    return max((int(n) for n in names if n.isdigit()), default=0)


def lives_until_killed(folder: Path, master: str, delay: float) -> None:
    """Runs the stream until it has done a batch, and a while longer; then it is killed."""
    before, errors = batches(folder), folder / "errors"
    with errors.open("w") as file, subprocess.Popen(stream(master), cwd=folder, env=DRIVER,
                                                    stderr=file, stdout=file) as process:
        while batches(folder) == before and process.poll() is None:
            time.sleep(0.01)
        time.sleep(delay)
        assert process.poll() is None, errors.read_text()
        process.kill()


def test_a_driver_that_is_killed_twenty_times(tmp_path):
    """Between batches and inside them; each time another number of cores goes on."""
    program(tmp_path)
    chosen = random.Random(20)
    shown: list[str] = []
    for life in range(KILLS):
        for number in range(5 * life, 5 * life + 5):
            arrive(tmp_path / "in", number, rows(number, 30), HEADER)
        lives_until_killed(tmp_path, f"local[{chosen.choice((1, 2, 3))}]", chosen.uniform(0, 1.2))
        now = parts(tmp_path / "out")
        assert now[:len(shown)] == shown, f"life {life} has changed what was shown"
        shown = now
    done = subprocess.run(stream("local[2]", "--until-idle", "1"), cwd=tmp_path, env=DRIVER,
                          timeout=300, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    whole = expected(tmp_path)
    assert len(whole) > 100
    assert parts(tmp_path / "out") == whole


def test_an_interrupted_stream_stops_in_order(tmp_path):
    """Ctrl-C ends it with a line about what was done; a failing batch ends it with our error."""
    program(tmp_path)
    for number in range(3):
        arrive(tmp_path / "in", number, rows(number, 30), HEADER)
    with subprocess.Popen(stream("local[2]"), cwd=tmp_path, env=DRIVER, stderr=subprocess.PIPE,
                          text=True) as process:
        while batches(tmp_path) < 3 and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
    assert (process.returncode, errors.count("\n")) == (0, 1), errors
    assert errors.startswith("read 90 rows (payments), wrote 28 rows (out) in 3 batches: ")
    arrive(tmp_path / "in", 3, ["1,much"], HEADER)
    done = subprocess.run(stream("local[2]", "--trigger", "once"), cwd=tmp_path, env=DRIVER,
                          timeout=300, capture_output=True, text=True)
    assert done.returncode == 1
    error = "error: malformed row: amount cannot be read as float\n"
    assert done.stderr.startswith(error), done.stderr
    assert "Exception" not in done.stderr


@contextmanager
def started(folder: Path, environment: dict[str, str], *arguments: str):
    """A daemon of Spark; what it starts is killed with it."""
    from pyspark.find_spark_home import _find_spark_home

    spark_class = os.path.join(_find_spark_home(), "bin", "spark-class")
    process = subprocess.Popen([spark_class, *arguments], cwd=folder, env=environment,
                               stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               start_new_session=True)
    try:
        yield process
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.fixture
def cluster(tmp_path):
    """The address of a master with two workers on loopback, and the environment of a driver."""
    from anabranch.engine.spark.session.java import quiet_java_home

    (tmp_path / "spark").mkdir()
    port = 17000 + os.getpid() % 2000
    environment = os.environ | {"JAVA_HOME": quiet_java_home(True), "SPARK_LOCAL_IP": "127.0.0.1",
                                "SPARK_WORKER_DIR": str(tmp_path / "spark")}
    master = f"spark://127.0.0.1:{port}"
    worker = ["org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--cores", "1",
              "--memory", "600m", "--webui-port", "0", master]
    driver = environment | {"PYSPARK_SUBMIT_ARGS": (
        f"{QUICK} --conf spark.driver.host=127.0.0.1 --conf spark.executor.memory=500m "
        "pyspark-shell")}
    with started(tmp_path, environment, "org.apache.spark.deploy.master.Master", "--host",
                 "127.0.0.1", "--port", str(port), "--webui-port", "0"), \
            started(tmp_path, environment, *worker), started(tmp_path, environment, *worker):
        yield master, driver


def executors(folder: Path) -> list[int]:
    """The processes of the cluster's executors."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes()
            inside = os.readlink(process / "cwd").startswith(str(folder))
        except OSError:
            continue
        if inside and b"CoarseGrainedExecutorBackend" in line:
            found.append(int(process.name))
    return found


def test_a_cluster_that_loses_an_executor(tmp_path, cluster):
    """A batch program, and a stream of which an executor is killed in the middle."""
    master, environment = cluster
    program(tmp_path, slowly="time.sleep(0.002)")
    for number in range(8):
        arrive(tmp_path / "in", number, rows(number, 100), HEADER)
    whole = expected(tmp_path)
    errors = tmp_path / "errors"
    with errors.open("w") as file, subprocess.Popen(
            stream(master, "--until-idle", "1"), cwd=tmp_path, env=environment,
            stderr=file) as process:
        while batches(tmp_path) < 2 and process.poll() is None:
            time.sleep(0.05)
        victims = executors(tmp_path / "spark")
        assert len(victims) == 2, errors.read_text()
        os.kill(victims[0], signal.SIGKILL)
        assert process.wait(120) == 0, errors.read_text()
    assert parts(tmp_path / "out") == whole
    batch = command("--engine", "spark", "--master", master, "--output", "out=batch.csv")
    subprocess.run(batch, cwd=tmp_path, env=environment, check=True, timeout=120,
                   capture_output=True)
    assert (tmp_path / "batch.csv").read_text().splitlines()[1:] == whole


TWO_RUNS = """
    import sys
    from functools import lru_cache

    from pyspark.sql import SparkSession

    import anabranch as ab

    class Payment(ab.Record):
        account: int
        amount: float

    @lru_cache
    def doubled(amount):
        return amount * 2

    session = SparkSession.builder.master(sys.argv[1]).getOrCreate()
    payments = ab.from_iterable([Payment(n % 3, n / 2) for n in range(40)], Payment)
    for times in (1, 2, 3):
        found = payments.map(lambda p: Payment(p.account, times * doubled(p.amount))).collect(
            engine="spark", session=session)
        print(sum(p.amount for p in found))
    # The user's own code, with records of this program.
    own = session.sparkContext.parallelize([Payment(1, 0.5)], 2).map(lambda p: p.replace(account=7))
    print(own.collect())
"""


def test_a_session_on_a_cluster_runs_programs_again(tmp_path, cluster):
    """The package is sent once, and is still there when an executor comes later."""
    master, environment = cluster
    (tmp_path / "twice.py").write_text(textwrap.dedent(TWO_RUNS))
    done = subprocess.run([sys.executable, "twice.py", master], cwd=tmp_path, timeout=300,
                          env=environment | {"PYSPARK_PYTHON": sys.executable},
                          capture_output=True, text=True)
    assert done.stdout == "780.0\n1560.0\n2340.0\n[Payment(account=7, amount=0.5)]\n", done.stderr
