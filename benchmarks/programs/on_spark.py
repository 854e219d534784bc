"""Any of the programs on Spark, in a session that stays up between runs.

They write to a folder of parts.
"""

from importlib import import_module

from anabranch.engine.spark.session.context import spark_context

CORES = "local[2]"
_session = spark_context(CORES)


def start():
    _session.__enter__()


def run(source, target, program, **options):
    made = import_module(f"benchmarks.programs.{program}")
    made.run(source, f"{target}/", engine="spark", **options)
