"""The first minutes with a system: a result, an error, a plan and a test of the same small program.

    python benchmarks/standalone/first_minutes.py [ROWS]

Running balances of each account, in order, without the rows of one kind: five rows in whole
processes, and so many (200,000) in the first process ever and in a later one. Time is that of the
processors, medians of three, so that others at work on the machine count little. Systems that are
not installed are left out; PEERS=/path/to/python has them, ONLY="polars loop" names some.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROWS = """account,amount,kind
101,20.5,card
102,-3.25,card
101,-30,transfer
102,900,test
102,1.5,card
"""


@dataclass(frozen=True)
class System:
    """A program with FIELD for the name of a column, and what is added for a plan and a test."""

    module: str
    program: str
    write: str
    plan: str
    test: str


OURS = System("anabranch", '''
import anabranch as ab

class Payment(ab.Record):
    account: int
    amount: float
    kind: str

class Balance(ab.State):
    total: float = 0.0

@ab.operator(by="account")
def running(state: Balance, p: Payment):
    state.total += p.amount
    yield Payment(p.account, state.total, p.kind)

payments = ab.read_csv("payments.csv", Payment)
balances = payments.filter(lambda p: p.FIELD != "test").apply(running)
''', 'balances.write_csv("out.csv")\n', "", '''
from anabranch.testing import check
check(balances, given=[Payment(1, 2.0, "a"), Payment(1, 3.0, "a")],
      expect=[Payment(1, 2.0, "a"), Payment(1, 5.0, "a")], examples=3,
      engines=["sequential", "multicore"])
''')

POLARS = System("polars", '''
import polars as pl

def balances(payments):
    kept = payments.filter(pl.col("FIELD") != "test")
    return kept.with_columns(total=pl.col("amount").cum_sum().over("account"))
''', 'balances(pl.scan_csv("payments.csv")).collect().write_csv("out.csv")\n',
    'print(balances(pl.scan_csv("payments.csv")).explain())\n', '''
given = pl.LazyFrame({"account": [1, 1], "amount": [2.0, 3.0], "kind": ["a", "a"]})
assert balances(given).collect()["total"].to_list() == [2.0, 5.0]
''')

DUCKDB = System("duckdb", '''
import duckdb

QUERY = """select account, amount, kind,
sum(amount) over (partition by account order by place) as total
from (select *, row_number() over () as place from {source})
where FIELD <> 'test' order by place"""
''', '''duckdb.sql("copy (" + QUERY.format(source="'payments.csv'") + ") to 'out.csv'")\n''',
    '''print(duckdb.sql("explain " + QUERY.format(source="'payments.csv'")).fetchall())\n''', '''
given = "(values (1, 2.0, 'a'), (1, 3.0, 'a')) v(account, amount, kind)"
assert [float(r[3]) for r in duckdb.sql(QUERY.format(source=given)).fetchall()] == [2.0, 5.0]
''')

BYTEWAX = System("bytewax", '''
import bytewax.operators as op
from bytewax.connectors.files import CSVSource, FileSink
from bytewax.dataflow import Dataflow
from bytewax.testing import TestingSink, TestingSource, run_main

def flow_of(source, sink):
    flow = Dataflow("balances")
    rows = op.input("in", flow, source)
    kept = op.filter("kept", rows, lambda r: r["FIELD"] != "test")
    keyed = op.map("keyed", kept, lambda r: (r["account"], float(r["amount"])))
    totals = op.stateful_map("totals", keyed, lambda s, x: ((s or 0.0) + x, (s or 0.0) + x))
    op.output("out", op.map("line", totals, lambda kv: (kv[0], f"{kv[0]},{kv[1]}")), sink)
    return flow
''', 'run_main(flow_of(CSVSource("payments.csv"), FileSink("out.csv")))\n',
    '''from bytewax.visualize import to_mermaid
print(to_mermaid(flow_of(CSVSource("payments.csv"), FileSink("out.csv"))))\n''', '''
out = []
given = [{"account": "1", "amount": amount, "kind": "a"} for amount in "23"]
run_main(flow_of(TestingSource(given), TestingSink(out)))
assert out == [("1", "1,2.0"), ("1", "1,5.0")]
''')

PYSPARK = System("pyspark", '''
from pyspark.sql import SparkSession, Window, functions as F
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")

def balances(payments):
    placed = payments.withColumn("place", F.monotonically_increasing_id())
    kept = placed.filter(F.col("FIELD") != "test")
    by = Window.partitionBy("account").orderBy("place")
    return kept.withColumn("total", F.sum("amount").over(by)).orderBy("place").drop("place")

def read():
    return spark.read.csv("payments.csv", header=True, inferSchema=True)
''', 'balances(read()).write.mode("overwrite").csv("out.csv.d", header=True)\n',
    "balances(read()).explain()\n", '''
given = spark.createDataFrame([(1, 2.0, "a"), (1, 3.0, "a")], ["account", "amount", "kind"])
assert [r.total for r in balances(given).collect()] == [2.0, 5.0]
''')

LOOP = System("csv", '''
import csv

def balances(rows):
    totals = {}
    for r in rows:
        if r["FIELD"] != "test":
            total = totals[r["account"]] = totals.get(r["account"], 0.0) + float(r["amount"])
            yield r["account"], total, r["kind"]
''', '''with open("payments.csv", newline="") as given, open("out.csv", "w", newline="") as out:
    writer = csv.writer(out)
    writer.writerow(["account", "amount", "kind"])
    writer.writerows(balances(csv.DictReader(given)))
''', "", "")

SYSTEMS = {"anabranch": OURS, "polars": POLARS, "duckdb": DUCKDB, "bytewax": BYTEWAX,
           "pyspark": PYSPARK, "loop": LOOP}


def python_of(name: str) -> str:
    here = name in ("anabranch", "pyspark", "loop")
    return sys.executable if here else os.environ.get("PEERS", sys.executable)


def took(command: list[str], folder: Path, cache: Path
         ) -> tuple[float, subprocess.CompletedProcess]:
    """The seconds of the processors that a whole process takes, and all that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False,
                          env={**os.environ, "XDG_CACHE_HOME": str(cache), "NO_COLOR": "1"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done


def command_of(name: str, what: str) -> list[str]:
    if name == "anabranch" and what != "test":
        anabranch = [sys.executable, "-m", "anabranch"]
        drawn = ["explain", "program.py", "--format", "html", "--to", "plan.html"]
        run = ["run", "program.py", "--engine", "multicore"]
        return [*anabranch, *(drawn if what == "plan" else run)]
    return [python_of(name), "program.py"]


def text_of(system: System, what: str) -> str:
    field = "knid" if what == "error" else "kind"
    added = {"plan": system.plan or system.write, "test": system.test}.get(what, system.write)
    return (system.program + added).replace("FIELD", field)


def one(name: str, what: str, rows: str, folder: Path, cache: Path) -> tuple[float, str]:
    (folder / "payments.csv").write_text(rows)
    (folder / "program.py").write_text(text_of(SYSTEMS[name], what))
    seconds, done = took(command_of(name, what), folder, cache)
    if (done.returncode != 0) != (what == "error"):
        raise RuntimeError(f"{name}, {what}: {done.stderr[-2000:]}")
    return seconds, done.stderr


def median(name: str, what: str, rows: str, folder: Path, cache: Path) -> tuple[float, str]:
    found = [one(name, what, rows, folder, cache) for _ in range(3)]
    return statistics.median(seconds for seconds, _ in found), found[-1][1]


def many(count: int) -> str:
    drawn = random.Random(1)
    lines = (f"{drawn.randrange(10_000)},{drawn.uniform(-100, 90):.2f},{drawn.choice(KINDS)}\n"
             for _ in range(count))
    return "account,amount,kind\n" + "".join(lines)


KINDS = ("card", "transfer", "test")


def with_java() -> dict[str, str]:
    """PySpark by itself does not find the Java of a package, and cannot do with all of its own
    arguments there."""
    if "JAVA_HOME" in os.environ or shutil.which("java"):
        return {}
    from anabranch.engine.spark.session.java import quiet_java_home

    return {"JAVA_HOME": quiet_java_home(True)}


def is_there(name: str) -> bool:
    asked = [python_of(name), "-c", f"import {SYSTEMS[name].module}"]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0


def main(count: int) -> None:
    print("| | result | error | its lines | names the line | proposes the name | plan | test "
          f"| {count:,} rows, first | later |\n|{'---|' * 10}")
    rows = many(count)
    os.environ.update(with_java() if is_there("pyspark") else {})
    for name in filter(is_there, os.environ.get("ONLY", " ".join(SYSTEMS)).split()):
        with tempfile.TemporaryDirectory() as place:
            folder, cache = Path(place), Path(place) / "cache"
            first, _ = one(name, "result", rows, folder, cache)
            later, _ = median(name, "result", rows, folder, cache)
            small, _ = median(name, "result", ROWS, folder, cache)
            error, told = median(name, "error", ROWS, folder, cache)
            has = SYSTEMS[name].test
            plan = f"{median(name, 'plan', ROWS, folder, cache)[0]:.2f} s" if has else ""
            test = f"{median(name, 'test', ROWS, folder, cache)[0]:.2f} s" if has else ""
            lines = [line for line in told.splitlines() if line.strip()]
            names = "yes" if any("program.py" in line for line in lines) else "no"
            proposed = told.replace("knid", "")
            proposes = "yes" if "kind" in proposed else "no"
            print(f"| {name} | {small:.2f} s | {error:.2f} s | {len(lines)} | {names} | {proposes} "
                  f"| {plan} | {test} | {first:.2f} s | {later:.2f} s |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000)
