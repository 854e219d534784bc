"""Streams on Spark: a program over inputs that grow, batch by batch, each batch exactly once.

Structured Streaming says which files belong to which batch. A batch is the job of the batch engine,
from one version of the state to the next. What it read, the state and the part files that it wrote
become valid together, with its manifest.

    settings.py      what is asked for           run.py           from options to the report
    query.py         Spark's query               listing.py       its folders, log.py: its files
    watch.py         the same without a query    noticing.py      and its files
    stream.py        one batch after another     interruption.py  Ctrl-C
    arrivals.py      which files a batch has     pipes.py         standard input as a folder
    intake.py        what a batch reads          reading.py       what the driver reads of it
    waiting.py       rows that wait for others   remembering.py   the state of a stage in pages
    states.py        pages in files and workers  volumes.py       files of pages
    parts.py         the sinks                   folders.py       their part files
    delivery.py      sinks that keep all         diverted.py      malformed rows
    checkpoint.py    the folder of a stream
    manifest.py      what is true behind a batch durable.py       files of the checkpoint
    fingerprint.py   what the program is         compiling.py     kernels, beside the batches

Depends on the batch job of the Spark engine, and PySpark.
"""

from anabranch.plan import Plan


def run_stream(plan: Plan, options, report) -> bool:
    """Runs the plan over what its sources have and will have."""
    # PySpark is imported only when a program runs.
    from anabranch.engine.spark.streaming.run import run_stream as run

    return run(plan, options, report)
