"""What `make demo` shows: a program, what was proved about it, its result; the same on Spark."""

from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.syntax import Syntax

from anabranch.compile import compile_graph, load
from anabranch.engine.run import execute
from anabranch.explain import explain
from anabranch.plan.logical.plan import Plan
from anabranch.runtime.options import RunOptions

PROGRAM = Path(__file__).parent / "balances.py"
OVER_A_DATAFRAME = """\
payments = spark.read.csv("examples/data/payments.csv", schema, header=True).zipWithIndex()
real = ab.from_spark(payments, Payment, order="index").filter(lambda p: p.kind != "test")
real.apply(overdrawn).to_spark(order="place")        # a DataFrame, which Spark computes
"""
console = Console()


def by_file(plan: Plan) -> str:
    """What the multicore engine writes."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "out.csv"
        execute(plan, RunOptions("multicore", outputs={"stdout": str(path)}))
        return path.read_text()


def by_spark() -> str:
    """What the same program gives over a DataFrame, as CSV; its plan is shown on the way."""
    from balances import Payment, overdrawn
    from pyspark.sql import SparkSession

    import anabranch as ab
    from anabranch.engine.spark.session.context import spark_context

    with console.status("starting Spark") as status, spark_context("local[2]"):
        spark = SparkSession.builder.getOrCreate()
        payments = spark.read.csv(str(PROGRAM.parent / "data" / "payments.csv"),
                                  "account bigint, amount double, kind string", header=True)
        real = ab.from_spark(payments.zipWithIndex(), Payment, order="index").filter(
            lambda p: p.kind != "test")
        program = real.apply(overdrawn)
        program.explain(engine="spark")
        status.update("Spark is computing")
        rows = program.to_spark(order="place").orderBy("place").drop("place").collect()
    return "".join(f"{','.join(map(str, row))}\n" for row in (("account", "balance"), *rows))


console.rule("The program, as if it handled one payment at a time")
console.print(Syntax.from_path(str(PROGRAM), background_color="default"))
plan = compile_graph(load(PROGRAM))
console.rule("What Anabranch proved (anabranch explain examples/balances.py)")
print(explain(plan, console=console))
console.rule("Its output (anabranch run examples/balances.py --engine sequential)")
execute(plan, RunOptions("sequential"))
console.rule("The same over a Spark DataFrame, and how Spark runs it")
console.print(Syntax(OVER_A_DATAFRAME, "python", background_color="default"))
found, expected = by_spark(), by_file(plan)
console.rule("Its output, from Spark")
print(found, end="")
console.rule()
if found != expected:
    raise SystemExit("the engines disagree")
print("byte for byte what the multicore engine writes from the file")
