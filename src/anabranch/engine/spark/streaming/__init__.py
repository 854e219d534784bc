"""Streams on Spark: a program over inputs that grow, batch by batch, each batch exactly once.

Structured Streaming says which files belong to which batch. A batch is the job of the batch engine,
from one version of the state to the next. What it read, the state and the part files that it wrote
become valid together, with its manifest.

    settings.py      what is asked for           run.py           from options to the report
    query.py         Spark's query               stream.py        one batch after another
    intake.py        what a batch reads          waiting.py       rows that wait for other sources
    parts.py         the sinks                   remembering.py   the state of a stage in pages
    states.py        pages in files and workers  manifest.py      what is true behind a batch
    checkpoint.py    the folder                  durable.py       its files
    fingerprint.py   whether the program is the one of the checkpoint

Depends on the batch job of the Spark engine, and PySpark.
"""

from anabranch.plan import Plan


def run_stream(plan: Plan, options, report) -> bool:
    """Runs the plan over what its sources have and will have."""
    # PySpark is imported only when a program runs.
    from anabranch.engine.spark.streaming.run import run_stream as run

    return run(plan, options, report)
