"""A Java process that ends gives our error, and the next run begins with a new one."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

PROGRAM = """\
import os, signal, sys, time
import anabranch as ab
from pyspark import SparkContext
from pyspark.sql import SparkSession

def kill_java():
    os.kill(SparkContext._gateway.proc.pid, signal.SIGKILL)
    SparkContext._gateway.proc.wait()

def doubled():
    return ab.from_iterable(range(100), int).map(lambda n: 2 * n)

def told(run):
    try:
        print(run())
    except ab.AnabranchError as error:
        print(error)
"""
ENDED = """\
error: the Java process of Spark has ended, and the run with it
  = help: {}
"""
DOUBLED = f"{[2 * n for n in range(100)]}\n"


def ran(tmp_path, text: str) -> str:
    (tmp_path / "p.py").write_text(PROGRAM + text)
    done = subprocess.run([sys.executable, "p.py"], cwd=tmp_path, capture_output=True, text=True,
                          timeout=240)
    # A session of the user's has Spark's own log, and Py4J's own threads log what they meet when
    # they let go of an object of a process that has just ended.
    ours = re.sub(r"ERROR:root:Exception while sending command\.\n.*?Py4JNetworkError: .*?\n", "",
                  done.stderr, flags=re.DOTALL)
    assert (done.returncode, "Traceback" in ours) == (0, False), done.stderr
    return done.stdout


@pytest.mark.long
def test_java_is_killed_between_two_runs(tmp_path):
    found = ran(tmp_path, """
told(lambda: doubled().collect(engine="spark", master="local[1]"))
kill_java()
told(lambda: doubled().collect(engine="spark", master="local[1]"))
""")
    assert found == 2 * DOUBLED


@pytest.mark.long
def test_java_of_the_users_session_is_killed(tmp_path):
    found = ran(tmp_path, """
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config(
    "spark.log.level", "OFF").getOrCreate()
kill_java()
told(lambda: doubled().collect(engine="spark", session=spark))
told(lambda: doubled().collect(engine="spark", session=spark))
told(lambda: doubled().collect(engine="spark", master="local[1]"))
""")
    again = ENDED.format("make a new session")
    assert found == again + again + DOUBLED


@pytest.mark.long
@pytest.mark.parametrize("stream", [False, True])
def test_java_is_killed_while_a_run_is_under_way(tmp_path, stream):
    found = ran(tmp_path, f"""
import threading
class N(ab.Record):
    n: int
def slow(t: N) -> N:
    open("begun", "w").close()
    time.sleep(1)
    return t
os.mkdir("in")
open("in/a.csv", "w").write("n\\n" + "1\\n" * 60)
def soon():
    while not os.path.exists("begun"):
        time.sleep(0.1)
    kill_java()
threading.Thread(target=soon, daemon=True).start()
rows = ab.read_csv("in", N).map(slow)
rows.write_csv("out/" if {stream} else "out.csv", name="out")
told(lambda: rows.run(engine="spark", master="local[1]", stream={stream}))
print(sorted(n for n in os.listdir(".") if n.startswith((".out", "out"))))
""")
    left = "['out']" if stream else "[]"
    assert found == ENDED.format("run it again; was the machine out of memory?") + f"{left}\n"
