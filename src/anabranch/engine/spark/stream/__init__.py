"""Streams on Spark: programs over inputs that grow, batch by batch, each exactly once.

Structured Streaming says which files belong to which batch. A batch is the job of the batch engine,
from one version of the state to the next. What it read, the state and the part files that it wrote
become valid together, with its manifest.

Depends on the batch job of the Spark engine, and PySpark.
"""

from anabranch.plan.logical.plan import Plan


def run_stream(plan: Plan, options, report) -> bool:
    """Runs the plan over what its sources have and will have."""
    # PySpark is imported only when a program runs.
    from anabranch.engine.spark.stream.run import run_stream as run

    return run(plan, options, report)
